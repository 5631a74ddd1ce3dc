import type { AppError } from '../domain/errors.ts'
import { LIMITS } from '../domain/limits.ts'
import type { FiringFacts } from '../domain/start.ts'
import { idBefore, newId } from '../lib/id.ts'
import { type LogBounds, replaceFiring } from '../store/firings.ts'
import type { TriggerPorts } from './ports.ts'
import { reasonOf } from './reason.ts'

const MINUTE_MS = 60_000

/** How much of a webhook's log is kept. */
export function deliveryBounds(now: number): LogBounds {
  const { deliveriesMax: entriesMax, deliveriesKeptMs, forgottenAtOnceMax } = LIMITS.trigger
  return { entriesMax, forgottenAtOnceMax, oldestId: idBefore('dlv', now - deliveriesKeptMs) }
}

/** Deliveries that start nothing because of what they are. They are kept in a ring, so that whoever cannot sign pushes nothing
 *  else out of the log, and only so many a minute. */
export class Refusals {
  readonly #ports: Pick<TriggerPorts, 'db' | 'now'>
  /** Those of the present minute, by webhook. */
  readonly #counts = new Map<string, { minute: number; count: number }>()

  constructor(ports: Pick<TriggerPorts, 'db' | 'now'>) {
    this.#ports = ports
  }

  write(webhookId: string, error: AppError, facts: FiringFacts): void {
    const { db, now } = this.#ports
    const { refusedMax, refusedPerMinuteMax } = LIMITS.trigger
    const { count, minute } = this.#counted(webhookId)
    if (count > refusedPerMinuteMax) return
    const firing = {
      id: newId('dlv', now()),
      trigger: webhookId,
      key: `r:${(minute * refusedPerMinuteMax + count) % refusedMax}`,
      time: now(),
      status: 'refused' as const,
      facts: { ...facts, reason: reasonOf(error), error },
      work: null,
      retryTime: null,
    }
    db.transaction(() => replaceFiring(db, firing, deliveryBounds(now())))
  }

  #counted(webhookId: string): { minute: number; count: number } {
    const minute = Math.floor(this.#ports.now() / MINUTE_MS)
    const known = this.#counts.get(webhookId)
    const counted = { minute, count: known?.minute === minute ? known.count + 1 : 1 }
    this.#counts.set(webhookId, counted)
    return counted
  }
}
