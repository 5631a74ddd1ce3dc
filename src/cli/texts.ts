import { type Language, languageTag, localeIn } from '../domain/language.ts'
import { en, type TerminalTexts } from './texts-en.ts'
import { zhCN } from './texts-zh-cn.ts'

export { terminalLanguage } from '../domain/language.ts'
export type { TerminalTexts } from './texts-en.ts'

/** The language that the terminal asks servers for, as a BCP 47 tag; undefined: its locale names none. */
export function requestLanguage(env: Record<string, string | undefined>): string | undefined {
  const [tag] = localeIn(env).replaceAll('_', '-').split(/[.@]/, 1)
  return tag && tag !== 'C' && tag !== 'POSIX' && languageTag().safeParse(tag).success ? tag : undefined
}

export const textsOf = (language: Language): TerminalTexts => (language === 'zh-CN' ? zhCN : en)
