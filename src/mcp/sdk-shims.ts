import { isObject } from '../lib/json.ts'
/** Takes the place of the SDK's own choice of a validator (see src/build/bundle.ts): its JSON Schema library would be a second
 *  copy of ours, or one that compiles, which Workers cannot. */
import type { JsonSchemaType, JsonSchemaValidator, jsonSchemaValidator } from '@modelcontextprotocol/client'
import { checkOf } from './schema.ts'

export const CORS_IS_POSSIBLE = false

/** Checks structured results of tools by the schema that their server gave. */
export class DefaultJsonSchemaValidator implements jsonSchemaValidator {
  getValidator<T>(schema: JsonSchemaType): JsonSchemaValidator<T> {
    const check = checkOf(isObject(schema) ? schema : {})
    return (input) => {
      const misfits = check(input)
      if (misfits.length === 0) return { valid: true, data: input as T, errorMessage: undefined }
      const errorMessage = misfits.map(({ path, expected }) => `${path}: ${expected}`).join('; ')
      return { valid: false, data: undefined, errorMessage }
    }
  }
}
