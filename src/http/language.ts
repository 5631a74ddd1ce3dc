import type { Context } from 'hono'
import type { SessionConfig } from '../domain/config.ts'
import { type Language, languageOf, languageOfWords } from '../domain/language.ts'
import type { AppEnv } from './context.ts'
import { dependsOn } from './negotiate.ts'

/** Ranges of one header that are looked at. */
const RANGES_MAX = 20
const RANGE = /^([A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8}){0,3})(?:\s*;\s*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?))?$/

/** A session's input in the language of its request (`Accept-Language`, RFC 9110 §12.5.4), else in that of its words. One that names its
 *  language stays, and so does one of which neither is known: it is in the server's. */
export function inRequestLanguage<T extends { config?: SessionConfig | undefined }>(
  c: Context,
  input: T,
  words: string,
): T {
  if (input.config?.language !== undefined) return input
  const language = wantedLanguage(c.req.header('accept-language') ?? '') ?? languageOfWords(words)
  return language === null ? input : { ...input, config: { ...input.config, language } }
}

/** The language that a request asks for, as a BCP 47 tag; null: it asks for none. */
export function languageAsked(c: Context<AppEnv>): string | null {
  dependsOn(c, 'Accept-Language')
  return wantedLanguage(c.req.header('accept-language') ?? '')
}

/** The language of a request: as it asks, else that of its words; null: neither says. */
export function languageOfRequest(c: Context<AppEnv>, words: string): Language | null {
  const asked = languageAsked(c) ?? languageOfWords(words)
  return asked === null ? null : languageOf(asked)
}

/** A page whose paragraphs stand in both languages, in the one that its reader asks for; in both, where they ask for none. */
export function inPageLanguage(c: Context<AppEnv>, html: string): string {
  const asked = languageAsked(c)
  // The page itself is marked as English, and has one title.
  if (asked === null)
    return html.replaceAll(/<(p|span|title) lang="en">/g, '<$1>').replaceAll(/<title lang="zh-CN">.*?<\/title>/gs, '')
  const language = languageOf(asked)
  return html
    .replace('<html lang="en">', `<html lang="${language}">`)
    .replaceAll(/<(p|span|title) lang="(en|zh-CN)">.*?<\/\1\s*>/gs, (part, _name, of) => (of === language ? part : ''))
}

/** The language that a header wants most. Of languages other than Chinese the region says nothing that an answer would show. */
function wantedLanguage(header: string): string | null {
  const ranges = header.split(',', RANGES_MAX).flatMap((range) => {
    const [, tag = '', quality = '1'] = RANGE.exec(range.trim()) ?? []
    return tag === '' ? [] : [{ tag, quality: Number(quality) }]
  })
  const [best] = ranges.filter(({ quality }) => quality > 0).toSorted((a, b) => b.quality - a.quality)
  if (!best) return null
  return /^zh\b/i.test(best.tag) ? best.tag : (best.tag.split('-')[0]?.toLowerCase() ?? null)
}
