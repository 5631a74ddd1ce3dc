import type { AuditActor } from './audit.ts'
import type { ModelFailure, Protocol } from './model.ts'
import type { Problem, RunMode } from './event.ts'
import type { MessageKind, Role } from './message.ts'
import type { Pending } from './pending.ts'
import type { EndedBy, FinishReason, LoggedError, OrchestratorName, Status } from './run.ts'
import { type Money, NO_USAGE, type Spending, type Usage } from './usage.ts'
import { roleOfBranch } from './role.ts'
import type { JsonSchema } from './tool.ts'

/** Where one call of the last reply stands. `asked`: it waits as a pending item; `cut`: see `attempt`. */
type CallStatus = 'open' | 'asked' | 'approved' | 'refused' | 'answered' | 'started'

export interface OpenCall {
  id: string
  tool: string
  status: CallStatus
  /** Times that the call was started. */
  attempt: number
  problem: Problem | null
  /** A human's words that go with the result. */
  feedback: string | null
  /** Set when a hook, or the human, gave other arguments than the model; they replace those of the message. */
  edited: Record<string, unknown> | null
  /** Who let it run here, and the fingerprint of what they let run: the tool and its arguments. Null: nobody did. */
  approval: { by: AuditActor; signature: string } | null
  expired: boolean
  /** Whoever was asked in the middle of it said no, or nothing in time; absent: neither. */
  declined?: 'decline' | 'cancel'
  /** Fingerprint of the tool and its arguments. */
  signature: string
  /** It reads an address that untrusted text may have made up. */
  unseen: boolean
  /** Hooks that were asked about it before it is made; absent: none were. */
  hooks?: string[]
  /** The caller runs it, nothing here ever does; this is its own name for the tool. */
  client?: string
  /** Seq of the event that holds the caller's result of it, and how long that took; absent: there is none. */
  result?: { seq: number; ms: number }
}

/** What a model call may take at most; held until its usage is known. */
export interface Reservation {
  tokens: number
  cost: Money | null
}

/** What counts against a run's limits: what was spent, and the reservations of calls that were cut before their usage came.
 *  One amount a currency. */
export interface Charged {
  tokens: number
  costs: Money[]
}

/** One branch within a run: the agent's own (scope null), a sub-task's, a role's. Each orchestrator adds what it keeps of one. */
export interface BranchState {
  last: { messageId: string; role: Role; kind: MessageKind } | null
  /** Calls of the last reply that have no result yet, in the order written. */
  calls: OpenCall[]
  /** A reply without a call, an unknown tool or bad parameters in the text protocol: to be warned of. */
  problem: Problem | null
  /** Calls of the last reply that the text protocol does not run. */
  droppedCalls: number
  /** The model call under way, or cut by a crash. */
  model: { messageId: string; alias: string; attempt: number; reserved: Reservation } | null
  /** The alias that wrote the last reply. */
  answeredBy?: string
  /** The iteration that is open; 0: none is. */
  iterationOpen: number
  errorsInARow: number
  /** Whether calls are among the errors in a row; absent: none are. */
  hasBadCalls?: true
  /** Fingerprint of the last reply, until it is known whether it can be followed. */
  said?: string
  /** Fingerprints of the last replies that could not be followed, newest last, since one that could; absent: none. */
  faults?: string[]
  /** Seq of the newest of those that has words for its reader, and whether it calls nothing; absent: none has. */
  words?: { seq: number; are: 'reply' | 'beside' }
  /** Seq of the last reply, whatever it calls, if it has words for its reader. */
  lastWords?: number
  /** Why the last model call of a sub-task or role failed; null: it did not. (That of the run itself is in the run.) */
  failure: ModelFailure | null
  /** Seqs of its task and of its newest prompt (0: none), where it is not the run's own. */
  taskSeq: number
  promptSeq: number
  /** Fingerprints of the turns so far, newest last, and of the turn whose results are coming in. */
  trail: string[]
  turn: string[]
  /** True once the model was told that it goes in circles, until it does something else. */
  toldOfCircles: boolean
  /** The call of `finish` that ended this branch; its reason is the result. */
  finishedBy: string | null
  /** The last reply calls nothing and is the output. */
  isOutput?: true
  /** Replies that made calls. */
  toolTurns: number
  /** Calls that were made by them, of tools that do something. */
  toolCalls: number
  /** Answers in a row that did not fit the output schema. */
  misfits: number
  /** Whether a result of it was cut, where it is not the run's own. */
  hasCutResult?: boolean
  /** The branch that it is a part of, where its name does not say so; null: the run's own. */
  parent?: string | null
  /** Who works in it, where it is not the agent's loop. */
  orchestrator?: OrchestratorName
  /** Messages that steer it, and how many of them its model was told; absent: none. */
  steers?: number
  heardSteers?: number
  /** A call of its model is open that is told all that was said before it; absent: there is none. */
  isAsking?: true
  /** Why a model call of it was not made: the budget, or the model is not there. */
  refused?: { code: string; detail?: string }
}

