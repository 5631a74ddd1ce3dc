import { canonicalJson, sha256Hex } from '../lib/hash.ts'

/** What clients send again and again where their protocol carries no id of a thread: the history. A door knows by it which session goes on. */

/** A history of which one more thing is known: a hash of all before it, and of that. */
export function historyWith(history: string, next: unknown): Promise<string> {
  return sha256Hex(`${history}\n${canonicalJson(next)}`)
}

/** A request that is about to run, by hashes. */
export interface ThreadRequest {
  /** Of all that it asks, so that the same again is known while its run goes on. */
  request: string
  /** Of the history that it continues; null: it begins one. */
  history: string | null
  /** The session that is to be made, if it continues none that is known. */
  session: string
  /** It is sent anew on purpose. */
  isRetry: boolean
  /** It begins a session, whatever is known. */
  isNew?: boolean
}

/** Where a request belongs. */
export interface ThreadPlace {
  session: string
  /** The run that was the newest of the session then; null: there is to be a session first. */
  after: string | null
}

/** The run of a request rests. `history`: what its client will continue. */
export interface ThreadRest {
  request: string
  history: string
  session: string
  run: string
}
