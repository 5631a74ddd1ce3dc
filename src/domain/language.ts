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

/** The language of a text by its letters: Chinese where it has Chinese characters, else English; null: it has no letters. */
export function languageOfWords(text: string): Language | null {
  if (/\p{Script=Han}/u.test(text)) return 'zh-CN'
  return /\p{L}/u.test(text) ? 'en' : null
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
