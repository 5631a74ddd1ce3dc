import type { HeldSettings } from '../../domain/settings.ts'
import type { Engine } from '../../engine/engine.ts'
import type { TenantParty } from '../../engine/work.ts'
import type { SettingsCopy } from '../ports.ts'
import { LIMITS } from '../../domain/limits.ts'
import { withinTime } from '../../lib/wait.ts'
import type { KeepAlive } from '../../mcp/offers.ts'

/** The engine of one session as its tenant has set it. */
export class TenantEngine {
  readonly #base: Engine
  readonly #hold: KeepAlive
  readonly #copy: SettingsCopy | null
  #party: TenantParty | null = null
  /** What the copy has; undefined: nobody looked. */
  #copied: HeldSettings | null | undefined
  #renewing: Promise<boolean> | null = null

  constructor(base: Engine, hold: KeepAlive, copy: SettingsCopy | null = null) {
    this.#base = base
    this.#hold = hold
    this.#copy = copy
  }

  get now(): Engine {
    const tenants = this.#base.tenants
    if (!tenants || this.#party === null) return this.#base
    const last = tenants.held(this.#party.tenant) === undefined ? this.#last() : null
    return tenants.of(this.#party, last)
  }

  /** Have at hand what holds now, with the lists of the tenant's skills and APIs, which are asked for at the same time. False: it cannot
   *  be read, and was never known. Null: it is at hand. */
  renew({ tenant, user }: TenantParty): Promise<boolean> | null {
    const party = { tenant, user }
    const { tenants, skills, apis } = this.#base
    const loading = tenants?.load(party) ?? null
    this.#party = party
    if (loading) return Promise.all([loading, skills.load(tenant), apis.sources(tenant)]).then(() => this.#keep())
    this.#refresh(party)
    this.#keep()
    return null
  }

  /** What is in use is read anew before it is too old, so that no run of a busy tenant waits for it. */
  #refresh(party: TenantParty): void {
    const { tenants, skills, apis } = this.#base
    const { tenant } = party
    const refreshing = [tenants?.refresh(party), skills.refresh(tenant), apis.refreshSources(tenant)]
    for (const work of refreshing) if (work) this.#hold(work)
  }

  /** What was read lately does not count: a change is known of. */
  forget(party: TenantParty): void {
    this.#base.tenants?.forget(party)
  }

  /** The same between two moves, once at a time: a read that takes long goes on beside the next one. */
  renewInTime(): Promise<unknown> | null {
    this.#renewing ??= this.#renewBeside()
    return this.#renewing && withinTime(this.#renewing, LIMITS.settings.awaitedMs).catch(() => undefined)
  }

  #renewBeside(): Promise<boolean> | null {
    const renewing = this.#party === null ? null : this.renew(this.#party)
    if (!renewing) return null
    const held = renewing.finally(() => (this.#renewing = null))
    this.#hold(held)
    return held
  }

  /** What was read is copied where it is something else; what a tenant never set is not. */
  #keep(): boolean {
    const held = this.#party === null ? null : this.#base.tenants?.held(this.#party.tenant)
    if (held === undefined && this.#base.tenants) return this.#last() !== null
    if (held && this.#copy && this.#last()?.version !== held.version) {
      this.#copy.write(held)
      this.#copied = held
    }
    return true
  }

  #last(): HeldSettings | null {
    if (this.#copied === undefined) this.#copied = this.#copy?.read() ?? null
    return this.#copied
  }
}
