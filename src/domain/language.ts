import * as z from 'zod'
import { onDemand, type ShapeOf } from '../lib/shape.ts'

/** A text in every language of the product. */
export const localized = /* @__PURE__ */ onDemand(() => z.object({ 'zh-CN': z.string(), en: z.string() }))
export type Localized = Readonly<ShapeOf<typeof localized>>

/** The two languages that prompts, tools and messages to a person are written in. */
export type Language = keyof Localized

export const languageTag = /* @__PURE__ */ onDemand(() =>
  z
    .string()
    .regex(/^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/, 'a BCP 47 tag such as zh-CN or en')
    .max(35),
)

/** Letters that are no words of who writes: addresses, fenced code and names of fields of JSON. */
const NO_WORDS = /https?:\/\/[!-~]+|```[^]*?(?:```|$)|"\w+":/gi

/** The language of a text by its letters: Chinese where Chinese characters are at least a third of them, each counted as two letters, and
 *  none is Japanese; else English; null: it has no letters. */
export function languageOfWords(text: string): Language | null {
  const all = lettersOf(text)
  if (all === '') return null
  const letters = lettersOf(text.replaceAll(NO_WORDS, ' ')) || all
  const han = letters.replaceAll(/\P{Script=Han}+/gu, '').length * 2
  const others = letters.replaceAll(/\p{Script=Han}+/gu, '').length
  const isJapanese = /[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(letters)
  return han > 0 && han * 3 >= han + others && !isJapanese ? 'zh-CN' : 'en'
}

function lettersOf(text: string): string {
  return text.replaceAll(/\P{L}+/gu, '')
}

/** The product language that serves a BCP 47 tag: Chinese of any script or region, English for the rest. */
export function languageOf(tag: string): Language {
  return /^zh\b/i.test(tag) ? 'zh-CN' : 'en'
}

type Environment = Readonly<Record<string, string | undefined>>

/** The locale of a process for what it says: LC_ALL, else LC_MESSAGES, else LANG (POSIX); empty: none. */
export function localeIn(env: Environment): string {
  return env['LC_ALL'] || env['LC_MESSAGES'] || env['LANG'] || ''
}

/** The language of a terminal; English when its locale does not say Chinese. */
export function terminalLanguage(env: Environment): Language {
  return /^zh\b|^zh_/i.test(localeIn(env)) ? 'zh-CN' : 'en'
}
