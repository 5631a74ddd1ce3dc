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

/** Characters that one message has at most in a transcript, and where that stands for a summary. */
const MESSAGE_CHARS_MAX = 4_000
const SHORT_MESSAGE_CHARS_MAX = 400

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

/** What stands for the summary that a model did not write: what was said, shortened, without what tools gave. */
export function saidInShort(input: CompactInput): string {
  const { messages, earlier, language, budgetTokens } = input
  const said = messages.filter(({ role }) => role === 'user' || role === 'assistant')
  // A character takes a token at most.
  const before = earlier === null ? null : clipped(earlier, language, Math.floor(budgetTokens / 2))
  return transcript({ ...input, messages: said, earlier: before }, SHORT_MESSAGE_CHARS_MAX)
}

/** Messages as text, newest kept when not all fit. */
function transcript(
  { messages, isCut, earlier, language, budgetTokens }: CompactInput,
  charsMax = MESSAGE_CHARS_MAX,
): string {
  const texts = TEXTS[language]
  const lines = messages.filter(({ kind }) => kind !== 'prompt').map((message) => line(message, language, charsMax))
  const head = earlier === null ? [] : [`[${texts.earlier}]\n${earlier}`]
  let left = budgetTokens - estimateTokens(head.join(''))
  const first = lines.findLastIndex((text) => (left -= estimateTokens(text)) < 0) + 1
  const note = first === 0 && !isCut ? [] : [texts.leftOut]
  return [...head, ...note, ...lines.slice(first)].join('\n\n')
}

function line(message: Message, language: Language, charsMax: number): string {
  const { roles } = TEXTS[language]
  const calls = (message.tool_calls ?? []).map((call) => `${call.name} ${JSON.stringify(call.arguments)}`)
  const said = [contentText(message.content, language), ...calls].map((text) => clipped(text, language, charsMax))
  return `[${roles[message.role]}]\n${said.join('\n')}`
}

function clipped(text: string, language: Language, charsMax: number): string {
  if (text.length <= charsMax) return text
  const half = Math.floor(charsMax / 2)
  return `${text.slice(0, half).toWellFormed()}\n${TEXTS[language].cut}\n${text.slice(-half).toWellFormed()}`
}
