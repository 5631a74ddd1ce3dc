import type { SessionEvent } from '../../domain/event.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { PlanData, PlanTask } from '../../domain/plan.ts'
import { roleOfBranch } from '../../domain/role.ts'
import { cutText } from '../../lib/text.ts'
import type { Chunk } from './chunks.ts'

/** A round of a team by what its roles said. */
interface Round {
  round: number
  roles: readonly string[]
  messages: { from: string; to: readonly string[]; content: string }[]
}

/** Plan and team as data parts. A part that comes again under its id takes the place of the one before. */
export class DataParts {
  readonly #put: (chunk: Chunk) => void
  #plan: PlanData | null = null
  #round: Round | null = null

  constructor(put: (chunk: Chunk) => void) {
    this.#put = put
  }

  tell(event: SessionEvent): void {
    switch (event.type) {
      case 'plan':
        this.#plan = event.plan
        return this.#tellPlan()
      case 'task-start':
      case 'task-end':
      case 'task-retry':
        return this.#task(event.task)
      case 'round-start':
        if (event.scope !== null) return
        this.#round = { round: event.round, roles: event.roles, messages: [] }
        return this.#tellTeam()
      case 'team-message': {
        if (!this.#round || (event.scope !== null && roleOfBranch(event.scope).owner !== null)) return
        const { sent_from: from, send_to: to, content } = event.message
        this.#round.messages.push({ from, to, content: cutText(content, LIMITS.door.noteCharsMax) })
        return this.#tellTeam()
      }
      default:
    }
  }

  #task(task: PlanTask): void {
    if (!this.#plan) return
    this.#plan = { ...this.#plan, tasks: this.#plan.tasks.map((one) => (one.id === task.id ? task : one)) }
    this.#tellPlan()
  }

  #tellPlan(): void {
    this.#put({ type: 'data-plan', id: 'plan', data: this.#plan })
  }

  #tellTeam(): void {
    this.#put({ type: 'data-team', id: `round-${this.#round?.round}`, data: this.#round })
  }
}
