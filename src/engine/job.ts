import type { NewEvent } from '../domain/event.ts'
import type { FileChange } from '../domain/file.ts'
import type { ModelReply, ModelRequest, ModelSpec } from '../domain/model.ts'
import type { CallPurpose } from '../domain/plan.ts'
import type { SessionRecord } from '../domain/session.ts'

/** What a model call may take at most, of the budgets of tenant, user and key. */
export interface CallReservation {
  /** Null: it may be made; else how the run ends. */
  ask(): Promise<{ code: string; detail: string } | null>
  /** It is not made after all. */
  giveBack(): Promise<void>
}

/** What goes into the log with the events of a move. */
export interface Outcome {
  events: NewEvent[]
  record?: SessionRecord
  texts?: { key: string; text: string }[]
  files?: FileChange[]
  /** The branches that are over with it: what is under way for them is cut. */
  ends?: readonly string[]
}

/** A move that takes time: what is written before it, the work, and whether its outcome is still wanted after it. */
export type Job =
  | {
      begin: NewEvent[]
      end?: undefined
      /** What is reserved before it is begun; null: nothing is. */
      reservation?: CallReservation | null
      /** False once the run was cancelled or ended meanwhile: then the outcome is dropped. */
      isCurrent(): boolean
      /** The outcome of what takes no time, written with its begin; null: it has to be worked for. */
      runSync?(): Outcome | null
      /** A function says it at the moment in which it is written: nothing else is written between. */
      work(signal: AbortSignal): Promise<NewEvent[] | Outcome | (() => Outcome)>
    }
  /** The move cannot be made: the run ends instead. */
  | { begin: NewEvent[]; end: { code: string; detail?: string } }

/** A call that offers no tools: whatever the reply says is its output. */
export interface ToollessCall {
  scope: string | null
  attempt: number
  /** What clients are told that it is for. */
  purpose?: CallPurpose
  /** Whether watchers hear the reply while it is written. */
  isHeard: boolean
  request: (spec: ModelSpec) => ModelRequest
  /** What the reply changes, beside that the call ended (`ended`). A function is asked at the moment in which its outcome is written. */
  settle: (reply: ModelReply, call: EndedCall) => NewEvent[] | Outcome | (() => Outcome)
}

export interface EndedCall {
  messageId: string
  /** That the call ended, by whom it was answered, and what was spent. */
  ended: () => NewEvent[]
  /** That its reply is of no use, which is a failure of the model. */
  failed: (detail: string) => NewEvent[]
}

/** What watchers are told of files that a message brings along. */
export function fileEvents(changes: readonly FileChange[]): NewEvent[] {
  return changes.map((change) => fileEvent(change, null))
}

/** What watchers are told of a change of the workspace. */
export function fileEvent(change: FileChange, scope: string | null): NewEvent {
  const size = change.action === 'write' ? change.bytes.byteLength : 0
  return { type: 'file', scope, action: change.action, path: change.path, size }
}
