import type { SessionEvent } from '../../domain/event.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { PlanTask } from '../../domain/plan.ts'
import { cutText } from '../../lib/text.ts'
import { CONTROL_IDS } from '../../tools/control.ts'
import type { TaskReader } from './reader.ts'

/** What is told beside the state of a task while it is worked at: calls of tools, the plan with its sub-tasks, a team. */
export class TaskNotes {
  readonly #reader: TaskReader
  readonly #plan = new Map<string, PlanTask>()

  constructor(reader: TaskReader) {
    this.#reader = reader
  }

  /** Which tool is called, for whoever watches. */
  tool({ call_id: id, tool, client, scope, attempt }: SessionEvent & { type: 'tool-start' }): void {
    if (client || CONTROL_IDS.has(tool) || attempt > 1) return
    this.#reader.send(this.#reader.task.told({ metadata: { 'yaa/tool': { call_id: id, name: tool, scope } } }))
  }

  plan(changed: readonly PlanTask[]): void {
    for (const one of changed) this.#plan.set(one.id, one)
    const tasks = [...this.#plan.values()].map(
      ({ id, round, name, worker, description, depends_on, status, error }) => ({
        id,
        round,
        name,
        worker,
        description: cutText(description, LIMITS.door.noteCharsMax),
        ...(depends_on ? { depends_on } : {}),
        status,
        error,
      }),
    )
    this.#reader.task.note('yaa/plan', { tasks })
    this.#reader.send(this.#reader.task.told({ metadata: { 'yaa/plan': { tasks } } }))
  }

  team({ seq, message: { sent_from: from, content } }: SessionEvent & { type: 'team-message' }): void {
    const text = cutText(content, LIMITS.door.noteCharsMax)
    const message = this.#reader.task.message('ROLE_AGENT', `team-${seq}`, [{ text }], { 'yaa/role': from })
    this.#reader.send(this.#reader.task.told({ message }))
  }
}
