import { schemaFault } from '../../domain/json-schema.ts'
import { LIMITS } from '../../domain/limits.ts'
import { bytesOf } from '../../lib/bytes.ts'
import { isDeeper } from '../../lib/json.ts'

const { formBytesMax, formDepthMax } = LIMITS.wait

/** Why a form of an object cannot be shown to people; null: it can, if it is a JSON Schema at all. */
export function formProblem(form: Record<string, unknown>): string | null {
  if (isDeeper(form, 2 * formDepthMax)) return `at most ${formDepthMax} schemas within each other`
  if (bytesOf(JSON.stringify(form)) > formBytesMax) return `at most ${formBytesMax} bytes of JSON`
  return schemaFault(form, 'form', formDepthMax)?.problem ?? null
}

/** Whether a form describes an object, whose properties are its fields. */
export function isOfObject(form: Record<string, unknown>): boolean {
  return form['type'] === undefined || form['type'] === 'object'
}
