import { type Delta, isDelta, type SessionEvent } from '../domain/event.ts'
import { LIMITS } from '../domain/limits.ts'
import type { Cursor } from './deltas.ts'
import { isOpen } from './branches.ts'
import type { Journal } from './journal.ts'

/** One thing told to an observer, with the id by which a client resumes behind it. */
export type ObservedEvent = { id: string; event: SessionEvent | Delta }

/** What of a log somebody is told. */
export interface FollowedPart {
  from: Cursor
  /** Only what belongs to this run is told, until its first `run-end` or `run-pause`; null: everything, until the session is gone. */
  untilRestOf: string | null
  /** Rests up to this seq are passed over; absent: none is. */
  restsUpTo?: number
}

export interface FollowOptions extends FollowedPart {
  /** Nothing is told before the run rests, and then no deltas. */
  isAtRest?: boolean
  /** Aborted when the reader has gone. */
  signal: AbortSignal
}

/** Events and deltas behind a cursor, read from the log as fast as the reader asks: the log is the buffer.
 *  Yields null after `heartbeatMs` of silence, and an empty list once all that there was is told. It is listened from now on, so that what is
 *  written before the reader asks is not read back. */
export function follow(journal: Journal, options: FollowOptions): AsyncGenerator<ObservedEvent[] | null, void, void> {
  return followed(journal, options, new Bell(journal, options.signal))
}

async function* followed(
  journal: Journal,
  { from, untilRestOf, restsUpTo = 0, isAtRest = false, signal }: FollowOptions,
  bell: Bell,
): AsyncGenerator<ObservedEvent[] | null, void, void> {
  let cursor = from
  let isCaughtUp = false
  try {
    if (isAtRest) await atRest(journal, untilRestOf, signal)
    while (!signal.aborted) {
      const heard = bell.next()
      const all = isAtRest ? allBehind(journal, cursor) : readBehind(journal, cursor)
      const observed = untilRestOf === null ? all : all.filter(({ event }) => event.run_id === untilRestOf)
      const end = observed.findIndex(({ event }) => event.seq > restsUpTo && isRestOf(event, untilRestOf))
      const last = all.at(-1)
      if (end >= 0) return yield observed.slice(0, end + 1)
      if (last) {
        cursor = cursorOf(last)
        if (observed.length > 0) yield observed
      } else if (!journal.exists) return
      else if (!isCaughtUp) {
        isCaughtUp = true
        yield []
      } else {
        bell.ringsInSilence()
        if (!(await heard)) yield null
      }
    }
  } finally {
    bell.stop()
  }
}

/** The same up to now: whoever reads it waits for nothing. */
export function* upToNow(
  journal: Journal,
  { from, untilRestOf, restsUpTo = 0 }: FollowedPart,
): Generator<ObservedEvent[], void, void> {
  let cursor = from
  for (;;) {
    const all = readBehind(journal, cursor)
    const last = all.at(-1)
    if (!last) return
    const observed = untilRestOf === null ? all : all.filter(({ event }) => event.run_id === untilRestOf)
    const end = observed.findIndex(({ event }) => event.seq > restsUpTo && isRestOf(event, untilRestOf))
    yield end < 0 ? observed : observed.slice(0, end + 1)
    if (end >= 0) return
    cursor = cursorOf(last)
  }
}

/** Resolves when the run is not driven any more, the session is gone, or the reader. Meanwhile nothing is read. */
function atRest(journal: Journal, runId: string | null, signal: AbortSignal): Promise<void> {
  const isOver = () => signal.aborted || !journal.exists || !isOpen(journal.state, runId)
  return new Promise((resolve) => {
    const look = () => {
      if (!isOver()) return
      stop()
      signal.removeEventListener('abort', look)
      resolve()
    }
    const stop = journal.listen(look)
    signal.addEventListener('abort', look)
    look()
  })
}

function allBehind(journal: Journal, { seq }: Cursor): ObservedEvent[] {
  return journal.eventsAfter(seq, LIMITS.stream.eventsPerPull).map((event) => ({ id: String(event.seq), event }))
}

/** What follows a cursor, deltas of the message in progress included; bounded. */
export function readBehind(journal: Journal, cursor: Cursor): ObservedEvent[] {
  const deltas = journal.deltas.after(cursor, LIMITS.stream.eventsPerPull)
  if (deltas.length > 0) return deltas.map((delta) => ({ id: `${delta.seq}.${delta.n}`, event: delta }))
  const events = journal.eventsAfter(cursor.seq, LIMITS.stream.eventsPerPull)
  const written = events.findIndex((event) => journal.deltas.after({ seq: event.seq, n: 0 }, 1).length > 0)
  return (written < 0 ? events : events.slice(0, written + 1)).map((event) => ({ id: String(event.seq), event }))
}

function cursorOf({ event }: ObservedEvent): Cursor {
  return isDelta(event) ? { seq: event.seq, n: event.n } : { seq: event.seq, n: 0 }
}

function isRestOf(event: ObservedEvent['event'], runId: string | null): boolean {
  return event.run_id === runId && (event.type === 'run-end' || event.type === 'run-pause')
}

/** Rings on the next append or delta or when the reader goes, or says false after a heartbeat's time. */
class Bell {
  readonly #stopListening: () => void
  #ring: (heard: boolean) => void = () => {}
  /** One timer stands for all waits: it looks when it rings how long the last one has lasted (Unix ms). */
  #timer: ReturnType<typeof setTimeout> | undefined
  #since = 0

  constructor(journal: Journal, signal: AbortSignal) {
    this.#stopListening = journal.listen(() => this.#ring(true), true)
    signal.addEventListener('abort', () => this.stop(), { once: true })
  }

  /** Resolves true when it rings, false when nothing was heard for so long (`ringsInSilence`). Ask before reading, await after. */
  next(): Promise<boolean> {
    this.#since = Date.now()
    return new Promise((resolve) => (this.#ring = resolve))
  }

  /** From here on a silence ends what is waited for. */
  ringsInSilence(): void {
    this.#timer ??= this.#lookIn(LIMITS.stream.heartbeatMs)
  }

  #lookIn(ms: number): ReturnType<typeof setTimeout> {
    return setTimeout(() => {
      // Nothing was heard later than now: the clock was set back.
      this.#since = Math.min(this.#since, Date.now())
      const leftMs = this.#since + LIMITS.stream.heartbeatMs - Date.now()
      this.#timer = leftMs > 0 ? this.#lookIn(leftMs) : undefined
      if (leftMs <= 0) this.#ring(false)
    }, ms)
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#stopListening()
    this.#ring(true)
  }
}
