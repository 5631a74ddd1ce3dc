import type { Language } from '../domain/language.ts'
import { en, type TerminalTexts } from './texts-en.ts'
import { zhCN } from './texts-zh-cn.ts'

export type { TerminalTexts } from './texts-en.ts'

/** The language of the terminal: LC_ALL, else LC_MESSAGES, else LANG (POSIX); English when none says Chinese. */
export function terminalLanguage(env: Record<string, string | undefined>): Language {
  const locale = env['LC_ALL'] || env['LC_MESSAGES'] || env['LANG'] || ''
  return /^zh\b|^zh_/i.test(locale) ? 'zh-CN' : 'en'
}

export const textsOf = (language: Language): TerminalTexts => (language === 'zh-CN' ? zhCN : en)