export interface RunState {
  id: string
  orchestrator: OrchestratorName
  /** `active`: moves are made, or were when the process died. `resting`: between batches, waiting for a human, or over. */
  phase: 'active' | 'resting'
  mode: RunMode
  status: Status
  finishReason: FinishReason | null
  /** Seq of the event that began the run, and of its last user message. */
  firstSeq: number
  iterations: number
  batchIterations: number
  /** Milliseconds in which the run was active before `activeSince` (Unix ms; null while it rests). */
  activeMs: number
  activeSince: number | null
  failure: ModelFailure | null
  /** True after a model said that the window is too long for it, until it was compacted. */
  overflowed: boolean
  usage: Usage
  charged: Charged
  /** The event that began it holds what a door of another protocol keeps of it. */
  hasDoor?: true
  /** Seq of the event that ended the run, which holds its result; 0: not ended. */
  endSeq: number
  error: LoggedError | null
  endedBy: EndedBy | null
  /** It ended because the model went on giving the same reply. */
  loop?: true
  /** Protocol that an alias with `auto` turned out to speak. */
  protocol: Protocol | null
  /** Ids of the tools that were run, in the order of their first use. */
  toolsUsed: string[]
  scopes: Record<string, BranchState>
  /** The worker that was picked for the whole run; null: none was. */
  worker: string | null
  /** The key whose budget pays; absent or null: none has one. */
  payer?: string | null
  /** What its answer has to fit; null: anything; absent: as the session says. */
  outputSchema?: JsonSchema | null
  /** Seq of the event that holds the tools which its caller runs; absent: there are none. */
  clientToolsSeq?: number
}

/** Told apart from the states that earlier versions of the fold made: those are folded anew. */
export const STATE_VERSION = 9

/** The fold of a session's log: all that `decide` looks at. Bounded; holds no message text. Each orchestrator adds what it keeps over
 *  runs. */
export interface SessionState {
  version: number
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
  /** What the newest run, and the last few before it, spent: as the tenant's sums are told of it. Absent: nothing. */
  spending?: Spending[]
  /** Tools, or other doors, by which untrusted text came into the context; empty: none did. */
  taint: string[]
  /** Hosts that the user's own words name, newest last. */
  namedHosts: string[]
  /** Whether a result was ever cut, so that there is something to read on. */
  hasCutResult: boolean
  /** A file was once written to the workspace; absent: none was. */
  hasFiles?: true
  /** The service of this model refused images; those of messages up to this seq are not shown to it. Absent: it did not. */
  refusedImages?: { model: string; seq: number }
  /** Ids of tools that were found, newest last; absent: none were. */
  foundTools?: string[]
  run: RunState | null
  /** There is an event that this release does not know and must not pass over; absent: there is none. */
  needsNewer?: true
}

export const MAIN = ''

/** A branch in which nothing has happened yet. */
export function newBranch(): BranchState {
  return {
    last: null,
    calls: [],
    problem: null,
    droppedCalls: 0,
    model: null,
    iterationOpen: 0,
    errorsInARow: 0,
    failure: null,
    taskSeq: 0,
    promptSeq: 0,
    trail: [],
    turn: [],
    toldOfCircles: false,
    finishedBy: null,
    toolTurns: 0,
    toolCalls: 0,
    misfits: 0,
  }
}

/** Of a log that has no events. `now`: Unix ms. */
export function newState(now: number): SessionState {
  return {
    version: STATE_VERSION,
    lastSeq: 0,
    updatedTime: now,
    status: 'idle',
    finishReason: null,
    lastUserSeq: 0,
    taskSeq: 0,
    promptSeq: 0,
    window: { tokens: 0, coveredSeq: 0, summarySeq: 0 },
    pending: [],
    queue: [],
    usage: { ...NO_USAGE },
    taint: [],
    namedHosts: [],
    hasCutResult: false,
    run: null,
  }
}

/** How many messages steer a branch that its model was not told yet. */
export function unheardSteers({ steers = 0, heardSteers = 0 }: Pick<BranchState, 'steers' | 'heardSteers'>): number {
  return steers - heardSteers
}

type Scopes = Pick<RunState, 'scopes'>

/** A branch and those that it is a part of, itself first: a sub-task is a part of its role, a role of its sub-task. */
export function branchesAbove({ scopes }: Scopes, scope: string | null): string[] {
  const lines: string[] = []
  for (let line = scope; line !== null && !lines.includes(line);) {
    lines.push(line)
    line = scopes[line]?.parent ?? roleOfBranch(line).owner
  }
  return lines
}

/** A branch with all that are parts of it. */
export function branchesOf(run: Scopes, scope: string): string[] {
  const isWithin = (line: string) => line !== MAIN && line !== scope && branchesAbove(run, line).includes(scope)
  return [scope, ...Object.keys(run.scopes).filter(isWithin)]
}
