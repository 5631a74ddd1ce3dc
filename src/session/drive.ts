import type { RunMode } from '../domain/event.ts'
import { LIMITS } from '../domain/limits.ts'
import { limitsOf } from './engine.ts'
import { expiryEvents } from './commands/decide.ts'
import type { Journal } from './journal.ts'
import { endEvents, pauseEvents } from './moves/quick.ts'
import type { SessionPorts } from './ports.ts'
import { publish } from './publish.ts'
import { Runner } from './runner.ts'
import { isActive } from './state.ts'

/** Keeps a session's run going: by the request that asked for it, by the alarm, and again after a crash. */
export class Driver {
  readonly #journal: Journal
  readonly #ports: SessionPorts
  readonly #runner: Runner

  constructor(journal: Journal, ports: SessionPorts) {
    this.#journal = journal
    this.#ports = ports
    this.#runner = new Runner({ journal, engine: ports.engine }, { compacts: ports.compacts })
  }

  /** True while moves are under way in this process. */
  get busy(): boolean {
    return this.#runner.busy
  }

  /** Drive the run: `request` settles when it rests or `request_ms` is over; `background` leaves it to the alarm. */
  async go(mode: RunMode): Promise<void> {
    this.#ports.alarm.set(this.#ports.now() + (mode === 'background' ? 0 : LIMITS.run.watchdogMs))
    if (mode === 'background') return publish(this.#journal, this.#ports)
    const work = this.#drive(Infinity)
    this.#ports.keepAlive(work)
    await Promise.race([work, this.#requestBound(work)])
  }

  /** What the alarm does: expire what waited too long, recover what was cut, go on with what is open. */
  async wake(): Promise<void> {
    const { alarm, now } = this.#ports
    if (!this.#journal.exists) return
    alarm.set(now() + LIMITS.run.watchdogMs)
    if (this.busy) return
    const expired = expiryEvents(this.#journal)
    if (expired.length > 0) this.#journal.append(expired)
    if (isActive(this.#journal.state)) await this.#drive(now() + LIMITS.run.backgroundBatchMs)
    else await this.#settle()
    if (isActive(this.#journal.state)) alarm.set(now())
  }

  /** Take up a run that died with its process, without waiting for it. */
  recover(): void {
    if (!this.busy && isActive(this.#journal.state)) this.#ports.keepAlive(this.wake())
  }

  abort(reason: string): void {
    this.#runner.abort(reason)
  }

  async #drive(until: number): Promise<void> {
    try {
      await this.#runner.drive(until)
    } catch (error) {
      this.#fail(error)
    }
    await this.#settle()
  }

  /** Leave the session so that it wakes when it has to, and is listed as it is. */
  async #settle(): Promise<void> {
    if (!this.#journal.exists) return
    const due = this.#dueTime()
    if (due === null) this.#ports.alarm.clear()
    else this.#ports.alarm.set(due)
    await publish(this.#journal, this.#ports)
  }

  /** Settles after `request_ms`; the run then rests, and what is under way ends in the background. */
  #requestBound(work: Promise<void>): Promise<void> {
    const ms = limitsOf(this.#ports.engine, this.#journal.record).request_ms
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        const { run } = this.#journal.state
        if (run?.phase === 'active' && run.mode === 'request') this.#journal.append(pauseEvents(this.#journal, 'rest'))
        resolve(publish(this.#journal, this.#ports))
      }, ms)
      void work.finally(() => clearTimeout(timer))
    })
  }

  #fail(error: unknown): void {
    this.#ports.report(error)
    this.#runner.abort('a bug')
    if (!this.#journal.exists || !isActive(this.#journal.state)) return
    const end = { type: 'end', status: 'failed', finishReason: 'failed', code: 'internal_error' } as const
    this.#journal.append(endEvents(end, { journal: this.#journal, engine: this.#ports.engine }))
  }

  /** When the session has to wake: as the watchdog of an open run, else at the next expiry, else never. */
  #dueTime(): number | null {
    if (isActive(this.#journal.state)) return this.#ports.now() + LIMITS.run.watchdogMs
    const expiries = this.#journal.state.pending.map((item) => Date.parse(item.expires_time))
    return expiries.length === 0 ? null : Math.min(...expiries)
  }
}
