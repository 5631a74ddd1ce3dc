import { isUnseen } from '../../client/reply-filter.ts'
import { contentText } from '../../domain/content.ts'
import type { EventType, SessionEvent } from '../../domain/event.ts'
import type { Message, ToolCall } from '../../domain/message.ts'
import { isCutReason } from '../../domain/cut-reason.ts'
import type { StreamAbout } from '../../session/queries/projection.ts'
import { isObject } from '../../lib/json.ts'
import { isControl } from '../../tools/control.ts'
import { type ReplyReading, textsIn } from '../kernel/said-reply.ts'
import { CUT, ofAgent } from './frames.ts'
import { Invocations } from './subagents.ts'
import { answerId, resultId, thoughtsId } from './texts.ts'

/** A conversation as it stands in the log, in the messages that its clients were told. */

interface ToldCall {
  id: string
  type: 'function'
  function: { name: string; arguments: string }
}

export interface RestatedMessage {
  id: string
  role: 'user' | 'assistant' | 'tool' | 'reasoning'
  content?: string | object[]
  toolCalls?: ToldCall[]
  toolCallId?: string
  subagentRunId?: string
  metadata?: typeof CUT.metadata
}

const EVENTS: readonly EventType[] = [
  'run-start',
  'run-resume',
  'run-end',
  'message',
  'model-start',
  'model-end',
  'tool-start',
  'pending',
  'plan',
  'task-start',
  'task-end',
  'task-retry',
  'round-start',
  'round-end',
]
const USERS: readonly Message['kind'][] = ['task', 'steer', 'approval', 'answer']

/** The messages of all events before one. */
export function transcriptBefore(
  about: Pick<StreamAbout, 'past'>,
  seq: number,
  reading: ReplyReading,
): RestatedMessage[] {
  const transcript = new Transcript(reading)
  for (const event of about.past(EVENTS)) {
    if (event.seq >= seq) break
    transcript.add(event)
  }
  return transcript.messages
}

class Transcript {
  readonly messages: RestatedMessage[] = []
  readonly #reading: ReplyReading
  readonly #agents = new Invocations()
  readonly #unseen = new Set<string>()
  /** Calls by their ids: the message that holds each. */
  readonly #calls = new Map<string, { call: ToolCall; message: string; agent: string | null }>()
  /** Calls that were told, under the id by which their reader knows them. */
  readonly #told = new Map<string, string>()
  readonly #byId = new Map<string, RestatedMessage>()
  /** What the agent itself said last in the run. */
  #last = ''
  /** What clients call the results that they gave. */
  #given: Readonly<Record<string, unknown>> = {}

  constructor(reading: ReplyReading) {
    this.#reading = reading
  }

