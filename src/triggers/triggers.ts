import { nextDueTime, openTriggers } from '../store/triggers.ts'
import { isMigrated } from '../store/migrate.ts'
import { Bell } from './bell.ts'
import { Deliveries } from './deliveries.ts'
import type { TriggerPorts } from './ports.ts'
import { Starter } from './starter.ts'
import { Webhooks } from './webhooks.ts'

/** What starts tasks of a tenant without anybody asking. */
export class Triggers {
  readonly webhooks: Webhooks
  readonly deliveries: Deliveries
  readonly #ports: TriggerPorts
  readonly #bell: Bell
  readonly #starter: Starter

  constructor(ports: TriggerPorts) {
    this.#ports = ports
    this.#bell = new Bell(ports.alarm)
    this.#starter = new Starter(ports, this.#bell)
    this.webhooks = new Webhooks(ports)
    this.deliveries = new Deliveries(ports, this.webhooks, this.#starter)
  }

  /** Before the first trigger is made. */
  open(tenant: string): void {
    openTriggers(this.#ports.db, tenant)
  }

  /** What the alarm does: start what was not seen to start. */
  async wake(): Promise<void> {
    const { db } = this.#ports
    if (!isMigrated(db)) return
    await this.#starter.retry()
    this.#bell.reset(nextDueTime(db))
  }
}
