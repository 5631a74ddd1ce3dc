import type { Assignment, Bounds } from '../domain/assignment.ts'
import type { Problem } from '../domain/event.ts'
import type { FinishReason, Status } from '../domain/run.ts'
import type { BranchState, OpenCall, RunState, SessionState } from '../domain/state.ts'
import type { SessionRecord } from '../domain/session.ts'
import type { Permission } from '../domain/tool.ts'

/** Why a call gets its result without being run. */
export type Refusal =
  | { code: 'problem'; problem: Problem }
  | { code: 'denied' }
  /** The calls that its branch may make are used up. */
  | { code: 'over_limit' }
  | { code: 'refused' }
  | { code: 'expired' }
  | { code: 'interrupted' }
  /** Of a call that the caller makes: it gave no result in time. */
  | { code: 'unanswered' }

/** The kinds of moves and their members. Moves with a `key` take time; of one key, one move is under way at most. All others are made at once.
 *  These are the moves that every run has; each orchestrator adds its own to this interface. */
export interface Moves {
  /** Write the prompt of a branch. With a key: something has to be loaded first, such as what is remembered of the user. */
  prompt: { scope: string | null } | { scope: string | null; key: string }
  /** Load what is remembered of the user, in a run whose main branch has no prompt. */
  'load-memory': { scope: null; key: string }
  'call-model': { scope: string | null; key: string; attempt: number }
  /** Have the model summarise older messages, so that the rest fits. */
  compact: { scope: string | null; key: string; attempt: number }
  /** Have the model name the session after its task. */
  title: { scope: string; key: string; attempt: number }
  /** Ask a hook about a call before it is decided on. */
  'call-hook': { scope: string | null; key: string; callId: string; hook: string }
  'call-tool': { scope: string | null; key: string; callId: string; attempt: number }
  /** Give a call its result without running it. */
  'reject-call': { scope: string | null; callId: string; refusal: Refusal }
  /** Give a call its result: a human's answer to its question, or what the caller's own tool gave. */
  'answer-call': { scope: string | null; callId: string }
  /** Hand a call out to the caller, whose own tool it is of. */
  'hand-out': { scope: string | null; callId: string }
  /** Make the pending item of a call that only a human can decide. */
  ask: { scope: string | null; callId: string }
  /** Tell the model that its last reply could not be followed. */
  warn: { scope: string | null; problem: Problem }
  /** Tell the model that calls of its reply were not run. */
  'note-dropped': { scope: string | null; count: number }
  /** Rest until a human has decided. */
  wait: object
  /** Rest at the bound of this request. */
  rest: object
  /** `code`: why a run failed, as the error of the response names it; null for a good end. `loop`: the model repeated itself, and its
   *  words are the result. */
  end: { status: Status; finishReason: FinishReason; code: string | null; loop?: true }
}

/** A move of one kind. */
export type MoveOf<K extends keyof Moves> = { [One in K]: { type: One } & Moves[One] }[K]

/** One step that is to be done next. */
export type Move = MoveOf<keyof Moves>
export type TimedMove = Extract<Move, { key: string }>

/** What a decide function looks at: the state of the log, the limits, and what is under way in this process. */
export interface RunView {
  /** The run of `state`, which is not null here. */
  run: RunState
  state: SessionState
  /** What the session was made with. */
  record: Pick<SessionRecord, 'config' | 'team' | 'workerTeams'>
  limits: {
    maxIterations: number
    maxIterationsTotal: number
    errorsInARowMax: number
    /** Times that a cycle is gone through before it is one; 0: never. */
    repeatsMax: number
    deadlineMs: number | null
    /** Milliseconds for each sub-task that has no limit of its own. */
    taskTimeoutMs: number | null
    attemptsMax: number
    /** Times that an answer which does not fit is asked for again. */
    answerRetriesMax: number
    maxPlanRounds: number
    maxParallelTasks: number
  }
  /** Milliseconds that the run has been active, now included. */
  activeMs: number
  /** Keys of moves that this process is performing. A move started and not ended that is not among them was cut. */
  inFlight: ReadonlySet<string>
  permission(call: OpenCall): Permission
  /** What bounds the calls of a branch, and how the branch ends. */
  assignment(scope: string | null): Bounds & Pick<Assignment, 'finish'>
  /** Whether something has to be loaded before the prompt of a branch can be written: what is remembered of the user, or the skills of the tenant. */
  promptTakesTime(scope: string | null): boolean
  /** Whether what is remembered of the user is to be loaded beside the prompt of the run. */
  mustLoadMemory: boolean
  /** Whether older messages have to be summarised before the model can be called again. */
  mustCompact(): boolean
  /** The next hook that has to be asked about a call; null: none has. */
  hookFor(call: OpenCall): string | null
  isIdempotent(call: OpenCall): boolean
  /** Whether such calls of one reply are made one after the other, in the order written. */
  sequential(call: OpenCall): boolean
  isQuestion(call: OpenCall): boolean
  /** The moves by which an orchestrator makes a call of one of its tools; null: the call is made as that of any other tool. */
  movesForCall(call: OpenCall): Move[] | null
  /** Moves that another orchestrator makes beside those of the run's own, and (`atEnd`) those that have to come before the run ends; null: none. */
  beside(): { moves: Move[]; atEnd: Move[] } | null
  /** The next moves of another orchestrator in a branch that was given to it. An `end` among them ends the branch, not the run. */
  movesIn(orchestrator: string, branch: string): Move[]
}

export type Decide = (view: RunView) => Move[]

/** A view of one branch of a run. */
export interface BranchView extends RunView {
  scopeId: string | null
  scope: BranchState
}
