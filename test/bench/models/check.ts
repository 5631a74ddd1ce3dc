import { isObject, parseJson } from '../../../src/lib/json.ts'
import { fitAnswer } from '../../../src/skills/output-schema.ts'
import type { Check, ModelTask } from './task.ts'

/** What a task came to: the answer, and a file of the workspace (null: there is none). */
export interface Work {
  answer: string
  fileText: (path: string) => Promise<string | null>
}

/** Whether the work is right. An answer that only gives back what it was given never is. */
export async function isRight(task: ModelTask, { answer, fileText }: Work): Promise<boolean> {
  const { check } = task
  if ('file' in check) return hasWords(check, (await fileText(check.file)) ?? '')
  if ('contains' in check) return hasWords(check, answer)
  if ('number' in check) return hasNumber(check.number, answer, task.text)
  return hasMembers(check.json, answer, task.schema ?? {})
}

function hasWords({ contains, without }: Extract<Check, { contains: unknown }>, text: string): boolean {
  const read = plain(text)
  const has = (word: string) => wordPattern(plain(word)).test(read)
  return contains.every((ways) => ways.some(has)) && !without.some(has)
}

/** Letters of the Latin alphabet and digits stand for themselves only as whole words. */
function wordPattern(word: string): RegExp {
  const text = word.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
  const [before, after] = [/^[a-z0-9]/.test(word), /[a-z0-9]$/.test(word)]
  return new RegExp(`${before ? '(?<![a-z0-9])(?<![0-9][.,:])' : ''}${text}${after ? '(?![a-z0-9])' : ''}`)
}

/** One form for full and half width, small figures, upper and lower case, with and without accents. */
function plain(text: string): string {
  return text.normalize('NFKD').replaceAll(/\p{M}/gu, '').normalize('NFKC').toLowerCase()
}

function hasNumber(wanted: number, answer: string, asked: string): boolean {
  const given = new Set(numbersIn(asked))
  const own = numbersIn(answer).filter((number) => !given.has(number))
  return own[0] === wanted || own.at(-1) === wanted
}

function numbersIn(text: string): number[] {
  return (plain(text).match(/\d+(?:[.,]\d+)*/g) ?? []).map((number) => Number(number.replaceAll(',', '')))
}

function hasMembers(wanted: Record<string, unknown>, answer: string, schema: Record<string, unknown>): boolean {
  const fitted = fitAnswer(answer, schema)
  const value = fitted.ok ? parseJson(fitted.json) : null
  if (!isObject(value)) return false
  return Object.entries(wanted).every(([name, one]) => {
    const given = value[name]
    return typeof one === 'string' && typeof given === 'string' ? plain(one) === plain(given).trim() : one === given
  })
}
