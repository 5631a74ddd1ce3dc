import { isDelta, type SessionEvent, type StreamedDelta } from '../../domain/event.ts'
import { LIMITS } from '../../domain/limits.ts'
import { isCutReason } from '../../domain/cut-reason.ts'
import type { PlanTask } from '../../domain/plan.ts'
import { isObject } from '../../lib/json.ts'
import { cutText } from '../../lib/text.ts'
import type { Frames, StreamAbout, StreamProjection } from '../../session/queries/projection.ts'
import { isControl } from '../../tools/control.ts'
import { TaskReader, type TaskView } from './reader.ts'
import { TaskRest } from './rested.ts'
import { TaskWords } from './said.ts'

/** Events → what A2A tells of a task. A task is a run, from its first event on. Source: the A2A specification 1.0, "Streaming". */

export const taskUpdates: StreamProjection = (about) => new TaskFrames(about, about.options as TaskView)

class TaskFrames implements Frames {
  readonly beat: string
  readonly #reader: TaskReader
  readonly #words: TaskWords
  readonly #notes: TaskNotes
  readonly #rest: TaskRest
  #hasRested = false

  constructor(about: StreamAbout, view: TaskView) {
    this.beat = view.form === 'stream' ? ': keep-alive\n\n' : ''
    this.#reader = new TaskReader(about, view)
    this.#words = new TaskWords(this.#reader)
    this.#notes = new TaskNotes(this.#reader)
    this.#rest = new TaskRest(this.#reader)
  }

  of({ event }: { event: SessionEvent | StreamedDelta }): readonly string[] {
    if (isDelta(event)) this.#words.delta(event)
    else this.#event(event)
    return this.#reader.take()
  }

  caughtUp(): string {
    this.#reader.open()
    return this.#reader.take().join('')
  }

  end(): string {
    if (this.#reader.view.form !== 'stream') return this.#reader.whole()
    const isLate = this.#reader.open()
    // A reader that came late hears how it ended as any other does.
    if (isLate && this.#hasRested) this.#reader.send(this.#reader.task.told())
    return this.#reader.take().join('')
  }

  #event(event: SessionEvent): void {
    switch (event.type) {
      case 'run-start':
      case 'run-resume':
        return this.#begins(event)
      case 'iteration-start':
        return this.#works(event.time)
      case 'model-start':
        this.#works(event.time)
        return event.scope === null ? this.#words.called(event) : undefined
      case 'model-end':
        if (event.ok && event.scope === null) this.#rest.isCut = isCutReason(event.finish_reason)
        return
      case 'message':
        return event.scope === null ? this.#words.message(event.message) : undefined
      case 'tool-start':
        return this.#notes.tool(event)
      case 'pending':
        return this.#rest.asked(event.pending)
      case 'pending-end':
        return this.#rest.decided(event.id)
      case 'plan':
        return this.#notes.plan(event.plan.tasks)
      case 'task-start':
      case 'task-end':
        return this.#notes.plan([event.task])
      case 'team-message':
        return this.#notes.team(event)
      case 'file':
        return this.#rest.file(event)
      case 'run-pause':
      case 'run-end':
        return this.#rests(event)
      default:
    }
  }

  #begins(event: SessionEvent & { type: 'run-start' | 'run-resume' }): void {
    const { task, about } = this.#reader
    const { a2a } = event.door ?? {}
    if (isObject(a2a)) this.#reader.kept = { ...this.#reader.kept, ...a2a }
    task.contextId = this.#reader.kept.contextId ?? about.sessionId
    this.#hasRested = false
    if (event.type === 'run-resume') return this.#reader.send(task.to('TASK_STATE_WORKING', event.time))
    if (event.output_schema !== undefined) this.#words.isStructured = event.output_schema !== null
    task.status = { state: 'TASK_STATE_SUBMITTED', timestamp: event.time }
  }

  #works(time: string): void {
    const { task } = this.#reader
    if (task.status.state === 'TASK_STATE_SUBMITTED') this.#reader.send(task.to('TASK_STATE_WORKING', time))
  }

  #rests(event: SessionEvent & { type: 'run-end' | 'run-pause' }): void {
    this.#hasRested = true
    this.#words.end(event.type === 'run-end' ? event.result : null)
    this.#rest.tell(event)
  }
}

/** What is told beside the state of a task while it is worked at: calls of tools, the plan with its sub-tasks, a team. */
class TaskNotes {
  readonly #reader: TaskReader
  readonly #plan = new Map<string, PlanTask>()

  constructor(reader: TaskReader) {
    this.#reader = reader
  }

  /** Which tool is called, for whoever watches. */
  tool({ call_id: id, tool, client, scope, attempt }: SessionEvent & { type: 'tool-start' }): void {
    if (client || isControl(tool) || attempt > 1) return
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
