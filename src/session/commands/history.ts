import type { NewEvent } from '../../domain/event.ts'
import { contentText } from '../../domain/content.ts'
import type { Language } from '../../domain/language.ts'
import { type GivenMessage, type MessageKind, type Role, type ToolCall, toolIdOf } from '../../domain/message.ts'
import type { ModelReply } from '../../domain/model.ts'
import { parseDecision } from '../../agent/approval.ts'
import { codecFor } from '../../agent/codec.ts'
import type { Engine } from '../../engine/engine.ts'
import { languageFor, settingsOf, toolOf } from '../../engine/settings.ts'
import { fencedPart } from '../../lib/fence.ts'
import { newId } from '../../lib/id.ts'
import type { Journal, NewMessage } from '../../log/journal.ts'
import { configOf } from '../../tools/registry.ts'

/** Messages that a client brings along, as events of a log that has none yet. Oldest first. */
export function historyEvents(journal: Journal, engine: Engine, messages: readonly GivenMessage[]): NewEvent[] {
  const history = new History(journal, engine)
  return messages.map((message) => history.event(message))
}

/** Makes events of the messages of one history. It has to be given all of them, one after the other: a result is matched with the calls of the
 *  last reply before it. */
export class History {
  readonly #journal: Journal
  readonly #engine: Engine
  readonly #language: Language
  /** Calls of the last reply that no result has answered yet. */
  #open: readonly ToolCall[] = []

  constructor(journal: Journal, engine: Engine) {
    this.#journal = journal
    this.#engine = engine
    this.#language = languageFor(engine, journal.record)
  }

  event(given: GivenMessage): NewEvent {
    const said = contentText(given.content, null)
    const calls = given.role === 'assistant' ? this.#callsOf(given, said) : []
    if (given.role === 'assistant') this.#open = calls
    const answered = given.role === 'tool' ? this.#takeCall(given) : undefined
    const isUntrusted = given.role === 'tool' && this.#isFromOutside(answered, said)
    const message: NewMessage = {
      ...ownMembers(given, given.kind ?? this.#kindOf(given.role, said)),
      ...(calls.length > 0 ? { tool_calls: [...calls] } : {}),
      ...(answered ? { tool_call_id: answered.id, tool_name: answered.name } : {}),
    }
    return this.#journal.messageEvent(message, isUntrusted ? { untrusted: true } : {})
  }

  /** The calls that a reply lists; of a reply that lists none, those that its text makes. */
  #callsOf({ tool_calls: listed, given: isGiven }: GivenMessage, said: string): readonly ToolCall[] {
    if (listed) return listed.map((call) => this.#named(call))
    return isGiven ? [] : this.#callsIn(said)
  }

  #callsIn(text: string): ToolCall[] {
    const { calls } = codecFor('xml').decode(postedReply(text), this.#engine.tools, this.#language)
    return calls.map(({ name, arguments: args }) =>
      this.#named({ id: newId('call', this.#journal.now()), name, arguments: args }),
    )
  }

  /** A call of a tool of the server stands under the id of the tool. One that says that its caller runs it, or of a tool that only the caller has,
   *  stands under the caller's name. */
  #named(call: ToolCall): ToolCall {
    const tool = toolOf(this.#engine, toolIdOf(call))
    if (call.client || tool?.client === undefined) return call.client ? call : { ...call, name: tool?.id ?? call.name }
    return { ...call, name: tool.client, client: true, ...(tool.id === tool.client ? {} : { offered_as: tool.id }) }
  }

  /** The open call that a result answers: by its id, else by its tool, else the first. It is open no more. */
  #takeCall({ tool_name: given, tool_call_id: id }: GivenMessage): ToolCall | undefined {
    const name = given === undefined ? undefined : (toolOf(this.#engine, given)?.id ?? given)
    const open = this.#open
    const found = open.find((call) => call.id === id) ?? open.find((call) => call.name === name) ?? open[0]
    this.#open = open.filter((call) => call !== found)
    return found
  }

  #kindOf(role: Role, said: string): MessageKind {
    if (role === 'user') return this.#isDecision(said) ? 'approval' : 'task'
    if (role === 'assistant') return 'reply'
    if (role === 'tool') return 'tool_result'
    return /^\[(警告|Warning)\]/.test(said) ? 'warning' : 'prompt'
  }

  /** Whether the user's words decide on a call that has no result yet. */
  #isDecision(said: string): boolean {
    return this.#open.length > 0 && parseDecision(said) !== null
  }

  /** Whether a result may hold text of others. The results of tools that only read what the session has do not, unless they are fenced. */
  #isFromOutside(call: ToolCall | undefined, result: string): boolean {
    const tool = call && toolOf(this.#engine, toolIdOf(call))
    if (tool?.client !== undefined)
      return configOf(tool, settingsOf(this.#engine, this.#journal.record)).trusted !== true
    return tool?.risk !== 'read' || tool.server !== null || fencedPart(result) !== null
  }
}

/** What a message of a history says itself, as the log has it. */
function ownMembers(given: GivenMessage, kind: MessageKind): NewMessage {
  return {
    role: given.role,
    content: given.content,
    kind,
    scope: null,
    ...(given.id ? { id: given.id } : {}),
    ...(given.created_time ? { created_time: given.created_time } : {}),
    ...(given.cut ? { cut: true as const } : {}),
    ...(given.rejected ? { rejected: true as const } : {}),
    ...(given.given ? { given: true as const } : {}),
    ...(given.client_id === undefined ? {} : { client_id: given.client_id }),
    ...(given.reasoning ? { reasoning: given.reasoning } : {}),
  }
}

/** A text that a client brings along, as if a model had replied it. */
export function postedReply(content: string): ModelReply {
  return { content, reasoning: '', toolCalls: [], usage: NO_TOKENS, stopReason: null }
}

const NO_TOKENS = { prompt_tokens: 0, completion_tokens: 0, cached_tokens: 0, reasoning_tokens: 0 }
