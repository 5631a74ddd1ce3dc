import { PROMPTS } from '../../configs/prompts/index.ts'
import { contentText } from '../domain/content.ts'
import type { Language } from '../domain/language.ts'
import type { Message } from '../domain/message.ts'
import type { ModelRequest } from '../domain/model.ts'
import { estimateTokens } from '../lib/text.ts'

const TEXTS = {
  'zh-CN': {
    roles: { user: '用户', assistant: '智能体', tool: '工具结果', system: '系统' },
    earlier: '更早的摘要',
    head: '以下是此前对话的摘要，原文已经略去：',
    cut: '……（略）……',
    leftOut: '（更早的消息过长，没有列出。）',
  },
  en: {
    roles: { user: 'User', assistant: 'Agent', tool: 'Tool result', system: 'System' },
    earlier: 'Earlier summary',
    head: 'A summary of the conversation so far; the original is left out:',
    cut: '… (cut) …',
    leftOut: '(Earlier messages are too long to be listed.)',
  },
} as const

/** Characters that one message has at most in a transcript. */
const MESSAGE_CHARS_MAX = 4_000

export interface CompactInput {
  messages: readonly Message[]
  /** True: older messages are not among them. */
  isCut: boolean
  /** The summary of what came before those. */
  earlier: string | null
  language: Language
  /** Tokens that the transcript may take. */
  budgetTokens: number
}

/** The request that has a model summarise messages; without tools. */
export function compactRequest(input: CompactInput): ModelRequest {
  return {
    messages: [
      { role: 'system', content: PROMPTS[input.language].compact.trim() },
      { role: 'user', content: transcript(input) },
    ],
  }
}

/** The content of the message that takes the place of what was summarised. */
export function summaryContent(summary: string, language: Language): string {
  return `${TEXTS[language].head}\n\n${summary.trim()}`
}

/** Messages as text, newest kept when not all fit. */
function transcript({ messages, isCut, earlier, language, budgetTokens }: CompactInput): string {
  const texts = TEXTS[language]
  const lines = messages.filter(({ kind }) => kind !== 'prompt').map((message) => line(message, language))
  const head = earlier === null ? [] : [`[${texts.earlier}]\n${earlier}`]
  let left = budgetTokens - estimateTokens(head.join(''))
  const first = lines.findLastIndex((text) => (left -= estimateTokens(text)) < 0) + 1
  const note = first === 0 && !isCut ? [] : [texts.leftOut]
  return [...head, ...note, ...lines.slice(first)].join('\n\n')
}

function line(message: Message, language: Language): string {
  const { roles } = TEXTS[language]
  const calls = (message.tool_calls ?? []).map((call) => `${call.name} ${JSON.stringify(call.arguments)}`)
  return `[${roles[message.role]}]\n${[contentText(message.content, language), ...calls].map((text) => clipped(text, language)).join('\n')}`
}

function clipped(text: string, language: Language): string {
  if (text.length <= MESSAGE_CHARS_MAX) return text
  const half = MESSAGE_CHARS_MAX / 2
  return `${text.slice(0, half).toWellFormed()}\n${TEXTS[language].cut}\n${text.slice(-half).toWellFormed()}`
}
