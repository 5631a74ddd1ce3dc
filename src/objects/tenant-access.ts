import { DurableObject } from 'cloudflare:workers'
import { KeyBook } from '../access/key-book.ts'
import { LinkBook } from '../access/link-book.ts'
import type { KeyLimits, KeyPatch, MadeKey } from '../domain/access.ts'
import type { Link, OpenedLink } from '../domain/link.ts'
import { makeWithAnswer, type Done } from '../store/claims.ts'
import { DIRECTORY_SCHEMA } from '../store/directory.ts'
import { lazyDatabase } from './database.ts'
import type { Env } from './env.ts'

/** Who may do what in a tenant, and how much of it. */
export class TenantAccess extends DurableObject<Env> {
  /** Its tables are made when something is first kept or looked for; to be asked for a key makes nothing. */
  protected readonly db = lazyDatabase(this.ctx.storage, DIRECTORY_SCHEMA)
  readonly #keys = new KeyBook(this.db)
  readonly #links = new LinkBook(this.db)

  /** Null: no such key, in a tenant that may not be. */
  admitKey(hash: string) {
    return this.db.isThere() ? this.#keys.admit(hash, Date.now()) : null
  }

  /** Count a request of a key that the config holds. */
  takeRequest(id: string, limits: KeyLimits) {
    return this.#keys.take(id, limits, Date.now())
  }

  putKey(key: MadeKey, hash: string, done: Done | null) {
    return makeWithAnswer(this.db, done, () => this.#keys.put(key, hash))
  }

  apiKey(id: string) {
    const key = this.#keys.get(id)
    return key && { key, remaining: this.#keys.remaining(key, Date.now()) }
  }

  apiKeys(cursor: string | undefined, limit: number) {
    return this.#keys.list(cursor, limit)
  }

  patchKey(id: string, patch: KeyPatch) {
    return this.#keys.patch(id, patch)
  }

  revokeKey(id: string) {
    return this.#keys.revoke(id, Date.now())
  }

  /** The proof that the token of this new link needs; null: there are as many as there may be. */
  mintLink(link: Link, done: Done | null) {
    return this.#links.mint(link, done, Date.now())
  }

  /** What a token opens, in a tenant that may not be. */
  openLink(id: string, proof: string): Promise<OpenedLink> | OpenedLink {
    return this.db.isThere() ? this.#links.open(id, proof, Date.now()) : { outcome: 'unknown' }
  }

  sessionLinks(sessionId: string, cursor: string | undefined, limit: number) {
    return this.#links.list(sessionId, { now: Date.now(), cursor, limit })
  }

  revokeLink(sessionId: string, id: string) {
    return this.#links.revoke(sessionId, id)
  }

  rotateLinks() {
    this.#links.rotate()
  }
}
