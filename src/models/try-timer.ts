import { LIMITS } from '../domain/limits.ts'
import type { ModelFailure, ModelTimeouts } from '../domain/model.ts'
import { modelFailure } from './failure.ts'

/** How long one request to a model is waited for: as a whole, for its first byte, and between two pieces. One timer serves all three limits: it looks
 *  when it rings which of them is reached, so that no piece has to set a timer. The time waited for the whole is the sum of what the timer waited: a
 *  clock that is set anew does not change it. */
export class TryTimer {
  readonly #over = new AbortController()
  readonly #wholeMs: number
  readonly #firstByteMs: number
  readonly #idleMs: number
  #timer: ReturnType<typeof setTimeout> | undefined
  #waitedMs = 0
  /** When a piece came last (Unix ms); null: none did. */
  #signTime: number | null = null
  /** The limit that was reached; null: none was. */
  failure: ModelFailure | null = null

  constructor({ callMs, firstByteMs, idleMs }: ModelTimeouts) {
    this.#wholeMs = callMs ?? LIMITS.model.streamMsMax
    this.#firstByteMs = firstByteMs ?? Infinity
    this.#idleMs = idleMs ?? Infinity
    this.#listen(this.#firstByteMs)
  }

  /** Aborts when a limit is reached. */
  get signal(): AbortSignal {
    return this.#over.signal
  }

  /** A piece came. */
  sign(): void {
    this.#signTime = Date.now()
  }

  /** The request is over. */
  end(): void {
    clearTimeout(this.#timer)
  }

  /** Look again when the silence or the whole reaches its limit. Silence may begin at any moment: so no look is later than its limit. */
  #listen(silenceLeftMs: number): void {
    const ms = Math.min(silenceLeftMs, this.#idleMs, this.#wholeMs - this.#waitedMs)
    this.#timer = setTimeout(() => {
      this.#waitedMs += ms
      this.#look()
    }, ms)
  }

  #look(): void {
    const silenceLeftMs =
      this.#signTime === null ? this.#firstByteMs - this.#waitedMs : this.#idleLeftMs(this.#signTime)
    if (this.#waitedMs >= this.#wholeMs) this.#fail(`gave no whole answer within ${this.#wholeMs} ms`)
    else if (silenceLeftMs > 0) this.#listen(silenceLeftMs)
    else if (this.#signTime === null) this.#fail(`sent nothing for ${this.#firstByteMs} ms (first_byte_timeout_ms)`)
    else this.#fail(`sent nothing more for ${this.#idleMs} ms (idle_timeout_ms)`)
  }

  /** A piece that came later than now shows that the clock was set back. */
  #idleLeftMs(signTime: number): number {
    const now = Date.now()
    this.#signTime = Math.min(signTime, now)
    return this.#signTime + this.#idleMs - now
  }

  #fail(what: string): void {
    this.failure ??= modelFailure('model_timeout', `The model ${what}.`)
    this.#over.abort()
  }
}
