import type { NewEvent } from '../domain/event.ts'
import type { FileChange } from '../domain/file.ts'
import type { ModelReply, ModelRequest, ModelSpec } from '../domain/model.ts'
import type { CallPurpose } from '../domain/plan.ts'
import type { SessionRecord } from '../domain/session.ts'

/** The most that a model call may cost, to be reserved in the budgets of tenant, user and key. */
export interface CallReservation {
  /** Reserve it. Null: the call may be made; else the error with which the run ends. */
  ask(): Promise<{ code: string; detail: string } | null>
  /** The call is not made after all: release what was reserved. */
  giveBack(): Promise<void>
}

/** What goes into the log with the events of a move. */
export interface Outcome {
  events: NewEvent[]
  record?: SessionRecord
  texts?: { key: string; text: string }[]
  files?: FileChange[]
  /** Branches that are over with these events: moves that are under way in them are aborted. */
  ends?: readonly string[]
}

/** A move that takes time. The runner appends `begin`, does the work, and appends the outcome if it is still wanted. */
export type Job =
  | {
      begin: NewEvent[]
      end?: undefined
      /** Asked before `begin` is appended; null: the move needs no reservation. */
      reservation?: CallReservation | null
      /** False once the run was cancelled or has ended: then the outcome is dropped. */
      isCurrent(): boolean
      /** The outcome, if it can be had at once; then it is appended together with `begin`. Null: `work` has to be done. */
      runSync?(): Outcome | null
      /** Do the work. If it gives a function, the runner calls that in the transaction that appends the outcome, so that it sees the newest state. */
      work(signal: AbortSignal): Promise<NewEvent[] | Outcome | (() => Outcome)>
    }
  /** The move cannot be made: the run ends instead. */
  | { begin: NewEvent[]; end: { code: string; detail?: string } }

/** A model call that offers no tools: whatever the model replies is the output. */
export interface ToollessCall {
  scope: string | null
  attempt: number
  /** What the call is for, as clients see it. */
  purpose?: CallPurpose
  /** Whether clients that follow the session see the reply while it is written. */
  isHeard: boolean
  request: (spec: ModelSpec) => ModelRequest
  /** The events of the reply. They have to contain those of `call.ended()` or `call.failed(…)`. A function is called when the events are appended, as in
   *  `Job.work`. */
  settle: (reply: ModelReply, call: EndedCall) => NewEvent[] | Outcome | (() => Outcome)
}

export interface EndedCall {
  /** The id that the reply has as a message. */
  messageId: string
  /** The events of a call that ended well: the model that answered, and what was spent. */
  ended: () => NewEvent[]
  /** The events of a call whose reply cannot be used, which counts as a failure of the model. */
  failed: (detail: string) => NewEvent[]
}

/** The events of files that a message brings along. */
export function fileEvents(changes: readonly FileChange[]): NewEvent[] {
  return changes.map((change) => fileEvent(change, null))
}

/** The event of a change of the workspace. `size` is in bytes; 0 of a file that was deleted. */
export function fileEvent(change: FileChange, scope: string | null): NewEvent {
  const size = change.action === 'write' ? change.bytes.byteLength : 0
  return { type: 'file', scope, action: change.action, path: change.path, size }
}
