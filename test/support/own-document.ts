import { DOORS } from '../../src/doors/doors.ts'
import { openApi } from '../../src/http/openapi/document.ts'
import { allRoutes, wholeApplication } from '../../src/http/routes.ts'
import { Told, type OpenApiDocument } from './document.ts'

/** All that the product serves, by its own API and by its doors. */
export const ownRoutes = await allRoutes(wholeApplication(), DOORS)

/** The product's OpenAPI document as a client gets it. */
export const own = new Told(JSON.parse(JSON.stringify(openApi(ownRoutes))) as OpenApiDocument)
