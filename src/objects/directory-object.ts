import { DurableObject } from 'cloudflare:workers'
import type { SessionSummary } from '../domain/session.ts'
import { DIRECTORY_SCHEMA, listSessions, putSession, removeSession, type SessionFilter } from '../store/directory.ts'
import { migrate } from '../store/migrate.ts'
import { objectDatabase } from './database.ts'
import type { Env } from './env.ts'

/** The list of one tenant's sessions. */
export class DirectoryObject extends DurableObject<Env> {
  readonly #db = objectDatabase(this.ctx.storage)

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
}
