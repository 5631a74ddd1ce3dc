import { type AuditAct, AUDIT_LIMITS } from '../domain/audit.ts'
import { sleep } from '../lib/wait.ts'
import { forgetActs, keepActs, leftActs } from '../store/directory.ts'
import { auditObject, type Env } from './env.ts'
import { report } from './report.ts'
import type { lazyDatabase } from './storage.ts'

/** What the audit is to be told of a tenant: kept with what it is about, and brought there before long. */
export class ActsToAudit {
  readonly #db: ReturnType<typeof lazyDatabase>
  readonly #env: Env
  readonly #ctx: Pick<DurableObjectState, 'waitUntil'>
  /** Whether acts are about to be brought to the audit; and the end of what is being brought. */
  #isForwarding = false
  #forwarded: Promise<void> = Promise.resolve()

  constructor(db: ReturnType<typeof lazyDatabase>, env: Env, ctx: Pick<DurableObjectState, 'waitUntil'>) {
    this.#db = db
    this.#env = env
    this.#ctx = ctx
  }

  /** Keep what the audit is to be told, and bring it there before long, with what others tell meanwhile. */
  keep(tenant: string, acts: readonly AuditAct[]): void {
    if (acts.length === 0) return
    keepActs(this.#db, acts)
    if (this.#isForwarding) return
    this.#isForwarding = true
    this.#ctx.waitUntil(sleep(AUDIT_LIMITS.reportMsMax).then(() => this.forward(tenant)))
  }

  /** Bring all to the audit that it was not told, in the order in which it came. What cannot be brought stays for the next time.
   *  One at a time: the number of a row that is gone may be given again, and what was brought is forgotten by its number. */
  forward(tenant: string): Promise<void> {
    this.#isForwarding = false
    this.#forwarded = this.#forwarded.then(() => this.#forwardLeft(tenant))
    return this.#forwarded
  }

  async #forwardLeft(tenant: string): Promise<void> {
    try {
      for (let left = leftActs(this.#db); left; left = leftActs(this.#db)) {
        await auditObject(this.#env, tenant).add(left.acts)
        forgetActs(this.#db, left.upTo)
      }
    } catch (error) {
      report(error)
    }
  }
}
