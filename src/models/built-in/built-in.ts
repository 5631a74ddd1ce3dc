import type { ModelReply, ModelRequest, RawToolCall } from '../../domain/model.ts'
import { LIMITS } from '../../domain/limits.ts'
import { estimateReply, estimateRequest } from '../estimate.ts'
import type { ModelProvider } from '../provider.ts'
import { webAddressesIn, addressKey, type ReadConversation, readConversation } from './conversation.ts'
import { introductionText, summaryText } from './answer-text.ts'
import { TEXTS } from './texts.ts'

/** UTF-16 units, about, of each piece in which a reply is told. */
const PIECE_CHARS = 24

interface Step {
  tool: 'web_access' | 'finish'
  /** The one argument of the tool: the address, or the answer. */
  value: string
}

/** The model that needs no key and no network: the same request has the same reply. It reads the addresses of the task one
 *  after the other, none twice, and finishes with what it found; it never does anything else. */
export const builtIn: ModelProvider = {
  ask: ({ spec, request, observer }) => {
    const talk = readConversation(request)
    const reply = replyOf(nextStep(talk, spec.maxTokens), talk, request)
    for (const piece of piecesOf(reply.content)) observer.onDelta('content', piece)
    for (const [place, { name, arguments: args }] of reply.toolCalls.entries())
      for (const [index, text] of piecesOf(args).entries())
        observer.onArguments({ call: place, name, text, isFirst: index === 0 })
    return Promise.resolve({ ok: true, reply })
  },
}

function nextStep(talk: ReadConversation, tokensMax: number): Step {
  const addresses = webAddressesIn(talk.task)
  const seen = new Set(talk.visits.map((visit) => addressKey(visit.address)))
  const unread = addresses.filter((address) => !seen.has(addressKey(address)))
  const next = unread[0]
  if (next !== undefined && talk.canRead && talk.visits.length < LIMITS.model.builtInAddressesMax) {
    return { tool: 'web_access', value: next }
  }
  if (talk.visits.length === 0) return { tool: 'finish', value: introductionText(talk, addresses.length > 0) }
  return { tool: 'finish', value: summaryText(talk, unread.length, tokensMax) }
}

function replyOf(step: Step, talk: ReadConversation, request: ModelRequest): ModelReply {
  const content = contentOf(step, talk)
  const toolCalls = talk.form === 'native' && isOffered(step, talk) ? [nativeCall(step, talk)] : []
  return {
    content,
    reasoning: '',
    toolCalls,
    stopReason: toolCalls.length > 0 ? 'tool_calls' : 'stop',
    usage: {
      prompt_tokens: estimateRequest(request),
      completion_tokens: estimateReply(content, '', toolCalls),
      cached_tokens: 0,
      reasoning_tokens: 0,
    },
  }
}

function contentOf(step: Step, talk: ReadConversation): string {
  const texts = TEXTS[talk.language]
  if (!isOffered(step, talk)) return step.value
  const finishing = talk.visits.length > 0 ? texts.done : texts.answering
  const words = step.tool === 'web_access' ? texts.reading(step.value) : finishing
  return talk.form === 'native' ? words : `${words}\n\n${tagCall(step, talk)}`
}

function isOffered({ tool }: Step, talk: ReadConversation): boolean {
  return tool === 'finish' ? talk.canFinish : talk.canRead
}

function nativeCall({ tool, value }: Step, talk: ReadConversation): RawToolCall {
  const args = tool === 'web_access' ? { url: value } : { reason: value }
  return { id: `call_${talk.visits.length + 1}`, name: tool, arguments: JSON.stringify(args) }
}

const TAGS = {
  'zh-CN': { web_access: ['网页访问', '地址'], finish: ['完成会话', '理由'] },
  en: { web_access: ['web_access', 'url'], finish: ['finish', 'reason'] },
} as const

function tagCall({ tool, value }: Step, { language }: ReadConversation): string {
  const [name, parameter] = TAGS[language][tool]
  return `<${name}>\n<${parameter}>${withoutTags(value)}</${parameter}>\n</${name}>`
}

/** Tags quoted from a page could end the value, or read as thinking that never ends: they get full-width brackets. */
function withoutTags(value: string): string {
  return value.replace(/<(?=[/\p{L}])/gu, '＜')
}

function piecesOf(text: string): string[] {
  const chars = Array.from(text)
  const count = Math.ceil(chars.length / PIECE_CHARS)
  return Array.from({ length: count }, (_, i) => chars.slice(i * PIECE_CHARS, (i + 1) * PIECE_CHARS).join(''))
}
