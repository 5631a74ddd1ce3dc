import type { Delta } from '../domain/event.ts'
import { LIMITS } from '../domain/limits.ts'
import type { Now } from '../domain/ports.ts'

/** A place in the stream of a session: after event `seq`, and after delta `n` that followed it (0: none). */
export interface Cursor {
  seq: number
  n: number
}

interface Kept {
  delta: Delta
  toldTime: number
}

/** Old deltas are dropped many at a time. */
const SLACK_MS = 10_000

/** Texts of messages that are being written, for whoever watches. In memory only: the message itself comes into the log. */
export class Deltas {
  readonly #now: Now
  #kept: Kept[] = []
  #chars = 0

  constructor(now: Now) {
    this.#now = now
  }

  add(delta: Omit<Delta, 'n' | 'time'>): void {
    this.#forget()
    const last = this.#kept.at(-1)?.delta
    const n = last?.seq === delta.seq ? last.n + 1 : 1
    const toldTime = this.#now()
    this.#kept.push({ delta: { ...delta, n, time: new Date(toldTime).toISOString() }, toldTime })
    this.#chars += delta.delta.length
  }

  /** Deltas behind the cursor that follow the same event, oldest first. */
  after(cursor: Cursor, limit: number): Delta[] {
    const start = this.#firstAfter(cursor)
    const found = this.#kept.slice(start, start + limit).map(({ delta }) => delta)
    return found.filter((delta) => delta.seq === cursor.seq)
  }

  /** Index of the first delta behind the cursor; they are kept in the order of their ids. */
  #firstAfter({ seq, n }: Cursor): number {
    let low = 0
    let high = this.#kept.length
    while (low < high) {
      const middle = (low + high) >>> 1
      const delta = this.#kept[middle]?.delta
      const behind = delta !== undefined && (delta.seq > seq || (delta.seq === seq && delta.n > n))
      if (behind) high = middle
      else low = middle + 1
    }
    return low
  }

  #forget(): void {
    const oldest = this.#now() - LIMITS.stream.deltaKeptMs
    const full = this.#chars > LIMITS.stream.deltaCharsMax
    if (!full && (this.#kept[0]?.toldTime ?? oldest) >= oldest - SLACK_MS) return
    this.#kept = full ? [] : this.#kept.filter(({ toldTime }) => toldTime >= oldest)
    this.#chars = this.#kept.reduce((sum, { delta }) => sum + delta.delta.length, 0)
  }
}
