import { ApiProblem, Unreachable } from '../../client/client.ts'
import { errorText } from '../api.ts'
import { clausesText, language, numberText, labelledText } from '../language.ts'
import { type FieldBounds, type InputField, fieldKey, type RefusalPlace, type TypedForm, valueOf } from './field.ts'
import { meantBy } from './server-words.ts'
import { formTexts } from './texts.ts'

/** Why a form was not taken: by the field where that is known, and the rest in one text. */
export interface FormRefusal {
  /** By the field's key. */
  fields: Readonly<Record<string, string>>
  rest: string | null
}

export const NO_REFUSAL: FormRefusal = { fields: {}, rest: null }

/** What the server says of a form, each at the field that it is about. */
export function formRefusal(error: unknown, fields: readonly RefusalPlace[]): FormRefusal {
  if (!(error instanceof ApiProblem) || error.errors.length === 0) return { fields: {}, rest: unsavedText(error) }
  const told: Record<string, string> = {}
  const others: string[] = []
  for (const { path, message } of error.errors) {
    const field = fieldFor(path, fields)
    const text = refusalText(message, field?.size)
    if (field === null) others.push(path === '' ? text : labelledText(path, text))
    else told[fieldKey(field)] = withSentence(told[fieldKey(field)], sentence(text))
  }
  return { fields: told, rest: others.length === 0 ? null : clausesText(others) }
}

/** What stands at a field alone begins and ends as the other sentences of a form do. */
function sentence(text: string): string {
  if (language.value === 'zh-CN') return /[。！？…]$/.test(text) ? text : `${text}。`
  const begun = text.replace(/^[a-z](?=[a-z]* )/, (letter) => letter.toUpperCase())
  return /[.!?…"”)]$/.test(begun) ? begun : `${begun}.`
}

/** Of several lines of a field the same is said once. */
const withSentence = (before: string | undefined, text: string) =>
  before === undefined ? text : before.includes(text) ? before : `${before} ${text}`

/** Why something was not saved. That the server is away is told above, but not what became of this. */
export const unsavedText = (error: unknown): string =>
  error instanceof Unreachable ? formTexts().unsaved : errorText(error)

/** The field that a path of the body is, or is within; the innermost of several. A path of an entry may be told without what it stands in. */
function fieldFor(path: string, fields: readonly RefusalPlace[]): RefusalPlace | null {
  const fits = fields.filter((field) => path === fieldKey(field) || path.startsWith(`${fieldKey(field)}.`))
  return fits.toSorted((a, b) => fieldKey(b).length - fieldKey(a).length)[0] ?? null
}

/** What the server says of a value, in the words of the page and the unit of the field. What is not known stays as it is. */
export function refusalText(message: string, size = 1): string {
  const t = formTexts()
  const meant = meantBy(message)
  if (/^(a connection of|应为) GET \/v1\/connections/.test(message)) return t.noConnection
  if (meant === null) return t.known[message] ?? message
  if (typeof meant === 'string') return t[meant]
  const value = numberText(meant.value / size)
  if (meant.isOfLength && meant.isMost) return t.atMostLong(value)
  if (meant.isOfLength) return meant.value > 1 ? t.atLeastLong(value) : t.needed
  return meant.isMost ? t.atMost(value) : t.atLeast(value)
}

/** What is wrong before anything is sent. */
export function missingIn(fields: readonly InputField[], typed: TypedForm): FormRefusal {
  const t = formTexts()
  const told = fields.flatMap((field) => {
    if (field.when && !field.when(typed)) return []
    const value = valueOf(field, typed[fieldKey(field)])
    if (field.isNeeded && value === undefined) return [[fieldKey(field), t.needed]]
    if (field.kind === 'number' && typeof value === 'string') return [[fieldKey(field), t.noNumber]]
    if (field.kind !== 'number' || typeof value !== 'number') return []
    if (field.whole && !Number.isInteger(value)) return [[fieldKey(field), t.noWhole]]
    const beyond = beyondText(value, field, (bound) => numberText(bound / (field.size ?? 1)))
    return beyond === null ? [] : [[fieldKey(field), beyond]]
  })
  return { fields: Object.fromEntries(told), rest: null }
}

/** What a number has to be that is not within its bounds; null: it is. */
export function beyondText(value: number, { least, most }: FieldBounds, inUnit = numberText): string | null {
  if (least !== undefined && value < least) return formTexts().atLeast(inUnit(least))
  return most !== undefined && value > most ? formTexts().atMost(inUnit(most)) : null
}
