import { LIMITS } from '../domain/limits.ts'
import { nextDueTime, openTriggers, TRIGGERS_SCHEMA } from '../store/triggers.ts'
import { isMigrated } from '../store/migrate.ts'
import { Bell, Starter, type TriggerPorts } from './starter.ts'
import { Deliveries } from './deliveries.ts'
import { Schedules } from './schedules.ts'
import { Webhooks } from './webhooks.ts'

/** What starts tasks of a tenant without anybody asking. */
export class Triggers {
  readonly webhooks: Webhooks
  readonly deliveries: Deliveries
  readonly schedules: Schedules
  readonly #ports: TriggerPorts
  readonly #bell: Bell
  readonly #starter: Starter

  constructor(ports: TriggerPorts) {
    this.#ports = ports
    this.#bell = new Bell(ports.alarm, () => nextDueTime(ports.db))
    this.#starter = new Starter(ports, this.#bell)
    this.webhooks = new Webhooks(ports)
    this.deliveries = new Deliveries(ports, this.webhooks, this.#starter)
    this.schedules = new Schedules(ports, this.#starter, this.#bell)
  }

  /** Before the first trigger is made. */
  open(tenant: string): void {
    openTriggers(this.#ports.db, tenant)
  }

  /** What the alarm does: start what is due, and start again what was not seen to start. It takes some at a time, then rings again. */
  async wake(): Promise<void> {
    const { db, now } = this.#ports
    if (!isMigrated(db, TRIGGERS_SCHEMA)) return
    this.#bell.reset(now() + LIMITS.trigger.guardMs)
    await this.#starter.retry()
    await this.#starter.startAll(this.schedules.claimDue())
    const due = nextDueTime(db)
    this.#bell.reset(due === null || !this.#starter.busy ? due : Math.min(due, now() + LIMITS.trigger.guardMs))
  }
}
