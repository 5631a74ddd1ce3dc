import { parseTemplate } from '../domain/template.ts'
import { isObject, memberOf } from '../lib/json.ts'

/** What a template of a webhook can name. */
export interface TemplateData {
  body: unknown
  headers: Readonly<Record<string, string>>
  event: string | null
  delivery_id: string
}

interface Filled {
  values: Record<string, unknown>
  /** Names that nothing answers to. */
  missing: string[]
}

/** What a workflow is given by a delivery: a text that is one name alone becomes the value itself, and is left out where there is none; in
 *  others values stand as text. Nothing of it is marked as from outside: the session knows that all of it is. */
export function filledInputs(inputs: Readonly<Record<string, unknown>>, data: TemplateData): Filled {
  const missing: string[] = []
  const lookUp = (path: readonly string[]) => {
    const value = path.reduce<unknown>((inner, key) => memberOf(inner, key), data)
    if (value === undefined) missing.push(path.join('.'))
    return value
  }
  const values = filled(inputs, lookUp) as Record<string, unknown>
  return { values, missing: [...new Set(missing)] }
}

function filled(value: unknown, lookUp: (path: readonly string[]) => unknown): unknown {
  if (typeof value === 'string') return filledText(value, lookUp)
  if (Array.isArray(value)) return value.map((one) => filled(one, lookUp) ?? null)
  if (!isObject(value)) return value
  const members = Object.entries(value).map(([name, one]) => [name, filled(one, lookUp)] as const)
  return Object.fromEntries(members.filter(([, one]) => one !== undefined))
}

function filledText(text: string, lookUp: (path: readonly string[]) => unknown): unknown {
  const parsed = parseTemplate(text)
  if (!parsed.ok) throw new Error(`a template that was never checked: ${parsed.message}`)
  const [only, ...others] = parsed.parts
  if (only !== undefined && typeof only !== 'string' && others.length === 0) return lookUp(only)
  return parsed.parts.map((part) => (typeof part === 'string' ? part : shown(lookUp(part)))).join('')
}

function shown(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}
