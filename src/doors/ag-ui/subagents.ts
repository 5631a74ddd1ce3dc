import type { SessionEvent } from '../../domain/event.ts'
import type { Pending } from '../../domain/pending.ts'
import { roleOfBranch } from '../../domain/role.ts'
import type { Status } from '../../domain/run.ts'
import type { EventFrames } from './frames.ts'

/** Whom an agent delegates to, told by invocation: a sub-task of a plan, or a role in a round of its team. */
interface Invocation {
  id: string
  scope: string
  name: string
  description: string | null
  parent: string | null
}

/** Follows who is at work in which part of a log. Pure: the same log gives the same ids. */
export class Invocations {
  readonly #open = new Map<string, Invocation>()
  readonly #rounds = new Map<string | null, number>()
  readonly #retries = new Map<string, number>()
  readonly #tasks = new Map<string, { name: string; description: string; owner: string | null }>()

  /** The invocations that an event begins and ends, in this order. */
  follow(event: SessionEvent): { begun: Invocation[]; ended: Invocation[] } {
    const { scope } = event
    if (event.type === 'run-start') this.#forget()
    if (event.type === 'plan') this.#learn(event)
    if (event.type === 'round-start') this.#rounds.set(scope, event.round)
    if (event.type === 'task-retry') this.#retries.set(event.task.id, (this.#retries.get(event.task.id) ?? 1) + 1)
    if (event.type === 'task-start' || event.type === 'task-retry') this.#learnTask(event.task)
    const begun = scope === null || ENDS.includes(event.type) ? [] : this.#begin(scope, event.run_id)
    return { begun, ended: this.#end(event) }
  }

  #forget(): void {
    for (const known of [this.#open, this.#rounds, this.#retries, this.#tasks]) known.clear()
  }

  /** Another stream begins: who is at work is told anew. */
  restart(): void {
    this.#open.clear()
  }

  #learn({ plan }: SessionEvent & { type: 'plan' }): void {
    for (const task of plan.tasks) this.#learnTask(task)
  }

  #learnTask(task: { id: string; name: string; worker: string; description: string; owner?: string }): void {
    const { id, name, worker, description, owner = null } = task
    this.#tasks.set(id, { name: `${name} (${worker})`, description, owner })
  }

  #begin(scope: string, run: string | null): Invocation[] {
    if (this.#open.has(scope)) return []
    const { owner, role } = roleOfBranch(scope)
    const task = owner === null ? this.#tasks.get(scope) : undefined
    const within = task ? task.owner : owner
    const above = within === null ? [] : this.#begin(within, run)
    const nth = task ? this.#retries.get(scope) : this.#rounds.get(owner)
    const made: Invocation = {
      id: `${run ?? ''}.${scope}${nth === undefined ? '' : `.${nth}`}`,
      scope,
      name: task?.name ?? role,
      description: task?.description ?? null,
      parent: within === null ? null : (this.#open.get(within)?.id ?? null),
    }
    this.#open.set(scope, made)
    return [...above, made]
  }

  #end(event: SessionEvent): Invocation[] {
    if (event.type === 'task-end') return this.#close((scope) => isWithin(scope, event.task.id, this.#tasks))
    if (event.type === 'round-end') return this.#close((scope) => isRoleOf(scope, event.scope, this.#tasks))
    return []
  }

  #close(isMeant: (scope: string) => boolean): Invocation[] {
    const ended = [...this.#open.values()].filter(({ scope }) => isMeant(scope)).toReversed()
    for (const { scope } of ended) this.#open.delete(scope)
    return ended
  }

  /** The invocation that a branch of the log is of; null: the agent itself. */
  of(scope: string | null): string | null {
    return scope === null ? null : (this.#open.get(scope)?.id ?? null)
  }

  /** All that are open, the inner ones first. */
  get open(): Invocation[] {
    return [...this.#open.values()].toReversed()
  }
}

const ENDS: readonly string[] = ['task-end', 'round-end', 'round-start', 'plan']

type Tasks = ReadonlyMap<string, { owner: string | null }>

/** Whether a branch is that of a task, or of somebody who works at it. */
function isWithin(scope: string, task: string, tasks: Tasks): boolean {
  if (scope === task) return true
  const above = aboveOf(scope, tasks)
  return above !== null && isWithin(above, task, tasks)
}

/** Whether a branch is of a role of a team, or of a task of such a role. */
function isRoleOf(scope: string, owner: string | null, tasks: Tasks): boolean {
  if (!tasks.has(scope)) return roleOfBranch(scope).owner === owner
  const above = aboveOf(scope, tasks)
  return above !== null && isRoleOf(above, owner, tasks)
}

function aboveOf(scope: string, tasks: Tasks): string | null {
  return tasks.has(scope) ? (tasks.get(scope)?.owner ?? null) : roleOfBranch(scope).owner
}

/** Tells who begins and ends work that the agent gave away. */
export class Subagents {
  readonly #writer: EventFrames
  readonly #invocations = new Invocations()

  constructor(writer: EventFrames) {
    this.#writer = writer
  }

  /** What stands in the log before the stream: nobody is told of it. */
  note(event: SessionEvent): void {
    this.#invocations.follow(event)
  }

  /** The stream begins: who is at work is told anew. */
  restart(): void {
    this.#invocations.restart()
  }

  /** The agent that a branch of the log is of; null: the one that was asked. */
  of(scope: string | null): string | null {
    return this.#invocations.of(scope)
  }

  /** Tells of those whom an event begins; gives those whom it ends, for `end`. */
  begin(event: SessionEvent): Invocation[] {
    const { begun, ended } = this.#invocations.follow(event)
    for (const { id, name, description, parent } of begun)
      this.#writer.put('SUBAGENT_STARTED', {
        subagentRunId: id,
        name,
        ...(description === null ? {} : { description }),
        ...(parent === null ? {} : { parentSubagentRunId: parent }),
      })
    return ended
  }

  end({ id: subagentRunId }: Invocation, event: SessionEvent): void {
    const task = event.type === 'task-end' ? event.task : null
    if (task && task.status !== 'completed') return this.#failed(subagentRunId, task.status, task.error)
    const result = task?.result ?? null
    this.#writer.put('SUBAGENT_FINISHED', { subagentRunId, ...(result === null ? {} : { result }) })
  }

  /** The run is over, and with it whoever was at work. */
  endAll(status: Status): void {
    for (const { id } of this.#invocations.open)
      if (status === 'completed') this.#writer.put('SUBAGENT_FINISHED', { subagentRunId: id })
      else this.#failed(id, status)
  }

  #failed(subagentRunId: string, code: string, message: string | null = null): void {
    this.#writer.put('SUBAGENT_ERROR', { subagentRunId, message: message ?? code, code })
  }

  /** The run waits, and whoever is at work with it: each for what was asked in its branch. */
  suspend(asked: readonly Pending[]): void {
    for (const { id, scope } of this.#invocations.open) {
      const interruptIds = asked.filter((item) => item.scope === scope).map((item) => item.id)
      const outcome = { type: 'suspended', ...(interruptIds.length > 0 ? { interruptIds } : {}) }
      this.#writer.put('SUBAGENT_FINISHED', { subagentRunId: id, outcome })
    }
  }
}
