import type { Problem } from '../domain/event.ts'
import type { FinishReason, Status } from '../domain/session.ts'
import type { OpenCall, RunState, ScopeState } from '../domain/state.ts'
import type { Permission } from '../domain/tool.ts'

/** Why a call gets its result without being run. */
export type Refusal =
  | { code: 'problem'; problem: Problem }
  | { code: 'denied' }
  | { code: 'refused' }
  | { code: 'expired' }
  | { code: 'interrupted' }

/** What is to be done next. Moves with a `key` take time; one of a key is under way at most. The others are done at once. */
export type Move =
  | { type: 'prompt'; scope: string | null }
  | { type: 'call-model'; scope: string | null; key: string; attempt: number }
  /** Have the model summarise older messages, so that the rest fits. */
  | { type: 'compact'; scope: string | null; key: string; attempt: number }
  | { type: 'call-tool'; scope: string | null; key: string; callId: string; attempt: number }
  /** Give a call its result without running it. */
  | { type: 'refuse-call'; scope: string | null; callId: string; refusal: Refusal }
  /** Give the human's answer to the question that a call asked. */
  | { type: 'answer-call'; scope: string | null; callId: string }
  /** Make the pending item of a call that only a human can decide. */
  | { type: 'ask'; scope: string | null; callId: string }
  | { type: 'warn'; scope: string | null; problem: Problem }
  /** Tell the model that calls of its reply were not run. */
  | { type: 'note-dropped'; scope: string | null; count: number }
  /** Rest until a human has decided. */
  | { type: 'wait' }
  /** Rest at the bound of this request. */
  | { type: 'rest' }
  /** `code`: why a run failed, as the error of the response names it; null for a good end. */
  | { type: 'end'; status: Status; finishReason: FinishReason; code: string | null }

export type TimedMove = Extract<Move, { key: string }>

/** What a decide function looks at: the fold of the log, the limits, and what is under way in this process. */
export interface RunView {
  run: RunState
  limits: {
    maxIterations: number
    maxIterationsTotal: number
    errorsInARowMax: number
    /** Times that a cycle is gone through before it is one; 0: never. */
    repeatsMax: number
    deadlineMs: number | null
    attemptsMax: number
  }
  /** Milliseconds that the run has been active, now included. */
  activeMs: number
  /** Keys of moves that this process is performing. A move started and not ended that is not among them was cut. */
  inFlight: ReadonlySet<string>
  permission(call: OpenCall): Permission
  /** Whether older messages have to be summarised before the model can be called again. */
  mustCompact(): boolean
  isIdempotent(call: OpenCall): boolean
  isQuestion(call: OpenCall): boolean
}

export type Decide = (view: RunView) => Move[]

export interface ScopeView extends RunView {
  scopeId: string | null
  scope: ScopeState
}
