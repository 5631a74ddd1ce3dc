import { ApiProblem } from '../../client/client.ts'
import { errorText } from '../api.ts'
import { clausesText, labelledText } from '../language.ts'
import { type DeclaredInput, type GivenInputs, isListed } from './declared-inputs.ts'
import { type FormRefusal, refusalText } from './refusal.ts'
import { formTexts } from './texts.ts'

/** What is wrong with inputs that are given now, by name, before anything is sent. */
export function wrongInputs(inputs: readonly DeclaredInput[], given: GivenInputs): FormRefusal {
  const told = inputs.flatMap((input) => {
    const text = wrongOf(input, given[input.name])
    return text === null ? [] : [[input.name, text]]
  })
  return { fields: Object.fromEntries(told), rest: null }
}

function wrongOf({ kind, isNeeded }: DeclaredInput, value: unknown): string | null {
  const t = formTexts()
  if (value === undefined) return isNeeded ? t.needed : null
  const isWhole = kind === 'integer' || kind === 'integers'
  if (kind === 'number' || kind === 'integer')
    return typeof value !== 'number' ? t.noNumber : isWhole && !Number.isInteger(value) ? t.noWhole : null
  if (kind === 'json') return typeof value === 'string' ? t.noJson : null
  if (kind !== 'numbers' && kind !== 'integers') return null
  const lines: unknown[] = Array.isArray(value) ? value : [value]
  const fits = (one: unknown) => (isWhole ? Number.isInteger(one) : typeof one === 'number')
  const wrong = lines.findIndex((one) => !fits(one))
  return wrong < 0 ? null : t.wrongLine(wrong + 1, isWhole ? t.noWhole : t.noNumber)
}

/** What the server says of inputs, each at its field; of an item of a list with the number of its line. */
export function refusedInputs(error: unknown, inputs: readonly DeclaredInput[]): FormRefusal {
  if (!(error instanceof ApiProblem) || error.errors.length === 0) return { fields: {}, rest: errorText(error) }
  const fields: Record<string, string> = {}
  const rest: string[] = []
  for (const { path, message } of error.errors) {
    const within = path.startsWith('inputs.') ? path.slice('inputs.'.length) : ''
    const input = inputs.find(({ name }) => within === name || within.startsWith(`${name}.`))
    const text = refusalText(message)
    const line = input && isListed(input) ? /^\d+$/.exec(within.slice(input.name.length + 1)) : null
    if (!input) rest.push(path === '' ? text : labelledText(path, text))
    else fields[input.name] ??= line ? formTexts().wrongLine(Number(line[0]) + 1, text) : text
  }
  return { fields, rest: rest.length === 0 ? null : clausesText(rest) }
}
