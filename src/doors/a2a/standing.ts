import { taskIdOf } from '../../domain/task-id.ts'
import type { Artifact, Streamed, Task, StateName, ToldMessage, ToldPart, ToldStatus } from './shapes.ts'

/** How a task stands: all that was told of it. */
export class TaskStanding {
  readonly id: string
  contextId: string
  status: ToldStatus
  readonly #history: ToldMessage[] = []
  readonly #artifacts = new Map<string, Artifact>()
  #metadata: Record<string, unknown>

  constructor({ session, run, owner }: { session: string; run: string; owner: string }) {
    this.id = taskIdOf({ session, run, owner })
    this.contextId = session
    this.status = { state: 'TASK_STATE_SUBMITTED', timestamp: new Date(0).toISOString() }
    this.#metadata = { 'yaa/session': session, 'yaa/run': run }
  }

  message(
    role: ToldMessage['role'],
    messageId: string,
    parts: ToldPart[],
    metadata?: Record<string, unknown>,
  ): ToldMessage {
    const { id: taskId, contextId } = this
    return { messageId, contextId, taskId, role, parts, ...(metadata ? { metadata } : {}) }
  }

  remember(message: ToldMessage): void {
    this.#history.push(message)
  }

  note(name: string, value: unknown): void {
    this.#metadata = { ...this.#metadata, [name]: value }
  }

  /** The task comes to be in a state. What its status said before is history. */
  to(
    state: StateName,
    timestamp: string,
    { message, metadata }: { message?: ToldMessage; metadata?: Record<string, unknown> } = {},
  ): Streamed {
    this.settle()
    this.status = { state, timestamp, ...(message ? { message } : {}) }
    return this.told(metadata ? { metadata } : {})
  }

  /** What its status says is history from here on. */
  settle(): void {
    const { message, ...status } = this.status
    if (message) this.remember(message)
    this.status = status
  }

  /** Its state, with something that is told beside. */
  told({ message, metadata }: { message?: ToldMessage; metadata?: Record<string, unknown> } = {}): Streamed {
    const { id: taskId, contextId, status } = this
    const about = message ? { status: { ...status, message } } : { status }
    return { statusUpdate: { taskId, contextId, ...about, ...(metadata ? { metadata } : {}) } }
  }

  /** An artifact as it is told now. `parts`: what is added, or all of it. */
  artifact({ append, lastChunk, ...artifact }: Artifact & { append: boolean; lastChunk: boolean }): Streamed {
    const { id: taskId, contextId } = this
    return { artifactUpdate: { taskId, contextId, artifact, append, lastChunk } }
  }

  keep(artifact: Artifact): void {
    this.#artifacts.set(artifact.artifactId, artifact)
  }

  forget(artifactId: string): void {
    this.#artifacts.delete(artifactId)
  }

  /** `historyLength`: the newest messages; null: all. */
  task({ historyLength, artifacts = true }: { historyLength: number | null; artifacts?: boolean }): Task {
    const { id, contextId, status } = this
    const history = historyLength === 0 ? [] : this.#history.slice(-(historyLength ?? this.#history.length))
    return {
      id,
      contextId,
      status,
      ...(artifacts ? { artifacts: [...this.#artifacts.values()] } : {}),
      ...(history.length > 0 ? { history } : {}),
      metadata: this.#metadata,
    }
  }
}
