import type { EventType, SessionEvent } from '../../domain/event.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { PlanData, PlanTask } from '../../domain/plan.ts'
import { roleOfBranch } from '../../domain/role.ts'
import type { Status } from '../../domain/run.ts'
import { cutText } from '../../lib/text.ts'
import type { Chunk } from './chunks.ts'

/** A round of a team by what its roles said. */
interface Round {
  round: number
  roles: readonly string[]
  messages: { from: string; to: readonly string[]; content: string }[]
}

/** What plans and the team are made of. */
export const DATA_EVENTS: readonly EventType[] = [
  'plan',
  'task-start',
  'task-end',
  'task-retry',
  'round-start',
  'team-message',
]

/** Plans and the team of a run as data parts. A part that comes again under its id takes the place of the one before. */
export class DataParts {
  /** By whose it is: a role of the team, or the run's own (null). */
  readonly #plans = new Map<string | null, PlanData>()
  #round: Round | null = null

  /** The part that an event changes, as it is then; null: none. */
  follow(event: SessionEvent): Chunk | null {
    switch (event.type) {
      case 'plan':
        return this.#plan(event.scope, event.plan)
      case 'task-start':
      case 'task-end':
      case 'task-retry':
        return this.#task(event.task)
      case 'round-start':
        if (event.scope !== null) return null
        return this.#team({ round: event.round, roles: event.roles, messages: [] })
      case 'team-message':
        return this.#said(event)
      default:
        return null
    }
  }

  /** The run is over: a plan is what came of it. */
  close(status: Status): Chunk[] {
    if (status !== 'completed' && status !== 'failed' && status !== 'cancelled') return []
    return Array.from(this.#plans, ([owner, plan]) => this.#plan(owner, { ...plan, status }))
  }

  #task(task: PlanTask): Chunk | null {
    const { owner = null } = task
    const plan = this.#plans.get(owner)
    if (!plan) return null
    return this.#plan(owner, { ...plan, tasks: plan.tasks.map((one) => (one.id === task.id ? task : one)) })
  }

  #plan(owner: string | null, data: PlanData): Chunk {
    this.#plans.set(owner, data)
    return { type: 'data-plan', id: owner === null ? 'plan' : `plan-${owner}`, data }
  }

  #said({ message, scope }: SessionEvent & { type: 'team-message' }): Chunk | null {
    const round = this.#round
    if (!round || (scope !== null && roleOfBranch(scope).owner !== null)) return null
    const { sent_from: from, send_to: to, content } = message
    const said = { from, to, content: cutText(content, LIMITS.door.noteCharsMax) }
    return this.#team({ ...round, messages: [...round.messages, said] })
  }

  #team(round: Round): Chunk {
    this.#round = round
    return { type: 'data-team', id: `round-${round.round}`, data: round }
  }
}
