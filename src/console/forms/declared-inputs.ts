import { withHiddenShown } from '../../lib/hidden-characters.ts'
import { isObject, memberOf, parseJson } from '../../lib/json.ts'

/** How an input is typed in. `texts`, `numbers`, `integers`: lists, an item a line. `json`: whatever no field can say. */
type InputKind = 'text' | 'number' | 'integer' | 'choice' | 'texts' | 'numbers' | 'integers' | 'json'

/** An input that a workflow declares. `options`: the only values that it takes. */
export interface DeclaredInput {
  name: string
  label: string
  hint: string
  /** Of its JSON Schema. */
  type: string
  kind: InputKind
  options: string[]
  isNeeded: boolean
}

/** Inputs as they are given, by name. */
export type GivenInputs = Readonly<Record<string, unknown>>

/** The properties of a JSON Schema of an object. */
export function declared(schema: Record<string, unknown> | undefined): DeclaredInput[] {
  const { properties, required } = schema ?? {}
  const needed = Array.isArray(required) ? required : []
  return Object.entries(isObject(properties) ? properties : {}).map(([name, one]) => {
    const { type, title, description, enum: values } = isObject(one) ? one : {}
    const options = type === 'boolean' ? ['true', 'false'] : Array.isArray(values) ? values.map(inputText) : []
    return {
      name,
      label: withHiddenShown(typeof title === 'string' ? title : name),
      hint: withHiddenShown(typeof description === 'string' ? description : ''),
      type: String(type),
      kind: options.length > 0 ? 'choice' : kindOf(type, memberOf(memberOf(one, 'items'), 'type')),
      options,
      isNeeded: needed.includes(name),
    }
  })
}

const KINDS: Partial<Record<string, InputKind>> = { string: 'text', number: 'number', integer: 'integer' }
const OF_LISTS: Partial<Record<string, InputKind>> = { string: 'texts', number: 'numbers', integer: 'integers' }

const kindOf = (type: unknown, items: unknown): InputKind =>
  (type === 'array' ? OF_LISTS[String(items)] : KINDS[String(type)]) ?? 'json'

export const isListed = ({ kind }: DeclaredInput): boolean => ['texts', 'numbers', 'integers'].includes(kind)

/** What stands in the field of an input that has this value. */
export function inputText(value: unknown): string {
  if (value === undefined) return ''
  if (Array.isArray(value) && value.every((one) => typeof one === 'string' || typeof one === 'number'))
    return value.join('\n')
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** A text that is one template alone, such as of a webhook: it stands for the whole value. */
const ONE_TEMPLATE = /^\s*\{\{[^{}]*\}\}\s*$/

/** What was typed in as a value of its kind: text that is none, such as a template, stays text. Undefined: nothing was. */
export function inputValue(input: DeclaredInput, text: string): unknown {
  const { kind, type } = input
  if (kind === 'text' || (kind === 'choice' && type === 'string')) return text === '' ? undefined : text
  if (text.trim() === '') return undefined
  if (!isListed(input) || ONE_TEMPLATE.test(text)) return parseJson(text) ?? text
  const lines = text.split('\n').flatMap((line) => line.trim() || [])
  return kind === 'texts' ? lines : lines.map((line) => numberIn(line) ?? line)
}

function numberIn(line: string): number | undefined {
  const number = Number(line)
  return Number.isFinite(number) ? number : undefined
}
