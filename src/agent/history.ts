import { contentText } from '../domain/content.ts'
import type { Language } from '../domain/language.ts'
import { type Message, type ToolCall, toolIdOf } from '../domain/message.ts'
import type { ModelMessage } from '../domain/model.ts'
import { answerLesson, type Spoken } from './lesson.ts'
import { cutReplyText, isNoCallWarning, notRunText } from './texts.ts'
import { textBesideCalls } from './text-calls.ts'
import { type NamedTool, displayName } from './tool-names.ts'

export interface CallTurn {
  call: ToolCall
  /** Content of its one result. */
  result: string
}

/** A history in the shape that any protocol can write: what is said to the model, and its replies with their calls. */
export type Turn = UserTurn | AssistantTurn<CallTurn>
export type ReplyTurn = AssistantTurn<CallTurn>

interface UserTurn {
  role: 'user'
  content: string
}

interface AssistantTurn<C> {
  role: 'assistant'
  content: string
  reasoning: string
  calls: C[]
}

interface OpenCall {
  call: ToolCall
  result: string | null
}

type OpenTurn = UserTurn | AssistantTurn<OpenCall>

/** Bring a history in order: prompts left out; each call with exactly one result (one that has none was interrupted);
 *  approvals and answers left out where a call's result carries their words; results whose call is not there, warnings and
 *  other system messages said as user messages, with how it is done after the warning that nothing was called; nothing empty. */
export function turnsOf(messages: readonly Message[], tools: readonly NamedTool[], spoken: Spoken): Turn[] {
  const { language } = spoken
  const turns: OpenTurn[] = []
  const open: OpenCall[] = []
  for (const message of messages) {
    if (message.kind === 'prompt') continue
    const content = contentText(message.content, language)
    const said = turns.at(-1)
    addMessage(turns, open, message, content, language)
    if (message.kind === 'warning' && isNoCallWarning(content)) turns.push(...lessonOn(said, tools, spoken))
  }
  return turns.flatMap((turn) => closed(turn, tools, language))
}

/** How a reply is given as the answer. It is the last word: weak models answer that, and to the bare warning they speak of the warning. */
function lessonOn(reply: OpenTurn | undefined, tools: readonly NamedTool[], spoken: Spoken): UserTurn[] {
  if (reply?.role !== 'assistant' || reply.calls.length > 0) return []
  const lesson = answerLesson(textBesideCalls(reply.content), tools, spoken)
  return lesson === null ? [] : [{ role: 'user', content: lesson }]
}

function addMessage(turns: OpenTurn[], open: OpenCall[], message: Message, content: string, language: Language): void {
  const { role, kind, reasoning = '', tool_calls: called = [] } = message
  if (role === 'assistant') {
    const calls = called.map((call) => ({ call: { ...call, name: toolIdOf(call) }, result: null }))
    open.push(...calls)
    turns.push({ role, content, reasoning, calls })
    if (message.cut) turns.push({ role: 'user', content: cutReplyText(language) })
    return
  }
  if (role === 'tool' && answersCall(open, message.tool_call_id, content)) return
  if (open.length > 0 && role === 'user' && (kind === 'approval' || kind === 'answer')) return
  turns.push({ role: 'user', content })
}

/** Give the result to its call: the latest open one of its id; the first open one if the result names none. */
function answersCall(open: OpenCall[], id: string | undefined, result: string): boolean {
  const index = id === undefined ? Math.min(0, open.length - 1) : open.findLastIndex(({ call }) => call.id === id)
  const [answered] = index < 0 ? [] : open.splice(index, 1)
  if (answered === undefined) return false
  answered.result = result
  return true
}

function closed(turn: OpenTurn, tools: readonly NamedTool[], language: Language): Turn[] {
  if (turn.role === 'user') return turn.content.trim() === '' ? [] : [turn]
  if (turn.calls.length === 0 && turn.content.trim() === '') return []
  const calls = turn.calls.map(({ call, result }) => {
    const text = result?.trim() ? result : notRunText(displayName(call.name, tools, language), 'interrupted', language)
    return { call, result: text }
  })
  return [{ ...turn, calls }]
}

/** The prompt as the first message; none where there is none. */
export function promptMessage(prompt: string | null): ModelMessage[] {
  return prompt === null || prompt.trim() === '' ? [] : [{ role: 'system', content: prompt }]
}

/** What an assistant said, with its thoughts beside it; whether a service is sent them is its provider's business. */
export function saidMessage(content: string, { reasoning }: ReplyTurn): Extract<ModelMessage, { role: 'assistant' }> {
  return { role: 'assistant', content, ...(reasoning === '' ? {} : { reasoning }) }
}
