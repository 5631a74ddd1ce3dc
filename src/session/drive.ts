import type { RunMode } from '../domain/event.ts'
import { LIMITS } from '../domain/limits.ts'
import type { AgentResponseData } from '../domain/session.ts'
import { expiryEvents } from './commands/decide.ts'
import { dequeueEvents } from './commands/queue.ts'
import { dueTime } from './due.ts'
import { limitsOf } from './engine.ts'
import type { Journal } from './journal.ts'
import { endEvents, pauseEvents } from './moves/quick.ts'
import type { SessionPorts } from './ports.ts'
import { agentResponse } from './projections.ts'
import { publish } from './publish.ts'
import { Runner } from './runner.ts'
import { isActive } from './state.ts'

type Waiter = (response: AgentResponseData) => void

/** Keeps a session's runs going: by the request that asked for one, by the alarm, and again after a crash. */
export class Driver {
  readonly #journal: Journal
  readonly #ports: SessionPorts
  readonly #runner: Runner
  readonly #waiters = new Map<string, Waiter[]>()
  #driving: Promise<void> | null = null

  constructor(journal: Journal, ports: SessionPorts) {
    this.#journal = journal
    this.#ports = ports
    this.#runner = new Runner({ journal, engine: ports.engine }, { compacts: ports.compacts })
  }

  /** True while moves are under way in this process. */
  get busy(): boolean {
    return this.#runner.busy
  }

  /** Drive the newest run: here and now for a request, by the alarm in the background. */
  go(mode: RunMode): void {
    this.#ports.alarm.set(this.#ports.now() + (mode === 'background' ? 0 : LIMITS.run.watchdogMs))
    if (mode === 'background') return this.#ports.keepAlive(publish(this.#journal, this.#ports))
    const work = this.#drive(Infinity)
    this.#boundRequest(work)
    this.#ports.keepAlive(work)
  }

  /** The answer of a run, once it rests and the list of sessions knows. */
  rested(runId: string): Promise<AgentResponseData> {
    return new Promise((resolve) => this.#waiters.set(runId, [...(this.#waiters.get(runId) ?? []), resolve]))
  }

  /** What the alarm does: expire what waited too long, recover what was cut, go on with what is open or queued. */
  async wake(): Promise<void> {
    const { alarm, now } = this.#ports
    if (!this.#journal.exists) return
    alarm.set(now() + LIMITS.run.watchdogMs)
    if (this.#driving) return
    const expired = expiryEvents(this.#journal)
    if (expired.length > 0) this.#journal.append(expired)
    await this.#drive(now() + LIMITS.run.backgroundBatchMs)
    if (isActive(this.#journal.state)) alarm.set(now())
  }

  /** Take up a run that died with its process, or one that is queued, without waiting for it. */
  recover(): void {
    const { state } = this.#journal
    if (!this.#driving && (isActive(state) || state.queue.length > 0)) this.#ports.keepAlive(this.wake())
  }

  /** Cut what is under way and answer whoever waits for the run, which is over. */
  abort(reason: string): void {
    this.#runner.abort(reason)
    this.#answer()
  }

  /** One driver a session: a second call joins the first. */
  #drive(until: number): Promise<void> {
    this.#driving ??= this.#runs(until)
    return this.#driving
  }

  /** The open run, then those that are queued behind it or came meanwhile. */
  async #runs(until: number): Promise<void> {
    do await this.#driveOne(until)
    while (this.#goesOn(until))
    this.#driving = null
  }

  async #driveOne(until: number): Promise<void> {
    try {
      await this.#runner.drive(until)
    } catch (error) {
      this.#fail(error)
    }
    await this.settle()
  }

  /** Whether there is another run to drive; the next of the queue is started if it may be. */
  #goesOn(until: number): boolean {
    const { exists, state } = this.#journal
    if (!exists || this.#ports.now() >= until) return false
    if (isActive(state)) return true
    const next = dequeueEvents(this.#journal, this.#ports.engine)
    if (next.length > 0) this.#journal.append(next)
    return next.length > 0
  }

  /** Leave the session so that it wakes when it has to, is listed as it is, and whoever waits has the answer. */
  async settle(): Promise<void> {
    if (!this.#journal.exists) return
    const due = dueTime(this.#journal, this.#ports)
    if (due === null) this.#ports.alarm.clear()
    else this.#ports.alarm.set(due)
    await publish(this.#journal, this.#ports)
    this.#answer()
  }

  #answer(): void {
    const { run } = this.#journal.state
    if (!run || run.phase === 'active') return
    const waiters = this.#waiters.get(run.id) ?? []
    this.#waiters.delete(run.id)
    for (const waiter of waiters) waiter(agentResponse(this.#journal))
  }

  /** A request is answered after `request_ms` at the latest; the run then rests, and what is under way ends in the background. */
  #boundRequest(work: Promise<void>): void {
    const ms = limitsOf(this.#ports.engine, this.#journal.record).request_ms
    const timer = setTimeout(() => {
      const { run } = this.#journal.state
      if (run?.phase === 'active' && run.mode === 'request') this.#journal.append(pauseEvents(this.#journal, 'rest'))
      this.#ports.keepAlive(publish(this.#journal, this.#ports).then(() => this.#answer()))
    }, ms)
    void work.finally(() => clearTimeout(timer))
  }

  #fail(error: unknown): void {
    this.#ports.report(error)
    this.#runner.abort('a bug')
    if (!this.#journal.exists || !isActive(this.#journal.state)) return
    const end = { type: 'end', status: 'failed', finishReason: 'failed', code: 'internal_error' } as const
    this.#journal.append(endEvents(end, { journal: this.#journal, engine: this.#ports.engine }))
  }
}
