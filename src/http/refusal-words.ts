import type { problemBody } from '../domain/problem.ts'
import { withSchemaWords } from '../domain/schema-words.ts'
import type { ErrorWords } from './openapi/error-shape.ts'
import { DETAILS_ZH, PHRASES_ZH, TITLES_ZH, WORDS_ZH } from './refusal-phrases.ts'

export type ProblemBody = ReturnType<typeof problemBody>

/** What is longer holds texts of others, and stays as it is. */
const CHARS_MAX = 1_000

/** The words of an error in Chinese, for a door that gives them a shape of its own. */
export function wordsInChinese({ detail, issues }: ErrorWords): ErrorWords {
  return {
    detail: said(detail, details()),
    issues: issues.map(({ path, message }) => ({ path, message: phraseOf(message) })),
  }
}

/** A refusal of our own API in Chinese: its title, its detail, and what is said of each place. What has no Chinese stays English. */
export function refusalInChinese(body: ProblemBody): ProblemBody {
  const { errors } = body
  return {
    ...body,
    title: TITLES_ZH[body.code],
    detail: said(body.detail, details()),
    ...(errors ? { errors: errors.map(({ path, message }) => ({ path, message: phraseOf(message) })) } : {}),
  }
}

/** What is said of a value that does not fit, in Chinese; null: it has none. */
export function phraseInChinese(english: string): string | null {
  const chinese = phraseOf(english)
  return chinese === english ? null : chinese
}

/** The sentences of a validator may stand within one of ours. */
const phraseOf = (english: string): string => withSchemaWords('zh-CN', said(english, phrases()))

interface Phrase {
  pattern: RegExp
  /** What each gap of the English is: `''` any text. */
  gaps: string[]
  chinese: string
}

const GAP = /\{([nwp]?)\}/
const FORMS: Readonly<Record<string, string>> = { n: String.raw`(-?\d+)`, w: '([^]+?)', p: '([^]+)', '': '([^]*?)' }

/** Made when the first refusal is said in Chinese. */
let read: { phrases: Phrase[]; details: Phrase[] } | undefined
const all = () => (read ??= { phrases: phrasesOf(PHRASES_ZH), details: phrasesOf(DETAILS_ZH) })
const phrases = () => all().phrases
const details = () => all().details

function phrasesOf(table: Readonly<Record<string, string>>): Phrase[] {
  return Object.entries(table).map(([english, chinese]) => {
    // Texts and gaps in turn.
    const parts = english.split(GAP)
    const source = parts.map((part, index) => (index % 2 === 0 ? literal(part) : (FORMS[part] ?? ''))).join('')
    return { pattern: new RegExp(`^${source}$`), gaps: parts.filter((_, index) => index % 2 === 1), chinese }
  })
}

function literal(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
}

function said(english: string, table: readonly Phrase[]): string {
  if (english.length > CHARS_MAX) return english
  for (const { pattern, gaps, chinese } of table) {
    const found = pattern.exec(english)?.slice(1)
    if (!found) continue
    const filled = found.map((text, index) => inGap(text, gaps[index] ?? '', table)).values()
    return chinese.replaceAll('{}', () => filled.next().value ?? '')
  }
  return english
}

function inGap(text: string, gap: string, table: readonly Phrase[]): string {
  if (gap === 'p') return said(text, table)
  return gap === 'w' && Object.hasOwn(WORDS_ZH, text) ? (WORDS_ZH[text] ?? text) : text
}
