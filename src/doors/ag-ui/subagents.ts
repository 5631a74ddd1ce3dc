import type { SessionEvent } from '../../domain/event.ts'
import type { Pending } from '../../domain/pending.ts'
import type { Status } from '../../domain/run.ts'
import { type Invocation, Invocations } from './agents.ts'
import type { EventFrames } from './frames.ts'

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
