import { type Language, languageTag } from '../domain/language.ts'
import { en, type TerminalTexts } from './texts-en.ts'
import { zhCN } from './texts-zh-cn.ts'

export type { TerminalTexts } from './texts-en.ts'

/** The language of the terminal: LC_ALL, else LC_MESSAGES, else LANG (POSIX); English when none says Chinese. */
export function terminalLanguage(env: Record<string, string | undefined>): Language {
  const locale = env['LC_ALL'] || env['LC_MESSAGES'] || env['LANG'] || ''
  return /^zh\b|^zh_/i.test(locale) ? 'zh-CN' : 'en'
}

/** The language that the terminal asks servers for, as a BCP 47 tag; undefined: its locale names none. */
export function requestLanguage(env: Record<string, string | undefined>): string | undefined {
  const locale = env['LC_ALL'] || env['LC_MESSAGES'] || env['LANG'] || ''
  const [tag] = locale.replaceAll('_', '-').split(/[.@]/, 1)
  return tag && tag !== 'C' && tag !== 'POSIX' && languageTag().safeParse(tag).success ? tag : undefined
}

export const textsOf = (language: Language): TerminalTexts => (language === 'zh-CN' ? zhCN : en)
