import type { EventType, SessionEvent } from '../../domain/event.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { PlanData, PlanTask } from '../../domain/plan.ts'
import { roleOfBranch } from '../../domain/role.ts'
import type { Status } from '../../domain/run.ts'
import type { TeamData } from '../../domain/team.ts'
import { isObject } from '../../lib/json.ts'
import { cutText } from '../../lib/text.ts'

/** The plan and the team of a run as state that is shared with a client. */

/** A change of it. Source: RFC 6902. */
export type Operation = { op: 'add' | 'replace'; path: string; value: unknown } | { op: 'remove'; path: string }

interface TeamState {
  name: string | null
  round: number
  n_round: number
  roles: { name: string; profile: string; state: string }[]
  /** The newest, oldest first. */
  messages: { from: string; to: string[]; action: string; content: string }[]
}

/** What the state is made of. */
export const STATE_EVENTS: readonly EventType[] = [
  'run-start',
  'plan',
  'task-start',
  'task-end',
  'task-retry',
  'round-start',
  'role-state',
  'team-message',
]

/** Follows the log, and says what changes. What else the client keeps in its state stays as it is. */
export class SharedState {
  readonly #given: Readonly<Record<string, unknown>>
  readonly #spec: TeamData | undefined
  #plan: PlanData | null = null
  #team: TeamState | null

  /** `given`: the state as the client has it. */
  constructor(given: unknown, team: TeamData | undefined) {
    this.#given = isObject(given) ? given : {}
    this.#spec = team
    this.#team = this.#newTeam()
  }

  #newTeam(): TeamState | null {
    if (!this.#spec) return null
    const { name, n_round, roles } = this.#spec
    const shown = roles.map((role) => ({ name: role.name, profile: role.profile, state: 'IDLE' }))
    return { name, round: 0, n_round, roles: shown, messages: [] }
  }

  /** Whether there is anything that the client has otherwise. */
  get isOwn(): boolean {
    return this.#plan !== null || this.#team !== null || 'plan' in this.#given || 'team' in this.#given
  }

  /** All of it. */
  get snapshot(): Record<string, unknown> {
    const { plan: _, team: __, ...rest } = this.#given
    return { ...rest, ...(this.#plan ? { plan: this.#plan } : {}), ...(this.#team ? { team: this.#team } : {}) }
  }

  /** What an event changes; none: nothing. */
  follow(event: SessionEvent): Operation[] {
    if (event.type === 'run-start') return this.#restarted()
    if (event.type === 'run-end') return this.#ended(event.status)
    if (event.type === 'plan') return event.scope === null ? this.#planned(event.plan) : []
    if (event.type === 'task-start' || event.type === 'task-end' || event.type === 'task-retry')
      return this.#worked(event.task)
    return this.#teamed(event)
  }

  #restarted(): Operation[] {
    const had = this.#plan !== null
    this.#plan = null
    this.#team = this.#newTeam()
    const plan: Operation[] = had ? [{ op: 'remove', path: '/plan' }] : []
    return this.#team ? [...plan, { op: 'add', path: '/team', value: this.#team }] : plan
  }

  #planned(plan: PlanData): Operation[] {
    this.#plan = { ...plan, tasks: [...plan.tasks] }
    return [{ op: 'add', path: '/plan', value: plan }]
  }

  /** A plan is what came of its run. */
  #ended(status: Status): Operation[] {
    if (!this.#plan || (status !== 'completed' && status !== 'failed' && status !== 'cancelled')) return []
    this.#plan = { ...this.#plan, status }
    return [{ op: 'replace', path: '/plan/status', value: status }]
  }

  #worked(task: PlanTask): Operation[] {
    const index = this.#plan?.tasks.findIndex(({ id }) => id === task.id) ?? -1
    if (!this.#plan || index < 0) return []
    this.#plan = { ...this.#plan, tasks: this.#plan.tasks.with(index, task) }
    return [{ op: 'replace', path: `/plan/tasks/${index}`, value: task }]
  }

  #teamed(event: SessionEvent): Operation[] {
    const team = this.#team
    if (!team) return []
    if (event.type === 'round-start' && event.scope === null) {
      this.#team = { ...team, round: event.round }
      return [{ op: 'replace', path: '/team/round', value: event.round }]
    }
    if (event.type === 'role-state') return this.#stepped(team, event)
    return event.type === 'team-message' ? this.#heard(team, event) : []
  }

  #stepped(team: TeamState, { scope, role: name, to }: SessionEvent & { type: 'role-state' }): Operation[] {
    const index = team.roles.findIndex((role) => role.name === name)
    const role = team.roles[index]
    if (!role || scope === null || roleOfBranch(scope).owner !== null) return []
    this.#team = { ...team, roles: team.roles.with(index, { ...role, state: to }) }
    return [{ op: 'replace', path: `/team/roles/${index}/state`, value: to }]
  }

  #heard(team: TeamState, { message, scope }: SessionEvent & { type: 'team-message' }): Operation[] {
    if (scope !== null && roleOfBranch(scope).owner !== null) return []
    const { sent_from: from, send_to: to, cause_by: action, content } = message
    const heard = { from, to: [...to], action, content: cutText(content, LIMITS.door.noteCharsMax) }
    const isFull = team.messages.length >= LIMITS.team.historyMax
    this.#team = { ...team, messages: [...(isFull ? team.messages.slice(1) : team.messages), heard] }
    const added: Operation = { op: 'add', path: '/team/messages/-', value: heard }
    return isFull ? [{ op: 'remove', path: '/team/messages/0' }, added] : [added]
  }
}
