import { fail, ok, type Result } from '../domain/errors.ts'
import { LIMITS } from '../domain/limits.ts'
import type { Schedule, SchedulePatch } from '../domain/schedule.ts'
import type { Firing, FiringFacts, StartWork } from '../domain/start.ts'
import { idBefore, newId } from '../lib/id.ts'
import { claimFiring, findFiring, type LogBounds, type NewFiring } from '../store/firings.ts'
import { dueTriggers, moveTrigger, type NextFiring, type StoredTrigger } from '../store/triggers.ts'
import type { Bell, Starter, TriggerPorts } from './starter.ts'
import { nextOf, patchedSchedule, type Timed } from './schedule-spec.ts'
import { type TriggerPage, TriggerStore } from './trigger-store.ts'

type Stored = StoredTrigger<Schedule>

/** The schedules of a tenant: any number of them on one alarm. */
export class Schedules {
  readonly #ports: TriggerPorts
  readonly #starter: Starter
  readonly #bell: Bell
  readonly #store: TriggerStore<Schedule>

  constructor(ports: TriggerPorts, starter: Starter, bell: Bell) {
    this.#ports = ports
    this.#starter = starter
    this.#bell = bell
    const max = LIMITS.trigger.schedulesMax
    this.#store = new TriggerStore(ports.db, { prefix: 'sch', what: 'schedule', plural: 'schedules', max })
  }

  /** Keep a schedule; one that the request made before is given as it is now. */
  add({ spec, next }: Timed, request: string | null): Result<Stored> {
    return this.#rung(this.#store.add(spec, next, request, this.#ports.now()))
  }

  get(id: string): Result<Stored> {
    return this.#store.find(id)
  }

  list(page: TriggerPage): Stored[] {
    return this.#store.list(page)
  }

  patch(id: string, patch: SchedulePatch): Result<Stored> {
    const now = this.#ports.now()
    return this.#rung(this.#store.change(id, (known) => patchedSchedule(known, patch, this.#ports), null, now))
  }

  remove(id: string): Result<null> {
    return this.#store.remove(id)
  }

  runs(id: string, page: TriggerPage): Result<Firing[]> {
    return this.#store.log(id, page)
  }

  /** Start a run now, once for a `request`; when the schedule fires next does not change. */
  async start(id: string, request: string | null): Promise<Result<Firing>> {
    const known = this.get(id)
    if (!known.ok) return known
    const now = this.#ports.now()
    const key = `t:${request ?? newId('srn', now)}`
    this.#claim(this.#firingOf(known.value, { due: now, time: now }, { key, isTest: true }))
    const claimed = findFiring(this.#ports.db, id, key)
    const firing = claimed && (await this.#starter.start(claimed.id))
    return firing ? ok(firing) : fail({ code: 'not_found', what: 'schedule' })
  }

  /** Write down what is due and when it is due again, each schedule in one transaction. Gives the firings that are to be started. */
  claimDue(): string[] {
    const { db, now } = this.#ports
    const due = dueTriggers<Schedule>(db, now(), LIMITS.trigger.batchMax)
    return due.flatMap((stored) => this.#claimOne(stored) ?? [])
  }

  #claimOne(stored: Stored): string | null {
    const { db, now } = this.#ports
    const { spec, next } = stored
    if (!next) return null
    const firing = this.#firingOf(stored, next, { key: `d:${next.due}` })
    return db.transaction(() => {
      moveTrigger(db, spec.id, nextOf(spec, Math.max(now(), next.due), this.#ports))
      return this.#claim(firing) && firing.work ? firing.id : null
    })
  }

  #claim(firing: NewFiring): boolean {
    const { db, now } = this.#ports
    return db.transaction(() => claimFiring(db, firing, runBounds(now())))
  }

  #firingOf(stored: Stored, { due, time }: NextFiring, { key, isTest }: { key: string; isTest?: true }): NewFiring {
    const now = this.#ports.now()
    const { spec } = stored
    const isMissed = spec.missed === 'skip' && now - time > LIMITS.trigger.missedAfterMs
    const facts: FiringFacts = {
      due,
      ...(isTest ? { isTest } : {}),
      ...(isMissed ? { reason: 'it could not run when it was due' } : {}),
    }
    return {
      id: newId('srn', now),
      trigger: spec.id,
      key,
      time: now,
      status: isMissed ? 'missed' : 'pending',
      facts,
      work: isMissed ? null : workFor(stored, due),
      retryTime: isMissed ? null : now + LIMITS.trigger.retryMs,
    }
  }

  #rung(stored: Result<Stored>): Result<Stored> {
    if (stored.ok && stored.value.next) this.#bell.ringBy(stored.value.next.time)
    return stored
  }
}

const WHEN_BUSY = { skip: 'reject', queue: 'queue', interrupt: 'interrupt', allow: 'queue' } as const

/** The run of a schedule: in a session of its own, or in the one that all of its runs share. */
function workFor({ spec, lastSession }: Stored, due: number): StartWork {
  const metadata = { trigger: 'schedule', schedule_id: spec.id, due_time: new Date(due).toISOString() }
  const { overlap, session } = spec
  const minds = session === 'new' && lastSession !== null && (overlap === 'skip' || overlap === 'interrupt')
  return {
    thread: session === 'same' ? '' : null,
    input: { ...spec.with, task: spec.task, title: spec.name, metadata },
    whenBusy: WHEN_BUSY[overlap],
    untrusted: false,
    ...(minds ? { before: { sessionId: lastSession, policy: overlap } } : {}),
  }
}

/** How much of a schedule's log is kept. */
function runBounds(now: number): LogBounds {
  const { runsMax: entriesMax, runsKeptMs, forgottenAtOnceMax } = LIMITS.trigger
  return { entriesMax, forgottenAtOnceMax, oldestId: idBefore('srn', now - runsKeptMs) }
}
