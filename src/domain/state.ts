import type { Protocol } from './model.ts'
import type { Problem, RunMode } from './event.ts'
import type { MessageKind, Role } from './message.ts'
import type { Pending } from './pending.ts'
import type { FinishReason, Orchestrator, RunError, Status } from './session.ts'
import type { Money, Usage } from './usage.ts'
import type { ModelFailure } from './model.ts'

/** Where one call of the last reply stands. `asked`: it waits as a pending item; `cut`: see `attempt`. */
export type CallStatus = 'open' | 'asked' | 'approved' | 'refused' | 'answered' | 'started'

export interface OpenCall {
  id: string
  tool: string
  status: CallStatus
  /** Times that the call was started. */
  attempt: number
  problem: Problem | null
  /** A human's words that go with the result. */
  feedback: string | null
  /** Set when the human gave other arguments than the model; they replace those of the message. */
  edited: Record<string, unknown> | null
  expired: boolean
  /** Fingerprint of the tool and its arguments. */
  signature: string
}

/** What a model call may take at most; held until its usage is known. */
export interface Reservation {
  tokens: number
  cost: Money | null
}

/** One line of work within a run: the agent's own (scope null), a sub-task's, a role's. */
export interface ScopeState {
  last: { messageId: string; role: Role; kind: MessageKind } | null
  /** Calls of the last reply that have no result yet, in the order written. */
  calls: OpenCall[]
  /** A reply without a call, an unknown tool or bad parameters in the text protocol: to be warned of. */
  problem: Problem | null
  /** Calls of the last reply that the text protocol does not run. */
  droppedCalls: number
  /** The model call under way, or cut by a crash. */
  model: { messageId: string; alias: string; attempt: number; reserved: Reservation } | null
  iterationOpen: boolean
  /** Fingerprints of the turns so far, newest last, and of the turn whose results are coming in. */
  trail: string[]
  turn: string[]
  /** True once the model was told that it goes in circles, until it does something else. */
  toldOfCircles: boolean
  /** The call of `finish` that ended this line of work; its reason is the result. */
  finishedBy: string | null
}

export interface RunState {
  id: string
  orchestrator: Orchestrator
  /** `active`: moves are made, or were when the process died. `resting`: between batches, waiting for a human, or over. */
  phase: 'active' | 'resting'
  mode: RunMode
  status: Status
  finishReason: FinishReason | null
  /** Seq of the event that began the run, and of its last user message. */
  firstSeq: number
  iterations: number
  batchIterations: number
  errorsInARow: number
  /** Milliseconds in which the run was active before `activeSince` (Unix ms; null while it rests). */
  activeMs: number
  activeSince: number | null
  failure: ModelFailure | null
  /** True after a model said that the window is too long for it, until it was compacted. */
  overflowed: boolean
  usage: Usage
  /** Reservations of calls that were cut before their usage came: they count as spent. */
  held: Reservation
  /** Seq of the event that ended the run, which holds its result; 0: not ended. */
  endSeq: number
  error: RunError | null
  /** Protocol that an alias with `auto` turned out to speak. */
  protocol: Protocol | null
  scopes: Record<string, ScopeState>
}

/** The fold of a session's log: all that `decide` looks at. Bounded; holds no message text. */
export interface SessionState {
  lastSeq: number
  updatedTime: number
  status: Status
  finishReason: FinishReason | null
  lastUserSeq: number
  /** Seq of the newest task, and of the newest prompt (0: none). */
  taskSeq: number
  promptSeq: number
  /** What of the agent's messages is sent: those after `coveredSeq`, about `tokens` with the summary of the rest (0: none). */
  window: { tokens: number; coveredSeq: number; summarySeq: number }
  pending: Pending[]
  /** Messages that wait for the run to end, oldest first; `seq`: of the event that holds the content. */
  queue: { seq: number; runId: string; mode: RunMode }[]
  usage: Usage
  /** Whether a result was ever cut, so that there is something to read on. */
  hasCutResult: boolean
  run: RunState | null
}

export const MAIN = ''

/** A line of work in which nothing has happened yet. */
export function newScope(): ScopeState {
  return {
    last: null,
    calls: [],
    problem: null,
    droppedCalls: 0,
    model: null,
    iterationOpen: false,
    trail: [],
    turn: [],
    toldOfCircles: false,
    finishedBy: null,
  }
}
