import { parseJson } from '../../lib/json.ts'
import { createParser, type EventSourceParser } from 'eventsource-parser'
import type { ModelOutcome, ReplyObserver } from '../../domain/model.ts'
import { isCutReason } from '../../domain/cut-reason.ts'
import { LIMITS } from '../../domain/limits.ts'
import { abortable, parseRetryAfter } from '../../lib/wait.ts'
import { newId as newCallId } from '../../lib/id.ts'
import { badAnswer, modelFailure, refusalFailure } from '../failure.ts'
import type { ProviderCall } from '../provider.ts'
import { type Piece, ReplyAssembly } from '../assembly.ts'
import { secretsInReply } from '../secrets.ts'
import { RepeatedChunk } from './repeated-chunk.ts'
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
  return { ok: false, failure: modelFailure('model_rejected', detail, { status: response.status || null }) }
}

async function refused(response: Response, call: ProviderCall, now: number): Promise<ModelOutcome> {
  const { text } = await readStart(response, call, LIMITS.model.errorBodyCharsMax)
  const retryAfterMs = parseRetryAfter(response.headers.get('retry-after'), now)
  const refusal = { status: response.status, text, message: messageOf(parseJson(text)), retryAfterMs }
  return { ok: false, failure: refusalFailure(refusal, call) }
}

/** A body that is read whole before anybody hears of it. */
async function readJson(response: Response, call: ProviderCall, newId: () => string): Promise<ModelOutcome> {
  const { text, whole } = await readStart(response, call, LIMITS.model.replyCharsMax)
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
    await readBody(response, call, (text) => {
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
  readonly #repeated = new RepeatedChunk()
  #failed: ModelOutcome | null = null
  #done = false
  heard = false

  constructor(status: number, call: ProviderCall, newId: () => string, observer: ReplyObserver) {
    this.#status = status
    this.#call = call
    this.#newId = newId
    this.#assembly = new ReplyAssembly(observer, secretsInReply(call.spec))
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
    this.#assembly.flush()
    if (this.#failed) return this.#failed
    const reply = this.#assembly.finish(this.#call, this.#newId)
    const { id } = this.#assembly
    if (reply) return { ok: true, reply, ...(id === undefined ? {} : { id }) }
    const { stopReason } = this.#assembly
    if (isCutReason(stopReason)) return this.#cutBeforeWords()
    return this.#fail(`is empty${stopReason ? ` (it stopped with "${stopReason}")` : ''}`, '')
  }

  /** To ask again would cost as much and give no more. */
  #cutBeforeWords(): ModelOutcome {
    const detail = `The model's reply was cut before its first word: at max_tokens (${this.#call.spec.maxTokens}), or the end of its window.`
    const failure = modelFailure('model_bad_answer', detail, { status: this.#status, retryable: false })
    return (this.#failed = { ok: false, failure })
  }

  tooLong(): ModelOutcome {
    const detail = `The model's reply is longer than ${LIMITS.model.replyCharsMax} characters.`
    const failure = modelFailure('model_bad_answer', detail, { status: this.#status, retryable: false })
    return (this.#failed = { ok: false, failure })
  }

  #take(text: string, strict: boolean): void {
    const again = this.#repeated.read(text)
    if (again) return this.#add(again)
    const value = parseJson(text)
    const error = readError(value)
    const piece = error ? null : readPiece(value)
    if (error) this.#foreignError(error, text)
    else if (piece) {
      this.#repeated.learn(text, piece)
      this.#add(piece)
    } else if (value === undefined) this.#fail(text.trim() === '' ? 'is empty' : 'is not JSON', text)
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

/** What the reader of a text wants next: more, nothing (the rest is read in the background for a moment, so that the connection can be used
 *  again), or the stream cut off at once. */
type Next = 'more' | 'last' | 'cut'

/** What the body of an answer is read with. */
type Reading = Pick<ProviderCall, 'signal' | 'onSign'>

/** Decode a body as UTF-8 and hand it on as it arrives, up to the last that is wanted. Rejects with the signal's reason when that aborts,
 *  whether or not the stream knows of the signal, and with the stream's own error when it breaks. */
export async function readBody(
  response: Pick<Response, 'body' | 'headers' | 'arrayBuffer'>,
  { signal, onSign }: Reading,
  onText: (text: string) => Next,
): Promise<void> {
  if (response.body === null) return
  if (isWritten(response)) {
    const bytes = await abortable(response.arrayBuffer(), signal)
    onSign()
    onText(new TextDecoder().decode(bytes))
    return
  }
  const reader = response.body.getReader()
  const cancel = () => void reader.cancel().catch(() => undefined)
  signal.addEventListener('abort', cancel, { once: true })
  const { promise: isEnough, resolve: enough } = Promise.withResolvers<void>()
  let linger: ReturnType<typeof setTimeout> | undefined
  const hear = (text: string) => {
    if (linger !== undefined) return
    onSign()
    const next = text === '' ? 'more' : onText(text)
    if (next === 'cut') cancel()
    if (next === 'last') {
      linger = setTimeout(cancel, LIMITS.model.lingerMs)
      enough()
    }
  }
  const reading = readAll(reader, signal, hear).finally(() => {
    clearTimeout(linger)
    signal.removeEventListener('abort', cancel)
  })
  await Promise.race([reading, isEnough])
}

/** Whose length is told was written before it was sent: to read it at once takes a fraction of the time. What is long or packed is read as it
 *  comes, no further than it may be. */
function isWritten({ headers }: Pick<Response, 'headers'>): boolean {
  const length = headers.get('content-length')
  return length !== null && Number(length) <= LIMITS.model.wholeBodyBytesMax && !headers.has('content-encoding')
}

/** `onText`: is called with what came, which may be a part of a character alone, and so nothing yet. */
async function readAll(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  signal: AbortSignal,
  onText: (text: string) => void,
): Promise<void> {
  const decoder = new TextDecoder()
  for (;;) {
    const { done, value } = await reader.read()
    signal.throwIfAborted()
    onText(decoder.decode(value, { stream: !done }))
    if (done) return
  }
}

/** The first `charsMax` UTF-16 units of a body, and whether that was all of it. What breaks off counts as not all. */
async function readStart(
  response: Response,
  reading: Reading,
  charsMax: number,
): Promise<{ text: string; whole: boolean }> {
  let text = ''
  try {
    await readBody(response, reading, (more) => {
      text += more
      return text.length > charsMax ? 'cut' : 'more'
    })
  } catch {
    reading.signal.throwIfAborted()
    return { text, whole: false }
  }
  return { text: text.slice(0, charsMax), whole: text.length <= charsMax }
}
