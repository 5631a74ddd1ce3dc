import type { Localized } from './language.ts'

/** The tools that only say how a run goes on, and what each language calls them. */
export const CONTROL_TOOL_NAMES = {
  rethink: { 'zh-CN': '再度思考', en: 'rethink' },
  ask: { 'zh-CN': '提问', en: 'ask' },
  finish: { 'zh-CN': '完成会话', en: 'finish' },
} as const satisfies Record<string, Localized>
