import type { Delta, DeltaBody, StreamedDelta } from '../domain/event.ts'
import { LIMITS } from '../domain/limits.ts'
import type { Now } from '../domain/ports.ts'

/** A place in the stream of a session: after event `seq`, and after delta `n` that followed it (0: none). */
export interface Cursor {
  seq: number
  n: number
}

type Untimed = DeltaBody & Omit<StreamedDelta, 'type' | 'time'>

interface Written {
  said: string
  answer: string
}

/** Texts of messages that are being written, for whoever watches, kept until a while after their message is. In memory only:
 *  the message itself comes into the log. */
export class Deltas {
  readonly #now: Now
  #kept: Delta[] = []
  #chars = 0
  /** The id given last: none is given twice, whatever is dropped. */
  #last: Cursor = { seq: 0, n: 0 }
  /** What there is by now of each message that is being written: its text, and the answer in it. */
  readonly #writing = new Map<string, Written>()
  /** When messages ended (Unix ms), in that order. */
  readonly #ends = new Map<string, number>()

  constructor(now: Now) {
    this.#now = now
  }

  add(delta: Untimed): void {
    this.#forget()
    const n = this.#last.seq === delta.seq ? this.#last.n + 1 : 1
    this.#last = { seq: delta.seq, n }
    this.#kept.push({ ...delta, n, time: new Date(this.#now()).toISOString() })
    this.#chars += delta.delta.length
    this.#write(delta)
  }

  /** What there is of a message that is being written; null: nobody heard anything of it. */
  written(messageId: string): Written | null {
    return this.#writing.get(messageId) ?? null
  }

  #write({ type, message_id: id, delta }: Untimed): void {
    const { said, answer } = this.#writing.get(id) ?? { said: '', answer: '' }
    this.#writing.set(id, {
      said: type === 'message-delta' ? said + delta : said,
      answer: type === 'answer-delta' ? answer + delta : answer,
    })
  }

  /** A message is written, or will not be. */
  end(messageId: string): void {
    if (this.#writing.delete(messageId)) this.#ends.set(messageId, this.#now())
  }

  endAll(): void {
    for (const messageId of this.#writing.keys()) this.end(messageId)
  }

  /** Deltas behind the cursor that follow the same event, oldest first. */
  after(cursor: Cursor, limit: number): Delta[] {
    const start = this.#firstAfter(cursor)
    return this.#kept.slice(start, start + limit).filter((delta) => delta.seq === cursor.seq)
  }

  /** Index of the first delta behind the cursor; they are kept in the order of their ids. */
  #firstAfter({ seq, n }: Cursor): number {
    let low = 0
    let high = this.#kept.length
    while (low < high) {
      const middle = (low + high) >>> 1
      const delta = this.#kept[middle]
      const behind = delta !== undefined && (delta.seq > seq || (delta.seq === seq && delta.n > n))
      if (behind) high = middle
      else low = middle + 1
    }
    return low
  }

  #forget(): void {
    const { deltaKeptMs, deltaCharsMax } = LIMITS.stream
    const isFull = this.#chars > deltaCharsMax
    const old = new Set<string>()
    for (const [messageId, time] of this.#ends) {
      if (!isFull && time >= this.#now() - deltaKeptMs) break
      this.#ends.delete(messageId)
      old.add(messageId)
    }
    if (old.size === 0 && !isFull) return
    this.#kept = isFull ? [] : this.#kept.filter(({ message_id: messageId }) => !old.has(messageId))
    this.#chars = this.#kept.reduce((sum, { delta }) => sum + delta.length, 0)
  }
}
