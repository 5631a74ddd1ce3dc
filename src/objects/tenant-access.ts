import { DurableObject } from 'cloudflare:workers'
import { KeyRegistry } from '../access/keys.ts'
import { LinkRegistry } from '../access/links.ts'
import { BudgetLedger } from '../budget/budget-ledger.ts'
import type { KeyLimits, KeyPatch, MadeKey } from '../domain/access.ts'
import type { Account, BudgetLimits, BudgetReservation, Period, Settlement } from '../domain/budget.ts'
import type { Link, OpenedLink } from '../domain/link.ts'
import { keepClaimAnswer, makeWithAnswer, type StoredResponse } from '../store/claims.ts'
import type { CountedConnection } from '../store/connections.ts'
import { DIRECTORY_SCHEMA } from '../store/directory.ts'
import { keyLimitsOf } from '../store/keys.ts'
import { giveBackRun, leaseRun } from '../store/run-leases.ts'
import { lazyDatabase } from './storage.ts'
import { Connections } from './connections.ts'
import { type Env, sessionObject } from './env.ts'
import { forgetNearKeys, keysAreNear } from './near-keys.ts'
import { report } from './report.ts'

/** Who may do what in a tenant, and how much of it. */
export class TenantAccess extends DurableObject<Env> {
  /** Its tables are made when something is first kept or looked for; to be asked for a key makes nothing. */
  protected readonly db = lazyDatabase(this.ctx.storage, DIRECTORY_SCHEMA)
  readonly #keys = new KeyRegistry(this.db)
  readonly #budgets = new BudgetLedger(this.db)
  readonly #links = new LinkRegistry(this.db)
  readonly #connections = new Connections({
    db: this.db,
    socketsOf: (session) => sessionObject(this.env, this.ctx.id.name ?? '', session).socketIds(),
    report,
  })

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    forgetNearKeys(ctx.id)
  }

  /** Null: no such key, in a tenant that may not be. */
  admitKey(hash: string) {
    const now = Date.now()
    const admission = this.db.isThere() ? this.#keys.admit(hash, now) : null
    if (admission) keysAreNear(this.ctx.id, this.#keys, now)
    return admission
  }

  /** Count a request of a key that the config holds. */
  takeRequest(id: string, limits: KeyLimits) {
    keysAreNear(this.ctx.id, this.#keys, Date.now())
    return this.#keys.take(id, limits, Date.now())
  }

  /** Count a frame of a socket that a made key opened. */
  takeFrame(id: string) {
    return this.#keys.takeAgain(id, Date.now())
  }

  /** Whether a made key still lets anybody in. */
  holdsKey(id: string) {
    return this.#keys.holds(id, Date.now())
  }

  putKey(key: MadeKey, hash: string, done: StoredResponse | null) {
    return makeWithAnswer(this.db, done, () => this.#keys.put(key, hash))
  }

  apiKey(id: string) {
    const key = this.#keys.get(id)
    if (!key) return null
    const now = Date.now()
    const account: Account = { of: 'key', id, limits: key.limits }
    return { key, remaining: { ...this.#keys.remaining(key, now), ...this.#budgets.remaining(account, now) } }
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

  /** Hold what a model call may take; null: it may be made. */
  reserveBudget(hold: BudgetReservation) {
    const accounts = hold.accounts.map((account) => ({ ...account, limits: this.#limitsOf(account) }))
    return this.#budgets.reserve({ ...hold, accounts }, Date.now())
  }

  settleBudget(id: string, spent: Settlement) {
    this.#budgets.settle(id, spent)
  }

  /** Take a place for a session among those that a key may have in progress. */
  async leaseRun(key: string, session: string, max: number) {
    return leaseRun(this.db, { key, session, max }, Date.now())
  }

  giveBackRun(key: string, session: string) {
    giveBackRun(this.db, key, session)
  }

  openConnection(connection: CountedConnection, max: number) {
    return this.#connections.open(connection, max)
  }

  renewConnection(id: string) {
    this.#connections.renew(id)
  }

  closeConnection(id: string) {
    this.#connections.close(id)
  }

  /** Let a user spend more in these periods; `done`: kept with that. */
  creditUser(user: string, periods: readonly Period[], amounts: Settlement, done: StoredResponse | null) {
    const kept = () => done && keepClaimAnswer(this.db, done)
    this.#budgets.credit({ of: 'user', id: user }, periods, amounts, Date.now(), kept)
  }

  /** What an account was topped up by, and what is left of its budgets. */
  budgetStand(account: Account) {
    const now = Date.now()
    return { credit: this.#budgets.credits(account, now), remaining: this.#budgets.remaining(account, now) }
  }

  /** What is left of budgets. */
  remainingBudgets(accounts: readonly Account[]) {
    const now = Date.now()
    return accounts.map((account) => this.#budgets.remaining({ ...account, limits: this.#limitsOf(account) }, now))
  }

  /** Those of a made key are its own, and stay when it is revoked. */
  #limitsOf({ of, id, limits }: Account): BudgetLimits {
    return (of === 'key' && keyLimitsOf(this.db, id)) || limits
  }

  /** The proof that the token of this new link needs; null: there are as many as there may be. */
  mintLink(link: Link, done: StoredResponse | null) {
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
