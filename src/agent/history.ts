import { type Content, type ImagePart, toldPart, toldText } from '../domain/content.ts'
import type { Language } from '../domain/language.ts'
import { type Message, type ToolCall, toolIdOf } from '../domain/message.ts'
import { type ModelContent, type ModelMessage, type ModelPart, textIn } from '../domain/model.ts'
import type { Tool } from '../domain/tool.ts'
import { answerLesson, type Spoken } from './lesson.ts'
import { cutReplyText, isNoCallWarning, notRunText } from './texts.ts'
import { saidToReader } from './text-calls.ts'
import { type NamedTool, displayName } from './tool-names.ts'

export interface CallTurn {
  call: ToolCall
  /** Content of its one result. */
  result: ModelContent
}

/** A history in the shape that any protocol can write: what is said to the model, and its replies with their calls. */
export type Turn = UserTurn | AssistantTurn<CallTurn>
export type ReplyTurn = AssistantTurn<CallTurn>

interface UserTurn {
  role: 'user'
  content: ModelContent
}

/** The bytes of an image in base64, for a model that is shown it; null: it is not, or they are gone. */
export type Pictures = (image: ImagePart) => { mediaType: string; base64: string } | null

interface AssistantTurn<C> {
  role: 'assistant'
  content: string
  reasoning: string
  calls: C[]
}

interface OpenCall {
  call: ToolCall
  result: ModelContent | null
}

type OpenTurn = UserTurn | AssistantTurn<OpenCall>

/** Bring a history in order: prompts left out; each call with exactly one result (one that has none was interrupted);
 *  approvals and answers left out where a call's result carries their words; results whose call is not there, warnings and
 *  other system messages said as user messages, with how it is done after the warning that nothing was called; nothing empty. */
export function turnsOf(
  messages: readonly Message[],
  tools: readonly Tool[],
  spoken: Spoken,
  pictures: Pictures | null = null,
): Turn[] {
  const { language } = spoken
  const turns: OpenTurn[] = []
  const open: OpenCall[] = []
  for (const message of messages) {
    if (message.kind === 'prompt') continue
    const content = modelContent(message.content, language, pictures)
    const said = turns.at(-1)
    addMessage(turns, open, message, content, language)
    if (message.kind === 'warning' && isNoCallWarning(textIn(content))) turns.push(...lessonOn(said, tools, spoken))
  }
  return turns.flatMap((turn) => closed(turn, tools, language))
}

/** How a reply is given as the answer. It is the last word: weak models answer that, and to the bare warning they speak of the warning. */
function lessonOn(reply: OpenTurn | undefined, tools: readonly Tool[], spoken: Spoken): UserTurn[] {
  if (reply?.role !== 'assistant' || reply.calls.length > 0) return []
  const lesson = answerLesson(saidToReader(reply.content, tools), tools, spoken)
  return lesson === null ? [] : [{ role: 'user', content: lesson }]
}

/** A content as a model is told it: images by their bytes where it is shown them, else by a line. */
function modelContent(content: Content, language: Language, pictures: Pictures | null): ModelContent {
  if (typeof content === 'string') return content
  if (pictures === null) return toldText(content, language)
  const parts: ModelPart[] = []
  for (const one of content) {
    const said = toldPart(one, language)
    const last = parts.at(-1)
    if (said.length > 0 && last?.type === 'text')
      parts[parts.length - 1] = { type: 'text', text: [last.text, ...said].join('\n') }
    else if (said.length > 0) parts.push({ type: 'text', text: said.join('\n') })
    const picture = one.type === 'image' ? pictures(one) : null
    if (picture) parts.push({ type: 'image', ...picture })
  }
  return parts.every(({ type }) => type === 'text') ? parts.map((one) => textIn([one])).join('\n') : parts
}

function addMessage(
  turns: OpenTurn[],
  open: OpenCall[],
  message: Message,
  content: ModelContent,
  language: Language,
): void {
  const { role, kind, reasoning = '', tool_calls: called = [] } = message
  if (role === 'assistant') {
    const calls = called.map((call) => ({ call: { ...call, name: toolIdOf(call) }, result: null }))
    open.push(...calls)
    turns.push({ role, content: textIn(content), reasoning, calls })
    if (message.cut) turns.push({ role: 'user', content: cutReplyText(language) })
    return
  }
  if (role === 'tool' && answersCall(open, message.tool_call_id, content)) return
  if (open.length > 0 && role === 'user' && (kind === 'approval' || kind === 'answer')) return
  turns.push({ role: 'user', content })
}

/** Give the result to its call: the latest open one of its id; the first open one if the result names none. */
function answersCall(open: OpenCall[], id: string | undefined, result: ModelContent): boolean {
  const index = id === undefined ? Math.min(0, open.length - 1) : open.findLastIndex(({ call }) => call.id === id)
  const [answered] = index < 0 ? [] : open.splice(index, 1)
  if (answered === undefined) return false
  answered.result = result
  return true
}

function closed(turn: OpenTurn, tools: readonly NamedTool[], language: Language): Turn[] {
  if (turn.role === 'user') return isEmpty(turn.content) ? [] : [turn]
  if (turn.calls.length === 0 && turn.content.trim() === '') return []
  const calls = turn.calls.map(({ call, result }) => {
    const isThere = result !== null && !isEmpty(result)
    if (isThere) return { call, result }
    return { call, result: notRunText(displayName(call.name, tools, language), 'interrupted', language) }
  })
  return [{ ...turn, calls }]
}

function isEmpty(content: ModelContent): boolean {
  return textIn(content).trim() === '' && (typeof content === 'string' || content.every(({ type }) => type === 'text'))
}

/** The prompt as the first message; none where there is none. */
export function promptMessage(prompt: string | null): ModelMessage[] {
  return prompt === null || prompt.trim() === '' ? [] : [{ role: 'system', content: prompt }]
}

/** What an assistant said, with its thoughts beside it; whether a service is sent them is its provider's business. */
export function saidMessage(content: string, { reasoning }: ReplyTurn): Extract<ModelMessage, { role: 'assistant' }> {
  return { role: 'assistant', content, ...(reasoning === '' ? {} : { reasoning }) }
}
