import { createParser } from 'eventsource-parser'
import type { SessionEvent, StreamedDelta } from '../domain/event.ts'
import type { Message } from '../domain/message.ts'
import { CLIENT_LIMITS } from '../domain/client-limits.ts'
import { parseJson } from '../lib/json.ts'
import type { Sleep } from '../domain/ports.ts'
import { ApiProblem, Unreachable } from './problem.ts'

/** What a stream of a session tells: an event of its log, or text of a message that is being written. */
export type StreamEvent = SessionEvent | StreamedDelta

export { isDelta, type StreamedDelta } from '../domain/event.ts'

/** What the reply gives to `finish` as the answer; null: it does not finish. */
export function finishAnswerOf({ tool_calls: calls = [] }: Pick<Message, 'tool_calls'>): string | null {
  const reason = calls.find(({ name }) => name === 'finish')?.arguments['reason']
  return typeof reason === 'string' && reason.trim() !== '' ? reason : null
}

/** The value that an answer is, where it is JSON: what a run with an output schema gives. Undefined: it is none. */
export function answerValueOf({ result }: { result: string | null }): unknown {
  return result === null ? undefined : parseJson(result)
}

/** One event with the id under which the stream can be taken up after it. */
interface Numbered {
  id: string
  event: StreamEvent
}

export interface ResumeOptions {
  /** The first answer; it may break off. */
  first: Response
  /** Where to take up when it breaks off before its first event; absent: it cannot. */
  after?: string | undefined
  /** A new answer with what came after `id`. */
  again: (id: string) => Promise<Response>
  /** After such an event the stream is over, whether or not the server closes it. */
  isLast: (event: StreamEvent) => boolean
  /** When the server closes the stream after such an event, it is over too. */
  mayEndAt: (event: StreamEvent) => boolean
  sleep: Sleep
  signal?: AbortSignal | undefined
  server: string
}

/** Events of a stream that is taken up where it broke off, as often as it breaks off but at most `resumesMax` times in a row
 *  without an event. Nothing comes twice. Throws `Unreachable` when it cannot be taken up. */
export async function* resumed(options: ResumeOptions): AsyncGenerator<StreamEvent> {
  let cursor = options.after
  let response: Response | null = options.first
  let latest: StreamEvent | undefined
  let failures = 0
  for (;;) {
    if (response !== null) {
      for await (const { id, event } of readEvents(response, options.signal)) {
        cursor = id
        failures = 0
        latest = event
        yield event
        if (options.isLast(event)) return
      }
      if (latest !== undefined && options.mayEndAt(latest)) return
    }
    if (cursor === undefined || failures >= CLIENT_LIMITS.resumesMax) break
    await options.sleep(CLIENT_LIMITS.resumeDelayMs * 2 ** Math.min(failures, 4), options.signal)
    failures += 1
    response = await answerOrNull(options.again(cursor))
  }
  throw new Unreachable(options.server, new Error('the event stream broke off'))
}

async function answerOrNull(answer: Promise<Response>): Promise<Response | null> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof Unreachable || (error instanceof ApiProblem && error.status >= 500)) return null
    throw error
  }
}

/** Events of one answer, until it ends, breaks off, or is silent for longer than several heartbeats. */
async function* readEvents(response: Response, signal: AbortSignal | undefined): AsyncGenerator<Numbered> {
  if (response.body === null) return
  const batch: Numbered[] = []
  const parser = createParser({
    maxBufferSize: CLIENT_LIMITS.eventCharsMax,
    onEvent: ({ id, data }) => {
      if (id !== undefined) batch.push({ id, event: JSON.parse(data) as StreamEvent })
    },
  })
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  const silence = new Silence(() => void reader.cancel().catch(() => {}))
  try {
    for (;;) {
      silence.begin()
      const chunk = await readOrNull(reader, signal)
      silence.end()
      if (chunk === null) return
      parser.feed(chunk)
      yield* batch.splice(0)
    }
  } finally {
    silence.stop()
    void reader.cancel().catch(() => {})
  }
}

async function readOrNull(
  reader: ReadableStreamDefaultReader<string>,
  signal: AbortSignal | undefined,
): Promise<string | null> {
  try {
    const { done, value } = await reader.read()
    return done ? null : value
  } catch {
    signal?.throwIfAborted()
    return null
  }
}

/** Tells of a wait that takes too long. One timer for all waits of a stream: one for each costs more than a piece of text does. */
class Silence {
  readonly #tooLong: () => void
  #timer: ReturnType<typeof setTimeout> | null = null
  /** When the wait began; null: nothing is waited for. */
  #since: number | null = null

  constructor(tooLong: () => void) {
    this.#tooLong = tooLong
  }

  begin(): void {
    this.#since = Date.now()
    this.#timer ??= this.#lookIn(CLIENT_LIMITS.silenceMsMax)
  }

  end(): void {
    this.#since = null
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
  }

  #lookIn(ms: number): ReturnType<typeof setTimeout> {
    return setTimeout(() => this.#look(), ms)
  }

  #look(): void {
    this.#timer = null
    if (this.#since === null) return
    const left = this.#since + CLIENT_LIMITS.silenceMsMax - Date.now()
    if (left > 0) this.#timer = this.#lookIn(left)
    else this.#tooLong()
  }
}
