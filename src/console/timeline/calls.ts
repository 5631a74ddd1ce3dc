import { contentText, imagesIn } from '../../domain/content.ts'
import type { SessionEvent } from '../../domain/event.ts'
import type { Language } from '../../domain/language.ts'
import type { Message } from '../../domain/message.ts'
import type { Pending } from '../../domain/pending.ts'
import { fencedPart } from '../../lib/fence.ts'
import type { CallItem } from './item.ts'

/** Tools whose calls are shown as what they mean: an answer, a question, a new try. */
export const HIDDEN_TOOLS: readonly string[] = ['finish', 'rethink', 'ask']

type CallEvent = SessionEvent & { type: 'tool-start' | 'tool-end' | 'tool-progress' }

/** The calls of a session by their ids; what is known of one may come before or after the reply that makes it. */
export class Calls {
  readonly #language: Language
  readonly #calls = new Map<string, CallItem>()
  readonly #waiting = new Map<string, CallItem>()

  constructor(language: Language) {
    this.#language = language
  }

  /** The calls that a reply makes, as items. */
  made(event: SessionEvent, { tool_calls: calls = [] }: Message): CallItem[] {
    return calls
      .filter(({ name }) => !HIDDEN_TOOLS.includes(name))
      .map(({ id, name, arguments: args }) => {
        const call = this.#of(id)
        const began = call.status !== 'made'
        return Object.assign(call, {
          seq: event.seq,
          scope: event.scope,
          time: event.time,
          run: event.run_id,
          tool: name,
          arguments: began ? call.arguments : args,
        })
      })
  }

  follow(event: CallEvent): void {
    const call = this.#of(event.call_id)
    call.rev += 1
    if (event.type === 'tool-start') {
      if (!isOver(call)) call.status = 'running'
      call.arguments = event.arguments
    } else if (event.type === 'tool-end') {
      call.status = event.ok ? 'ok' : 'failed'
      call.ms = event.ms
      call.progress = null
    } else {
      const share = event.total === null ? `${event.progress}` : `${event.progress}/${event.total}`
      call.progress = event.message === null ? share : `${share} ${event.message}`
    }
  }

  result(message: Message): void {
    if (message.tool_call_id === undefined) return
    const call = this.#of(message.tool_call_id)
    call.rev += 1
    call.result = contentText(message.content, this.#language)
    call.images = imagesIn(message.content)
    call.outside = fencedPart(call.result)
    call.truncated = message.truncated ?? null
    // Of a call that was cut nothing else tells that it is over.
    call.progress = null
    if (['made', 'waiting', 'running'].includes(call.status)) call.status = statusToldBy(call.result)
  }

  wait({ id, call_id: callId }: Pending): void {
    if (callId === undefined) return
    const call = this.#of(callId)
    call.rev += 1
    if (!isOver(call)) call.status = 'waiting'
    this.#waiting.set(id, call)
  }

  decided({ id, decision }: SessionEvent & { type: 'pending-end' }): void {
    const call = this.#waiting.get(id)
    if (call?.status !== 'waiting') return
    call.status = decision === 'approve' || decision === 'answer' ? 'made' : 'refused'
    call.rev += 1
  }

  #of(id: string): CallItem {
    const known = this.#calls.get(id)
    if (known) return known
    const call: CallItem = {
      kind: 'call',
      key: id,
      seq: 0,
      scope: null,
      time: '',
      run: null,
      rev: 0,
      tool: '',
      arguments: {},
      status: 'made',
      ms: null,
      result: null,
      images: [],
      outside: null,
      truncated: null,
      progress: null,
    }
    this.#calls.set(id, call)
    return call
  }
}

/** How the server begins a result, in either language: of a call that went well, and of one that did not. */
const WENT_WELL = /^\[[^\]\n]{1,200}\](?: content:| done\.|的内容：|执行成功。)/
const WENT_WRONG = /^(?:\[[^\]\n]{1,200}\](?: failed:|执行失败：)|\[(?:Warning\]|警告\]))/

/** What became of a call of which nothing but its result is known, as where messages alone are read. */
function statusToldBy(result: string): 'ok' | 'failed' | 'made' {
  if (WENT_WELL.test(result)) return 'ok'
  return WENT_WRONG.test(result) ? 'failed' : 'made'
}

/** What comes of it later, as an older part of the log is read, is older. */
const isOver = ({ ms, result }: CallItem) => ms !== null || result !== null
