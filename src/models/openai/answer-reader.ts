import type { ModelOutcome, ReplyObserver } from '../../domain/model.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { Next } from '../body.ts'
import { badAnswer, failureOf, refusalFailure } from '../failure.ts'
import type { ProviderCall } from '../provider.ts'
import { type Piece, ReplyAssembly } from '../assembly.ts'
import { type ForeignError, readError, readPiece } from './wire-shapes.ts'

/** Names a call that came without an id. */
export type NewId = () => string

const DONE = '[DONE]'

/** One answer while it is read: what was heard so far, and whether more of it is wanted. */
export class AnswerReader {
  readonly #status: number
  readonly #call: ProviderCall
  readonly #newId: NewId
  readonly #assembly: ReplyAssembly
  #failed: ModelOutcome | null = null
  #done = false
  heard = false

  constructor(status: number, call: ProviderCall, newId: NewId, observer: ReplyObserver) {
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
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
