import { DurableObject } from 'cloudflare:workers'
import { LIMITS } from '../domain/limits.ts'
import type { SessionSummary } from '../domain/session.ts'
import { claim, keepClaimAnswer, releaseClaim, type Claim, type Claimed, type KeptAnswer } from '../store/claims.ts'
import { DIRECTORY_SCHEMA, listSessions, putSession, removeSession, type SessionFilter } from '../store/directory.ts'
import { migrate } from '../store/migrate.ts'
import { objectDatabase } from './database.ts'
import type { Env } from './env.ts'

/** What one tenant has: the list of its sessions, and the keys of its requests. */
export class DirectoryObject extends DurableObject<Env> {
  readonly #db = objectDatabase(this.ctx.storage)
  /** Keys of stateless calls under way, with the time of their start: gone with the process, as the calls are. */
  readonly #running = new Map<string, number>()

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    migrate(this.#db, DIRECTORY_SCHEMA)
  }

  put(summary: SessionSummary, words: string) {
    putSession(this.#db, summary, words)
  }

  remove(id: string) {
    removeSession(this.#db, id)
  }

  list(filter: SessionFilter) {
    return listSessions(this.#db, filter)
  }

  claim(wanted: Claim): Claimed {
    return claim(this.#db, wanted, Date.now())
  }

  /** As `claim`, for a call whose answer the tenant keeps; null while another with the key is under way. */
  claimRunning(wanted: Claim): Claimed | null {
    const claimed = this.claim(wanted)
    const since = this.#running.get(wanted.key) ?? 0
    if (claimed.outcome === 'again' && !claimed.answer && Date.now() - since < LIMITS.idempotency.runningMsMax)
      return null
    if (claimed.outcome !== 'other_request') this.#running.set(wanted.key, Date.now())
    return claimed
  }

  release(key: string) {
    this.#running.delete(key)
    releaseClaim(this.#db, key)
  }

  keepAnswer(key: string, answer: KeptAnswer | null) {
    this.#running.delete(key)
    if (answer) keepClaimAnswer(this.#db, key, answer)
  }
}
