import { isObject } from '../../lib/json.ts'

export interface Option {
  value: string
  label: string
}

/** Between which a number is taken, both included, as it is sent. */
export interface FieldBounds {
  least?: number
  most?: number
}

/** How a field is typed in. `number`: shown as its value divided by `size` (default 1), such as seconds of what is kept in ms. `code`: a text in a fixed
 *  width. `pairs`: names with values that are not shown again. `money`: an amount and its currency; `usual`: that
 *  which is there before one is chosen. */
type FieldKind =
  | { kind: 'text' | 'secret' | 'area' | 'code' | 'lines' | 'check' | 'pairs' }
  | { kind: 'money'; usual?: string }
  | ({ kind: 'number'; size?: number; unit?: string; whole?: true } & FieldBounds)
  | { kind: 'choice' | 'many'; options: readonly Option[] }

/** A field of a form, and where its value stands in what is sent. */
export type InputField = FieldKind & {
  path: readonly string[]
  label: string
  /** One line below it: what it is for. */
  hint?: string | undefined
  placeholder?: string | undefined
  isNeeded?: true
  /** Why it cannot be changed here; absent: it can. */
  locked?: string | undefined
  /** Takes the whole width of the form. */
  isWide?: true
  /** Is shown only while this holds. */
  when?: (typed: TypedForm) => boolean
  /** It says what others are, and is not sent itself. */
  isAside?: true
}

/** Where a refusal can be told: a field of a form, whatever it is typed in with. `size`: as of a number. */
export interface RefusalPlace {
  path: readonly string[]
  size?: number
}

/** Fields that belong together. `isFolded`: shown when they are asked for. */
export interface FieldGroup {
  title?: string
  hint?: string
  isFolded?: true
  /** A line a field: its label on the left, what is typed on the right. */
  isRows?: true
  fields: readonly InputField[]
}

/** What stands in a field: a text, whether it is ticked, the options that are chosen (of money: amount and currency), or pairs. */
export type Typed = string | boolean | readonly string[] | readonly Pair[]
export interface Pair {
  name: string
  value: string
}
/** By the field's key. */
export type TypedForm = Readonly<Record<string, Typed>>

export const fieldKey = ({ path }: Pick<InputField, 'path'>): string => path.join('.')

export const typedText = (typed: TypedForm, key: string): string => {
  const value = typed[key]
  return typeof value === 'string' ? value : ''
}

const isPair = (value: unknown): value is Pair => isObject(value) && typeof value['name'] === 'string'
export const pairsOf = (value: Typed | undefined): Pair[] => (Array.isArray(value) ? value.filter(isPair) : [])
export const chosenIn = (value: Typed | undefined): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []

/** What an entry has at a path; undefined: nothing. */
export function entryValue(entry: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, name) => (isObject(inner) ? inner[name] : undefined), entry)
}

const shownPart = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : ''

/** What stands in a field that has this value. */
export function typedOf(field: InputField, value: unknown): Typed {
  switch (field.kind) {
    case 'check':
      return value === true
    case 'many':
      return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
    case 'lines':
      return Array.isArray(value) ? value.filter((one) => typeof one === 'string').join('\n') : ''
    case 'pairs':
      return isObject(value) ? Object.entries(value).map(([name, one]) => ({ name, value: shownPart(one) })) : []
    case 'money':
      return isObject(value) ? [shownPart(value['amount']), shownPart(value['currency'])] : ['', '']
    case 'number':
      return typeof value === 'number' ? String(value / (field.size ?? 1)) : ''
    default:
      return typeof value === 'string' ? value : ''
  }
}

/** The value that stands in a field; undefined: none. A number that is none stays a text, so that it is refused and not lost. */
export function valueOf(field: InputField, typed: Typed | undefined): unknown {
  const text = typeof typed === 'string' ? typed.trim() : ''
  switch (field.kind) {
    case 'check':
      return typed === true
    case 'many':
      return chosenIn(typed)
    case 'lines': {
      const lines = text.split('\n').flatMap((line) => line.trim() || [])
      return lines.length === 0 ? undefined : lines
    }
    case 'pairs': {
      const named = pairsOf(typed).filter(({ name }) => name.trim() !== '')
      return Object.fromEntries(named.map(({ name, value }) => [name.trim(), value]))
    }
    case 'money': {
      const [amount = '', currency = ''] = chosenIn(typed)
      if (amount.trim() === '') return undefined
      return { amount: numberOf(amount.trim(), 1), currency: currency.trim().toUpperCase() }
    }
    case 'number':
      return text === '' ? undefined : numberOf(text, field.size ?? 1)
    case 'area':
    case 'code':
      return text === '' ? undefined : typed
    default:
      return text === '' ? undefined : text
  }
}

function numberOf(text: string, size: number): number | string {
  const number = Number(text)
  return Number.isFinite(number) ? Math.round(number * size * 1e6) / 1e6 : text
}

/** What stands in a form whose entry is this. */
export function typedForm(fields: readonly InputField[], entry: unknown): TypedForm {
  return Object.fromEntries(fields.map((field) => [fieldKey(field), typedOf(field, entryValue(entry, field.path))]))
}

/** What is sent of a whole form: the fields that have a value. */
export function formBody(fields: readonly InputField[], typed: TypedForm): Record<string, unknown> {
  const body: Record<string, unknown> = {}
  for (const field of sentOf(fields, typed)) {
    const value = valueOf(field, typed[fieldKey(field)])
    if (value !== undefined) put(body, field.path, value)
  }
  return body
}

/** What is sent of a form that changes an entry: the fields that are another now; null for those that have no value any more. */
export function formChanges(
  fields: readonly InputField[],
  before: TypedForm,
  typed: TypedForm,
): Record<string, unknown> {
  const changes: Record<string, unknown> = {}
  for (const field of sentOf(fields, typed)) {
    const key = fieldKey(field)
    const [old, now] = [valueOf(field, before[key]), valueOf(field, typed[key])]
    if (JSON.stringify(old) === JSON.stringify(now)) continue
    put(changes, field.path, field.kind === 'pairs' ? withGone(old, now) : (now ?? null))
  }
  return changes
}

const sentOf = (fields: readonly InputField[], typed: TypedForm) =>
  fields.filter(({ isAside, locked, when }) => !isAside && locked === undefined && (when?.(typed) ?? true))

/** Pairs with null for those that are gone. */
function withGone(old: unknown, now: unknown): Record<string, unknown> {
  const gone = Object.keys(isObject(old) ? old : {}).map((name) => [name, null])
  return { ...Object.fromEntries(gone), ...(isObject(now) ? now : {}) }
}

function put(body: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [name = '', ...rest] = path
  if (rest.length === 0) {
    body[name] = value
    return
  }
  const inner = body[name]
  const next: Record<string, unknown> = isObject(inner) ? inner : {}
  body[name] = next
  put(next, rest, value)
}
