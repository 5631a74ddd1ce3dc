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

/** Deltas that came one after the other and say the same beside their texts: hundreds of them belong to one message, and an object for each
 *  would be most of what a session at rest has in memory. */
interface Stretch {
  first: Untimed
  /** Its number. */
  n: number
  texts: string[]
  /** Unix ms. */
  times: number[]
}

/** Texts of messages that are being written, for whoever watches, kept until a while after their message is. In memory only:
 *  the message itself comes into the log. */
export class Deltas {
  readonly #now: Now
  #kept: Stretch[] = []
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
    this.#keep(delta, n)
    this.#chars += delta.delta.length
    this.#write(delta)
  }

  #keep(delta: Untimed, n: number): void {
    const last = this.#kept.at(-1)
    // What stood between was of another message, and is forgotten.
    const goesOn = last !== undefined && last.n + last.texts.length === n && goesOnWith(last.first, delta)
    const stretch = goesOn ? last : { first: delta, n, texts: [], times: [] }
    if (!goesOn) this.#kept.push(stretch)
    stretch.texts.push(delta.delta)
    stretch.times.push(this.#now())
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
  after({ seq, n }: Cursor, limit: number): Delta[] {
    const found: Delta[] = []
    for (let at = this.#firstWith(seq); at < this.#kept.length && found.length < limit; at++) {
      const stretch = this.#kept[at]
      if (stretch?.first.seq !== seq) break
      const from = Math.max(0, n + 1 - stretch.n)
      for (let i = from; i < stretch.texts.length && found.length < limit; i++) found.push(deltaAt(stretch, i))
    }
    return found
  }

  /** Index of the first stretch behind an event; they are kept in the order of their ids. */
  #firstWith(seq: number): number {
    let low = 0
    let high = this.#kept.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#kept[middle]?.first.seq ?? Infinity) >= seq) high = middle
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
    this.#kept = isFull ? [] : this.#kept.filter(({ first }) => !old.has(first.message_id))
    this.#chars = this.#kept.reduce((sum, { texts }) => sum + texts.reduce((chars, text) => chars + text.length, 0), 0)
  }
}

function goesOnWith(first: Untimed, next: Untimed): boolean {
  return (
    first.type === next.type &&
    first.message_id === next.message_id &&
    first.seq === next.seq &&
    callOf(first) === callOf(next) &&
    first.run_id === next.run_id &&
    first.scope === next.scope
  )
}

const callOf = (delta: Untimed) => (delta.type === 'answer-delta' ? delta.call_id : null)

function deltaAt({ first, n, texts, times }: Stretch, index: number): Delta {
  return { ...first, delta: texts[index] ?? '', n: n + index, time: new Date(times[index] ?? 0).toISOString() }
}
