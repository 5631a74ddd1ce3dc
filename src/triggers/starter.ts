import type { Alarm, Now, Random } from '../domain/ports.ts'
import type { SessionStarts, Firing, FiringFacts, FiringStatus, StartOptions, StartWork } from '../domain/start.ts'
import type { Database } from '../store/database.ts'
import type { AppError, Result } from '../domain/errors.ts'
import { LIMITS } from '../domain/limits.ts'
import {
  countAttempt,
  getFiring,
  noteWoken,
  overdueFirings,
  placeFiring,
  reclaimFirings,
  settleFiring,
  workOf,
} from '../store/firings.ts'
import { closeThread, markThreadMade, openThread } from '../store/threads.ts'
import { keepLastSession, tenantOfTriggers } from '../store/triggers.ts'

/** What triggers need of the world. */
export interface TriggerPorts {
  db: Database
  now: Now
  random: Random
  alarm: Alarm
  sessions: (tenant: string) => SessionStarts
  /** The id of a session that is to be made. */
  newSessionId: (tenant: string) => Promise<string>
  /** The tag of the language that texts are in where a trigger's config names none. */
  language: string
  /** The time zone of crons that name none. */
  timezone: string
  /** The alarm started the run of a firing, and nobody waits for the answer. */
  startedLate: (firing: Firing) => Promise<void>
  report: (error: unknown) => void
}

/** The one alarm of many due times: it stands at the earliest of them. */
export class Bell {
  readonly #alarm: Alarm
  readonly #nextDue: () => number | null
  /** When it rings; null: not at all; undefined: a process before may have set it, for what is due next. */
  #at: number | null | undefined

  constructor(alarm: Alarm, nextDue: () => number | null) {
    this.#alarm = alarm
    this.#nextDue = nextDue
  }

  /** Ring at this time at the latest; it may ring in vain before. */
  ringBy(time: number): void {
    if (this.#at === undefined) this.reset(Math.min(time, this.#nextDue() ?? time))
    else if (this.#at === null || time < this.#at) this.reset(time)
  }

  /** It rang, or what it stood for has changed: ring at this time and not before; null: not at all. */
  reset(time: number | null): void {
    this.#at = time
    if (time === null) this.#alarm.clear()
    else this.#alarm.set(time)
  }
}

type Outcome = { status: FiringStatus; sessionId: string | null; runId: string | null; facts?: FiringFacts }

/** Starts the runs of firings that were written down, each once: every attempt for a firing has the same key and session. */
export class Starter {
  readonly #ports: TriggerPorts
  readonly #bell: Bell
  /** What this process began before its first alarm, which begins again what others were at; null: that has rung. */
  #begun: Set<string> | null = new Set()
  readonly #underWay = new Set<string>()

  constructor(ports: TriggerPorts, bell: Bell) {
    this.#ports = ports
    this.#bell = bell
  }

  /** Whether starts are under way in this process. */
  get busy(): boolean {
    return this.#underWay.size > 0
  }

  /** Whether this process is about to start the run of a firing. */
  isAt(id: string): boolean {
    return this.#underWay.has(id)
  }

  /** Start the run of a firing. What comes back is still `pending` if its session could not be reached: the alarm tries again. */
  async start(id: string): Promise<Firing | null> {
    this.#underWay.add(id)
    try {
      return await this.#start(id)
    } finally {
      this.#underWay.delete(id)
    }
  }

  async #start(id: string): Promise<Firing | null> {
    const { db, now, report } = this.#ports
    const work = workOf(db, id)
    if (!work) return getFiring(db, id)
    this.#begun?.add(id)
    const attempt = countAttempt(db, id, now() + LIMITS.trigger.retryMs)
    this.#bell.ringBy(now() + LIMITS.trigger.guardMs)
    const firing = getFiring(db, id)
    if (!firing) return null
    if (attempt > LIMITS.trigger.attemptsMax) return this.#settle(firing, failed(UNREACHABLE))
    try {
      const outcome = await this.#outcomeOf(firing, work)
      return outcome ? this.#settle(firing, outcome) : firing
    } catch (error) {
      report(error)
      return firing
    }
  }

  /** Start what was not seen to start, and at once what the process before was at. */
  async retry(): Promise<void> {
    const { db, now } = this.#ports
    if (this.#begun) reclaimFirings(db, now(), this.#begun)
    this.#begun = null
    const overdue = overdueFirings(db, now(), LIMITS.trigger.batchMax)
    const others = new Set(overdue.filter(({ id }) => this.isAt(id)).map(({ id }) => id))
    await this.startAll(
      overdue.map(({ id }) => id),
      async (firing) => {
        if (firing.status === 'started' && !others.has(firing.id)) await this.#ports.startedLate(firing)
      },
    )
  }

  /** Some at a time. `then`: what is done with each. */
  async startAll(ids: readonly string[], then: (firing: Firing) => Promise<void> = async () => {}): Promise<void> {
    const waiting = ids.values()
    const worker = async () => {
      for (const id of waiting) {
        const firing = await this.start(id)
        if (firing) await then(firing)
      }
    }
    await Promise.all(Array.from({ length: LIMITS.trigger.startsAtOnceMax }, worker))
  }

  /** Null: nothing is known, and it is tried again. */
  async #outcomeOf(firing: Firing, work: StartWork): Promise<Outcome | null> {
    const sessions = this.#sessions()
    const { before } = work
    if (before?.policy === 'skip' && (await sessions.isBusy(before.sessionId))) return skipped(firing)
    if (before?.policy === 'interrupt') await sessions.cancel(before.sessionId, firing.trigger)
    const woken = await this.#wake(firing, work)
    if (woken !== undefined) return woken
    const { sessionId, started } = await this.#startIn(firing, work)
    if (started.ok) return { status: 'started', sessionId, runId: started.value }
    const { error } = started
    if (error.code === 'unavailable') return null
    return error.code === 'run_in_progress' ? skipped(firing) : failed(error)
  }

  /** Give a delivery to the sessions that wait for its key: those alone which were noted before the first was given it. Undefined: none waits. */
  async #wake(firing: Firing, { thread, input, untrusted }: StartWork): Promise<Outcome | null | undefined> {
    if (thread === null) return undefined
    const { db } = this.#ports
    const sessions = this.#sessions()
    const { woken = await sessions.waitingFor(thread) } = firing.facts
    if (woken.length === 0) return undefined
    const facts = { ...firing.facts, woken }
    noteWoken(db, { id: firing.id, facts })
    const options = { by: firing.trigger, key: `trigger\n${firing.id}`, whenBusy: 'queue', untrusted } as const
    const given = await Promise.all(woken.map((item) => sessions.deliver(item, input.task, options)))
    if (given.some((one) => !one.ok && one.error.code === 'unavailable')) return null
    const first = given.findIndex(({ ok }) => ok)
    const [taken, item] = [given[first], woken[first]]
    // Whoever waited was answered by somebody else meanwhile: the delivery starts a run like any other.
    if (!taken?.ok || !item) return undefined
    return { status: 'started', sessionId: item.sessionId, runId: taken.value, facts }
  }

