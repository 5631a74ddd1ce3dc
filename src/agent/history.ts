import type { Language } from '../domain/language.ts'
import type { Message, ToolCall } from '../domain/message.ts'
import type { WireMessage } from '../domain/model.ts'
import { notRunText } from './texts.ts'
import { type NamedTool, shownName } from './tool-names.ts'

export interface CallTurn {
  call: ToolCall
  /** Content of its one result. */
  result: string
}

/** A history in the shape that any protocol can write: what is said to the model, and its replies with their calls. */
export type Turn = { role: 'user'; content: string } | { role: 'assistant'; message: Message; calls: CallTurn[] }

interface OpenCall {
  call: ToolCall
  result: string | null
}

type OpenTurn = { role: 'user'; content: string } | { role: 'assistant'; message: Message; calls: OpenCall[] }

/** Bring a history in order: prompts left out; each call with exactly one result (one that has none was interrupted);
 *  approvals and answers left out where a call's result carries their words; results whose call is not there, warnings and
 *  other system messages said as user messages; nothing empty. */
export function turnsOf(messages: readonly Message[], tools: readonly NamedTool[], language: Language): Turn[] {
  const turns: OpenTurn[] = []
  const open: OpenCall[] = []
  for (const message of messages) {
    if (message.kind !== 'prompt') addMessage(turns, open, message)
  }
  return turns.flatMap((turn) => closed(turn, tools, language))
}

function addMessage(turns: OpenTurn[], open: OpenCall[], message: Message): void {
  if (message.role === 'assistant') {
    const calls = (message.tool_calls ?? []).map((call) => ({ call, result: null }))
    open.push(...calls)
    turns.push({ role: 'assistant', message, calls })
    return
  }
  if (message.role === 'tool' && answersCall(open, message)) return
  if (open.length > 0 && message.role === 'user' && (message.kind === 'approval' || message.kind === 'answer')) return
  turns.push({ role: 'user', content: message.content })
}

/** Give the result to its call: the latest open one of its id; the first open one if the result names none. */
function answersCall(open: OpenCall[], { tool_call_id: id, content }: Message): boolean {
  const index = id === undefined ? Math.min(0, open.length - 1) : open.findLastIndex(({ call }) => call.id === id)
  const [answered] = index < 0 ? [] : open.splice(index, 1)
  if (answered === undefined) return false
  answered.result = content
  return true
}

function closed(turn: OpenTurn, tools: readonly NamedTool[], language: Language): Turn[] {
  if (turn.role === 'user') return turn.content.trim() === '' ? [] : [turn]
  if (turn.calls.length === 0 && turn.message.content.trim() === '') return []
  const calls = turn.calls.map(({ call, result }) => {
    const text = result?.trim() ? result : notRunText(shownName(call.name, tools, language), 'interrupted', language)
    return { call, result: text }
  })
  return [{ ...turn, calls }]
}

/** A history as text: system, user and assistant only. `contentOf` writes what an assistant said, its calls included. */
export function textMessages(
  prompt: string | null,
  turns: readonly Turn[],
  contentOf: (turn: Extract<Turn, { role: 'assistant' }>) => string,
): WireMessage[] {
  const messages = turns.flatMap((turn): WireMessage[] => {
    if (turn.role === 'user') return [turn]
    const results = turn.calls.map(({ result }) => ({ role: 'user' as const, content: result }))
    return [{ role: 'assistant', content: contentOf(turn), ...reasoningOf(turn.message) }, ...results]
  })
  return [...promptMessage(prompt), ...messages]
}

export function promptMessage(prompt: string | null): WireMessage[] {
  return prompt === null || prompt.trim() === '' ? [] : [{ role: 'system', content: prompt }]
}

/** Thoughts that came beside a reply; whether a service is sent them is its model's business. */
export function reasoningOf(message: Message): { reasoning_content?: string } {
  return message.reasoning === undefined || message.reasoning === '' ? {} : { reasoning_content: message.reasoning }
}