  #push(message: RestatedMessage): void {
    this.messages.push(message)
    this.#byId.set(message.id, message)
    const { role, content, subagentRunId } = message
    if (role === 'assistant' && typeof content === 'string' && subagentRunId === undefined) this.#last = content
  }

  add(event: SessionEvent): void {
    this.#agents.follow(event)
    if (event.type === 'run-start') this.#last = ''
    if (event.type === 'message') this.#message(event.message, this.#agents.of(event.scope))
    if (event.type === 'model-start' && isUnseen(event.purpose)) this.#unseen.add(event.message_id)
    if (event.type === 'model-end' && event.ok && isCutReason(event.finish_reason)) this.#cut(event.message_id)
    if (event.type === 'tool-start' && !event.client) this.#tell(event.call_id, event.call_id)
    if (event.type === 'pending' && event.pending.type !== 'question' && event.pending.call_id !== undefined)
      this.#tell(event.pending.call_id, event.pending.type === 'tool_call' ? event.pending.id : event.pending.call_id)
    if (event.type === 'run-start' || event.type === 'run-resume') this.#given = resultNames(event.door)
    if (event.type === 'run-end' && event.status === 'completed') this.#ends(event)
  }

  #message(message: Message, agent: string | null): void {
    const { id, client_id: theirs = id, role, kind, scope, content, given } = message
    if (role === 'user' && scope === null && USERS.includes(kind))
      this.#push({ id: theirs, role: 'user', content: shownContent(content) })
    if (role === 'tool') this.#result(message, agent)
    if (role !== 'assistant' || this.#unseen.has(id)) return
    if (given) return this.#givenReply(message)
    const { thoughts, words, answer } = textsIn(message, this.#reading)
    const whose = ofAgent(agent)
    if (thoughts !== '') this.#push({ id: thoughtsId(id), role: 'reasoning', content: thoughts, ...whose })
    if (words !== '') this.#push({ id, role: 'assistant', content: words, ...whose })
    if (answer !== '') this.#push({ id: answerId(id), role: 'assistant', content: answer, ...whose })
    for (const call of message.tool_calls ?? []) this.#calls.set(call.id, { call, message: id, agent })
  }

  #cut(id: string): void {
    const held = this.#byId.get(answerId(id)) ?? this.#byId.get(id)
    if (held) Object.assign(held, CUT)
  }

  /** What a client said that an agent had said. */
  #givenReply({ id, client_id: theirs = id, content, tool_calls: calls = [] }: Message): void {
    const words = contentText(content, null)
    this.#push({
      id: theirs,
      role: 'assistant',
      ...(words === '' ? {} : { content: words }),
      ...(calls.length > 0 ? { toolCalls: calls.map((call) => toldCall(call.id, call)) } : {}),
    })
    for (const { id: call } of calls) this.#told.set(call, call)
  }

  #tell(callId: string, told: string): void {
    const found = this.#calls.get(callId)
    if (!found || isControl(found.call.name) || this.#told.has(callId)) return
    this.#told.set(callId, told)
    const held = this.#byId.get(found.message)
    const call = toldCall(told, found.call)
    if (held) held.toolCalls = [...(held.toolCalls ?? []), call]
    else this.#push({ id: found.message, role: 'assistant', toolCalls: [call], ...ofAgent(found.agent) })
  }

  #result({ id, client_id: theirs = id, tool_call_id: callId, content }: Message, agent: string | null): void {
    const told = callId === undefined ? undefined : this.#told.get(callId)
    if (told === undefined) return
    const name = this.#given[told]
    this.#push({
      id: typeof name === 'string' ? name : theirs,
      role: 'tool',
      toolCallId: told,
      content: contentText(content, null),
      ...ofAgent(agent),
    })
  }

  #ends({ run_id: run, result }: SessionEvent & { type: 'run-end' }): void {
    const words = (result ?? '').trim()
    if (words === '' || this.#last.trim() === words) return
    this.#push({ id: resultId(run ?? ''), role: 'assistant', content: result ?? '' })
  }
}

function toldCall(id: string, { name, arguments: args }: ToolCall): ToldCall {
  return { id, type: 'function', function: { name, arguments: JSON.stringify(args) } }
}

/** What a request said of its results, as the log keeps it. */
function resultNames(door: Readonly<Record<string, unknown>> | undefined): Readonly<Record<string, unknown>> {
  const kept = door?.['ag-ui']
  const names = isObject(kept) ? kept['results'] : null
  return isObject(names) ? names : {}
}

/** Files stay in the workspace: a message names them. */
function shownContent(content: Message['content']): string | object[] {
  if (typeof content === 'string') return content
  return content.map((part) => {
    if (part.type === 'text') return { type: 'text', text: part.text }
    if (part.type === 'data') return { type: 'text', text: JSON.stringify(part.data) }
    const { path, media_type: mimeType, name } = part
    const source = { type: 'file', value: path, provider: 'yaa', mimeType }
    return {
      type: part.type === 'image' ? 'image' : 'document',
      source,
      ...(name ? { metadata: { filename: name } } : {}),
    }
  })
}

/** Whether a conversation has files, which are not told again. */
export function hasFiles(messages: readonly RestatedMessage[]): boolean {
  return messages.some(({ content }) => Array.isArray(content) && content.some((part) => 'source' in part))
}
