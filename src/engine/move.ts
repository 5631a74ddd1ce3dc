import type { Assignment, Bounds } from '../domain/assignment.ts'
import type { Problem } from '../domain/event.ts'
import type { PlanPurpose } from '../domain/plan.ts'
import type { FinishReason, Status } from '../domain/run.ts'
import type { OpenCall, RunState, BranchState } from '../domain/state.ts'
import type { TeamRole, TeamState } from '../domain/team.ts'
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

/** What is to be done next. Moves with a `key` take time; one of a key is under way at most. The others are done at once. */
export type Move =
  | { type: 'prompt'; scope: string | null }
  /** With what has to be asked for, such as what is remembered of the user. */
  | { type: 'prompt'; scope: string | null; key: string }
  | { type: 'call-model'; scope: string | null; key: string; attempt: number }
  /** Have the model summarise older messages, so that the rest fits. */
  | { type: 'compact'; scope: string | null; key: string; attempt: number }
  /** Ask for a plan, or for what takes the place of its end, without tools. */
  | { type: 'call-planner'; purpose: PlanPurpose; scope: string | null; key: string; attempt: number }
  /** Take the plan that a human edited, or an empty one where the planner gave none. `scope`: whose plan it is. */
  | { type: 'take-plan'; scope: string | null }
  /** Have a human look at the newest plan. */
  | { type: 'ask-plan'; scope: string | null }
  | { type: 'start-task'; scope: string }
  | { type: 'end-task'; scope: string; status: 'completed' | 'failed'; code: string | null }
  /** The roles that have news act upon it. `scope`: the sub-task that the team works at, null for the session's own. */
  | { type: 'start-round'; scope: string | null }
  | { type: 'end-round'; scope: string | null }
  /** Ask a role's model which of its actions comes next. `scope`: the branch of the role. */
  | { type: 'choose-action'; scope: string; key: string; attempt: number }
  /** Begin the action that was chosen. */
  | { type: 'start-action'; scope: string }
  /** Tell the model who it is, what the team is for, and what it has to do. */
  | { type: 'prompt-role'; scope: string }
  /** Ask the person who does the action. */
  | { type: 'ask-role'; scope: string }
  /** Put what the action gave on the bus. */
  | { type: 'publish'; scope: string; key: string }
  /** A role's turn is over without a word. */
  | { type: 'end-turn'; scope: string }
  | { type: 'call-tool'; scope: string | null; key: string; callId: string; attempt: number }
  /** Give a call its result without running it. */
  | { type: 'reject-call'; scope: string | null; callId: string; refusal: Refusal }
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

/** A team, and where it stands. */
export interface TeamAtWork {
  roles: readonly TeamRole[]
  state: TeamState
}

/** What a decide function looks at: the fold of the log, the limits, and what is under way in this process. */
export interface RunView {
  run: RunState
  /** The team that works in the session (null), or at a sub-task; null: none does. */
  team(owner: string | null): TeamAtWork | null
  limits: {
    maxIterations: number
    maxIterationsTotal: number
    errorsInARowMax: number
    /** Times that a cycle is gone through before it is one; 0: never. */
    repeatsMax: number
    deadlineMs: number | null
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
  /** How a branch ends. */
  assignment(scope: string | null): Bounds & Pick<Assignment, 'finish'>
  /** Whether the prompt says what has to be asked for: what is remembered of the user, the skills of the tenant. */
  promptTakesTime: boolean
  /** Whether each plan waits for a human. */
  reviewsPlans: boolean
  /** Whether older messages have to be summarised before the model can be called again. */
  mustCompact(): boolean
  isIdempotent(call: OpenCall): boolean
  /** Whether such calls of one reply are made one after the other, in the order written. */
  sequential(call: OpenCall): boolean
  isQuestion(call: OpenCall): boolean
}

export type Decide = (view: RunView) => Move[]

export interface BranchView extends RunView {
  scopeId: string | null
  scope: BranchState
}