  async #startIn(firing: Firing, work: StartWork): Promise<{ sessionId: string; started: Result<string | null> }> {
    const { db } = this.#ports
    const sessions = this.#sessions()
    const options: StartOptions = {
      by: firing.trigger,
      key: `trigger\n${firing.id}`,
      whenBusy: work.whenBusy,
      untrusted: work.untrusted,
    }
    const place = await this.#placeOf(firing, work)
    if (place.made) {
      const added = await sessions.add(place.session, work.input, options)
      if (added.ok || added.error.code !== 'not_found') return { sessionId: place.session, started: added }
      closeThread(db, firing.trigger, place.session)
    }
    const { session } = place.made ? await this.#placeOf({ ...firing, sessionId: null }, work) : place
    placeFiring(db, firing.id, session)
    return { sessionId: session, started: await sessions.start(session, work.input, options) }
  }

  #sessions(): SessionStarts {
    return this.#ports.sessions(tenantOfTriggers(this.#ports.db))
  }

  async #placeOf(firing: Firing, { thread }: StartWork): Promise<{ session: string; made: boolean }> {
    const { db, now, newSessionId } = this.#ports
    const session = firing.sessionId ?? (await newSessionId(tenantOfTriggers(db)))
    if (thread === null) return { session, made: false }
    const wanted = { trigger: firing.trigger, key: thread, session, now: now() }
    return openThread(db, wanted, LIMITS.trigger.threadsMax)
  }

  #settle(firing: Firing, outcome: Outcome): Firing {
    const { db } = this.#ports
    const settled = { ...firing, ...outcome, facts: { ...firing.facts, ...outcome.facts } }
    db.transaction(() => {
      settleFiring(db, settled)
      if (outcome.status !== 'started' || outcome.sessionId === null) return
      markThreadMade(db, firing.trigger, outcome.sessionId)
      keepLastSession(db, firing.trigger, outcome.sessionId)
    })
    return settled
  }
}

const UNREACHABLE: AppError = { code: 'unavailable' }

function skipped({ sessionId }: Firing): Outcome {
  return { status: 'skipped', sessionId, runId: null, facts: { reason: 'the run before is still going' } }
}

function failed(error: AppError): Outcome {
  return { status: 'failed', sessionId: null, runId: null, facts: { reason: reasonOf(error), error } }
}

/** Why nothing was started, in words for the log of a trigger's owner. */
export function reasonOf(error: AppError): string {
  if (error.code === 'bad_signature') return error.reason
  if (error.code === 'too_many') return `${error.code}: at most ${error.max} ${error.what}`
  const issue = 'issues' in error ? error.issues[0] : undefined
  return issue ? [error.code, issue.path, issue.message].filter((part) => part !== '').join(': ') : error.code
}
