import type { NewEvent } from '../../domain/event.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { Engine } from '../../engine/engine.ts'
import { limitsOf } from '../../engine/settings.ts'
import { isActive } from '../../log/branches.ts'
import type { Journal } from '../../log/journal.ts'
import type { SessionPorts } from '../../run/ports.ts'
import { expiryEvents } from '../commands/decide.ts'

/** When a run has something to do without a message or decision, such as a step that waits (Unix ms); null: never. */
export function stepsDue({ state }: Journal, { orchestrators }: Engine): number | null {
  const times = state.run ? orchestrators.all.flatMap(({ due }) => due?.(state) ?? []) : []
  return times.length === 0 ? null : Math.min(...times)
}

/** The events of everything that is due by now. A run that rested until then goes on by them. */
export function dueEvents(journal: Journal, engine: Engine): NewEvent[] {
  const { state } = journal
  if (!state.run || (stepsDue(journal, engine) ?? Infinity) > journal.now()) return []
  const events = engine.orchestrators.all.flatMap(({ dueEvents: of }) => of?.(state, journal.now()) ?? [])
  return state.status === 'interrupted' ? [...events, { type: 'run-resume', mode: 'background' }] : events
}

/** When something that is under way reaches its time limit (Unix ms); infinite: nothing has one. */
function lateTime(journal: Journal, engine: Engine): number {
  const { run } = journal.state
  if (!run) return Infinity
  const limits = limitsOf(engine, journal.record)
  const now = journal.now()
  return Math.min(...engine.orchestrators.all.map(({ lateTime: of }) => of?.(run, limits, now) ?? Infinity))
}

/** Writes what is due while a run goes on: steps whose time has come, and items that expire. The alarm only guards the run, and rings too late for
 *  that. */
export class RunClock {
  readonly #journal: Journal
  readonly #ports: Pick<SessionPorts, 'engine' | 'report'>
  readonly #rung: () => void
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(journal: Journal, ports: Pick<SessionPorts, 'engine' | 'report'>, rung: () => void) {
    this.#journal = journal
    this.#ports = ports
    this.#rung = rung
  }

  /** Set the timer to when something is due next; none if nothing is. */
  set(): void {
    this.clear()
    const { state } = this.#journal
    const { engine } = this.#ports
    const expiries = state.pending.map((item) => Date.parse(item.expires_time))
    const next = Math.min(...expiries, stepsDue(this.#journal, engine) ?? Infinity, lateTime(this.#journal, engine))
    if (next === Infinity) return
    const ms = Math.min(Math.max(0, next - this.#journal.now()), LIMITS.run.timerMsMax)
    this.#timer = setTimeout(() => this.#ring(), ms)
  }

  clear(): void {
    clearTimeout(this.#timer)
  }

  #ring(): void {
    const { exists, state } = this.#journal
    if (!exists || !isActive(state)) return
    try {
      const events = [...dueEvents(this.#journal, this.#ports.engine), ...expiryEvents(this.#journal)]
      if (events.length > 0) this.#journal.append(events)
    } catch (error) {
      return this.#ports.report(error)
    }
    this.#rung()
  }
}
