import { createParser, type EventSourceParser } from 'eventsource-parser'
import type { ModelOutcome, ReplyObserver } from '../../domain/model.ts'
import { LIMITS } from '../../domain/limits.ts'
import { parseRetryAfter } from '../../lib/wait.ts'
import { newId as newCallId } from '../../lib/id.ts'
import { type Next, readBody, readStart } from '../body.ts'
import { badAnswer, failureOf, refusalFailure } from '../failure.ts'
import type { ProviderCall } from '../provider.ts'
import { type Piece, ReplyAssembly } from '../assembly.ts'
import { type ForeignError, messageOf, readError, readPiece } from './wire-shapes.ts'

/** Read an answer by its content type, whatever was asked for. `now`: Unix ms. Rejects only when the signal aborts. */
export async function readAnswer(response: Response, call: ProviderCall, now: number): Promise<ModelOutcome> {
  const { status } = response
  const isAnswer = response.ok || status === 0 || (status >= 300 && status < 400)
  if (!isAnswer) return refused(response, call, now)
  if (!response.ok) return redirected(response)
  const type = response.headers.get('content-type') ?? ''
  const newId = () => newCallId('call', now)
  return /event-stream/i.test(type) ? readEvents(response, call, newId) : readJson(response, call, newId)
}

function redirected(response: Response): ModelOutcome {
  void response.body?.cancel().catch(() => undefined)
  const detail = 'The model service answered with a redirect, which is not followed.'
  return { ok: false, failure: failureOf('model_rejected', detail, { status: response.status || null }) }
}

async function refused(response: Response, call: ProviderCall, now: number): Promise<ModelOutcome> {
  const { text } = await readStart(response.body, call.signal, LIMITS.model.errorBodyCharsMax)
  const retryAfterMs = parseRetryAfter(response.headers.get('retry-after'), now)
  const refusal = { status: response.status, text, message: messageOf(parseJson(text)), retryAfterMs }
  return { ok: false, failure: refusalFailure(refusal, call) }
}

/** A body that is read whole before anybody hears of it. */
async function readJson(response: Response, call: ProviderCall, newId: () => string): Promise<ModelOutcome> {
  const { text, whole } = await readStart(response.body, call.signal, LIMITS.model.replyCharsMax)
  const heard: (() => void)[] = []
  const { observer } = call
  const reader = new AnswerReader(response.status, call, newId, {
    onDelta: (kind, delta) => heard.push(() => observer.onDelta(kind, delta)) > 0,
    onArguments: (piece) => heard.push(() => observer.onArguments(piece)) > 0,
  })
  const outcome = outcomeOfText(reader, text, whole)
  if (outcome.ok) for (const notify of heard) notify()
  return outcome
}

function outcomeOfText(reader: AnswerReader, text: string, whole: boolean): ModelOutcome {
  if (text.length === LIMITS.model.replyCharsMax && !whole) return reader.tooLong()
  if (/^\s*(data|event|id|retry)?:/.test(text)) {
    eventParser(reader).feed(`${text}\n\n`)
    return reader.end()
  }
  reader.json(text)
  return reader.whole()
}

async function readEvents(response: Response, call: ProviderCall, newId: () => string): Promise<ModelOutcome> {
  const reader = new AnswerReader(response.status, call, newId, call.observer)
  const parser = eventParser(reader)
  let start = ''
  try {
    await readBody(response.body, call.signal, (text) => {
      if (start.length < LIMITS.model.errorBodyCharsMax) start += text
      parser.feed(text)
      return reader.next
    })
    if (reader.next === 'more' && !reader.finished) parser.feed('\n\n')
  } catch {
    if (!reader.finished) call.signal.throwIfAborted()
  }
  if (!reader.heard) reader.json(start)
  return reader.end()
}

function eventParser(reader: AnswerReader): EventSourceParser {
  return createParser({
    maxBufferSize: LIMITS.model.replyCharsMax,
    onEvent: ({ data }) => reader.event(data),
    onError: ({ type }) => void (type === 'max-buffer-size-exceeded' && reader.tooLong()),
  })
}

const DONE = '[DONE]'

/** One answer while it is read: what was heard so far, and whether more of it is wanted. */
class AnswerReader {
  readonly #status: number
  readonly #call: ProviderCall
  readonly #newId: () => string
  readonly #assembly: ReplyAssembly
  #failed: ModelOutcome | null = null
  #done = false
  heard = false

  constructor(status: number, call: ProviderCall, newId: () => string, observer: ReplyObserver) {
    this.#status = status
    this.#call = call
    this.#newId = newId
    this.#assembly = new ReplyAssembly(observer)
  }

  /** True when the service said that the reply is at its end. */
  get finished(): boolean {
    return this.#done || this.#assembly.stopReason !== null
  }

  get next(): Next {
    if (this.#failed) return 'cut'
    return this.#done ? 'last' : 'more'
  }

  /** The data of one server-sent event: the end, or a chunk; JSON that says nothing of a completion is passed over. */
  event(data: string): void {
    if (this.#failed || this.#done || data.trim() === '') return
    this.heard = true
    if (data.trim() === DONE) this.#done = true
    else this.#take(data, false)
  }

  /** The text of a whole answer. */
  json(text: string): void {
    if (!this.#failed) this.#take(text, true)
  }

  /** The outcome after the last event. */
  end(): ModelOutcome {
    if (!this.#failed && !this.finished) this.#fail('was cut off before its end', '')
    return this.whole()
  }

  /** The outcome of an answer that is known to be whole. */
  whole(): ModelOutcome {
    if (this.#failed) return this.#failed
    const reply = this.#assembly.finish(this.#call, this.#newId)
    if (reply) return { ok: true, reply }
    const why = this.#assembly.stopReason ? ` (it stopped with "${this.#assembly.stopReason}")` : ''
    return this.#fail(`is empty${why}`, '')
  }

  tooLong(): ModelOutcome {
    const detail = `The model's reply is longer than ${LIMITS.model.replyCharsMax} characters.`
    const failure = failureOf('model_bad_answer', detail, { status: this.#status, retryable: false })
    return (this.#failed = { ok: false, failure })
  }

  #take(text: string, strict: boolean): void {
    const value = parseJson(text)
    const error = readError(value)
    const piece = error ? null : readPiece(value)
    if (error) this.#foreignError(error, text)
    else if (piece) this.#add(piece)
    else if (value === undefined) this.#fail(text.trim() === '' ? 'is empty' : 'is not JSON', text)
    else if (strict) this.#fail('is not a completion', text)
  }

  #add(piece: Piece): void {
    this.#assembly.add(piece)
    if (this.#assembly.chars > LIMITS.model.replyCharsMax) this.tooLong()
  }

  #foreignError({ status, message }: ForeignError, text: string): void {
    const refusal = { status: status ?? this.#status, text, message, retryAfterMs: null }
    this.#failed = { ok: false, failure: refusalFailure(refusal, this.#call) }
  }

  #fail(why: string, seen: string): ModelOutcome {
    const failure = badAnswer(this.#status, why, seen, this.#call)
    return (this.#failed = { ok: false, failure })
  }
}

/** The value of a JSON text; undefined: it is none. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
