import type { Language } from '../domain/language.ts'

/** The sections of the generated prompt, in their order. */
export const SECTIONS = {
  'zh-CN': ['用户任务', '角色', '工具调用指南', '目标', '环境信息', '自定义指示'],
  en: ['user_task', 'role', 'tool_guide', 'goal', 'environment', 'custom_instructions'],
} as const satisfies Record<Language, readonly string[]>

/** The tool guide's place in `SECTIONS`. */
export const TOOL_GUIDE = 2

const NAMES = Object.values(SECTIONS).flat().join('|')
const SECTION_TAG = new RegExp(`<(?=\\s*(?:/\\s*)?(?:${NAMES})(?![\\p{L}\\p{N}_-]))`, 'giu')

/** Text that can neither open nor close a section of a prompt, in either language: the `<` of such tags becomes `&lt;`,
 *  everything else stays as it is. */
export function escapeSections(text: string): string {
  return text.replaceAll(SECTION_TAG, '&lt;')
}

/** A section, its text on lines of its own. */
export function section(name: string, text: string): string {
  return inlineSection(name, `\n${text.trim()}\n`)
}

export function inlineSection(name: string, text: string): string {
  return `<${name}>${text}</${name}>`
}

/** The same text with the inside of the first section of this name replaced; null if it has no such section. */
export function replaceSection(text: string, name: string, inside: string): string | null {
  const start = text.indexOf(`<${name}>`)
  const end = text.indexOf(`</${name}>`, start)
  if (start < 0 || end < 0) return null
  return text.slice(0, start) + section(name, inside) + text.slice(end + name.length + 3)
}
