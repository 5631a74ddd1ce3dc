import { whole as app } from '../../src/http/routes.ts'
import { openApi } from '../../src/http/openapi/document.ts'
import { Told, type OpenApiDocument } from './document.ts'

/** The product's OpenAPI document as a client gets it. */
export const own = new Told(JSON.parse(JSON.stringify(openApi(app))) as OpenApiDocument)
