import type { FinishReason, Status } from './run.ts'

/** A session of the same tenant that waits until the run of this one is over. */
export interface Awaiter {
  session: string
  /** The pending item by which it waits. */
  item: string
  /** Whom it works for; null: nobody in particular. */
  user: string | null
  /** Unix ms from which on it does not wait any more. */
  until: number
}

/** The same as it is kept: for the end of which run, that the log does not hold up to `seq`. */
export interface KeptAwaiter extends Awaiter {
  run: string
  seq: number
}

/** Why a session is not waited for: there is none that this one may know of, it waits for this one itself, or too many wait for it. */
const NOT_AWAITED = ['not_found', 'circle', 'full'] as const
export type NotAwaited = (typeof NOT_AWAITED)[number]

/** What a session that waits is told: how the run ended. `idle`: there was none. */
export interface AwaitedEnd {
  session: string
  run: string | null
  status: Status | 'deleted'
  finish_reason: FinishReason | null
  result: string | null
  error: { code: string; detail: string } | null
  /** Only the beginning of the result is here. */
  truncated?: true
  /** Its words may come from outside. */
  untrusted?: true
}

/** What the session that is waited for says: that it will tell, how its run ended, or why it does not tell. */
export type AwaitedAnswer = { is: 'kept' } | { is: 'over'; end: AwaitedEnd } | { is: 'refused'; why: NotAwaited }

export interface NotAwaitedNews {
  session: string
  status: NotAwaited
}

/** What ends a wait for a session. */
export type AwaitedNews = AwaitedEnd | NotAwaitedNews

export function isNotAwaited(news: AwaitedNews): news is NotAwaitedNews {
  return (NOT_AWAITED as readonly string[]).includes(news.status)
}
