import type { AuditActor } from './audit.ts'
import type { ModelFailure, Protocol } from './model.ts'
import type { Problem, RunMode } from './event.ts'
import type { MessageKind, Role } from './message.ts'
import type { Pending } from './pending.ts'
import type { EndedBy, FinishReason, LoggedError, OrchestratorName, Status } from './run.ts'
import { type Money, NO_USAGE, type Spending, type Usage } from './usage.ts'
import { roleOfBranch } from './role.ts'
import type { JsonSchema } from './tool.ts'

/** Where one call of the last reply stands. `asked`: it waits as a pending item. */
type CallStatus = 'open' | 'asked' | 'approved' | 'refused' | 'answered' | 'started'

/** A call of the last reply that has no result yet. */
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
  /** Who allowed the call, and the fingerprint of the tool and the arguments that they allowed. Null: nobody did. */
  approval: { by: AuditActor; signature: string } | null
  expired: boolean
  /** The call asked a question while it ran, and a human declined it, or gave no answer in time (`cancel`); absent: neither. */
  declined?: 'decline' | 'cancel'
  /** Fingerprint of the tool and its arguments. */
  signature: string
  /** The call sends out an address or a code that untrusted text may have made up. */
  unseen: boolean
  /** Names of the hooks that were asked about the call before it was made; absent: none were. */
  hooks?: string[]
  /** Set if the caller runs this call, and the server never does: the caller's name for the tool. */
  client?: string
  /** Seq of the event that holds the result that the caller gave, and the milliseconds until it came; absent: there is none. */
  result?: { seq: number; ms: number }
}

/** The most that a model call may spend: it counts as spent until the usage of the call is known. */
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

/** One branch of a run: the run's own (scope null), that of a sub-task, or that of a role. Each orchestrator adds to it what it keeps of a branch. */
export interface BranchState {
  /** The newest message of the branch; null: there is none. */
  last: { messageId: string; role: Role; kind: MessageKind } | null
  /** Calls of the last reply that have no result yet, in the order written. */
  calls: OpenCall[]
  /** What is wrong with the last reply as a whole, such as that it calls nothing: the model is to be warned. Null: nothing is. */
  problem: Problem | null
  /** Calls of the last reply that the text protocol does not run. */
  droppedCalls: number
  /** The model call under way, or cut by a crash. */
  model: { messageId: string; alias: string; attempt: number; reserved: Reservation } | null
  /** The alias that wrote the last reply. */
  answeredBy?: string
  /** The iteration that is open; 0: none is. */
  iterationOpen: number
  /** Replies in a row that could not be followed. */
  errorsInARow: number
  /** Whether calls are among the errors in a row; absent: none are. */
  hasBadCalls?: true
  /** Fingerprint of the last reply, until it is known whether it can be followed. */
  said?: string
  /** Fingerprints of the last replies that could not be followed, newest last, since one that could; absent: none. */
  faults?: string[]
  /** The newest of these replies that has words for the reader: its seq, and whether it is only words (`reply`) or has a call beside them; absent: none
   *  has. */
  words?: { seq: number; are: 'reply' | 'beside' }
  /** Seq of the last reply, whatever it calls, if it has words for its reader. */
  lastWords?: number
  /** Why the last model call of a sub-task or role failed; null: it did not. (That of the run itself is in the run.) */
  failure: ModelFailure | null
  /** Seqs of its task and of its newest prompt (0: none), where it is not the run's own. */
  taskSeq: number
  promptSeq: number
  /** Hashes of the last turns, newest last: by them a loop is detected. */
  trail: string[]
  /** The calls with their results of the turn that is going on. */
  turn: string[]
  /** True once the model was told that it repeats itself, until it does something else. */
  toldOfCircles: boolean
  /** The call of `finish` that ended this branch; its reason is the result. */
  finishedBy: string | null
  /** The last reply calls nothing and is the output. */
  isOutput?: true
  /** Number of replies that made calls. */
  toolTurns: number
  /** Number of calls that were made, each counted at its first start. */
  toolCalls: number
  /** Answers in a row that did not fit the output schema. */
  misfits: number
  /** Whether a result in the branch was cut; absent in the run's own branch, of which `SessionState.hasCutResult` says it. */
  hasCutResult?: boolean
  /** The branch that it is a part of; null: the run's own. Absent: its name says it (`branchesAbove`). */
  parent?: string | null
  /** The orchestrator that decides in it; absent: the agent. */
  orchestrator?: OrchestratorName
  /** Messages that steer it, and how many of them its model was told; absent: none. */
  steers?: number
  heardSteers?: number
  /** A model call is open that has read all messages before it; absent: there is none. */
  isAsking?: true
  /** Why a model call of the branch was refused, such as for want of budget; absent: none was. */
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
  /** The event that began the run holds what a door of another protocol needs to find again. */
  hasDoor?: true
  /** Seq of the event that ended the run, which holds its result; 0: not ended. */
  endSeq: number
  error: LoggedError | null
  endedBy: EndedBy | null
  /** The run ended because the model went on giving the same reply. */
  loop?: true
  /** Protocol that an alias with `auto` turned out to speak. */
  protocol: Protocol | null
  /** Ids of the tools that were run, in the order of their first use. */
  toolsUsed: string[]
  scopes: Record<string, BranchState>
  /** The worker that was picked for the whole run; null: none was. */
  worker: string | null
  /** Id of the key whose budget pays for the run; absent or null: no key's budget does. */
  payer?: string | null
  /** The schema that its answer has to fit; null: none; absent: that of the session. */
  outputSchema?: JsonSchema | null
  /** Seq of the event that holds the tools that the caller runs; absent: there are none. */
  clientToolsSeq?: number
}

/** Changes with the reducer: a stored state of another version is thrown away, and all events are reduced anew. */
export const STATE_VERSION = 9

/** What the reducer makes of a session's log: all that `decide` looks at. Its size is bounded, and it holds no message text. Each orchestrator adds to it
 *  what it keeps from run to run. */
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
  /** The messages of the run's own branch that a model reads: those after `coveredSeq`, and the summary of the older ones (0: none). Together they are
   *  about `tokens` tokens. */
  window: { tokens: number; coveredSeq: number; summarySeq: number }
  pending: Pending[]
  /** Messages that wait for the run to end, oldest first. `seq`: the event that holds the content. */
  queue: { seq: number; runId: string; mode: RunMode }[]
  usage: Usage
  /** What the newest run and a few before it spent, for the sums of the tenant. Absent: nothing. */
  spending?: Spending[]
  /** Where untrusted text came into the context: ids of tools, `webhook`, `memory`, `attachment`. Empty: there is none. */
  taint: string[]
  /** Hosts that the user's own words name, newest last. */
  namedHosts: string[]
  /** Whether a result was ever cut, so that there is something to read on. */
  hasCutResult: boolean
  /** A file was once written to the workspace; absent: none was. */
  hasFiles?: true
  /** This model refused images: those of messages up to this seq are not sent to it again. Absent: none did. */
  refusedImages?: { model: string; seq: number }
  /** Ids of tools that the model has found by searching, newest last; absent: none. */
  foundTools?: string[]
  run: RunState | null
  /** The log has an event of a later release that must not be skipped: this release does not go on with the session. Absent: it has none. */
  needsNewer?: true
}

/** The key of the run's own branch in `RunState.scopes`. */
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

/** The state of a log that has no events. `now`: Unix ms. */
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

/** How many steering messages of a branch its model has not read yet. */
export function unheardSteers({ steers = 0, heardSteers = 0 }: Pick<BranchState, 'steers' | 'heardSteers'>): number {
  return steers - heardSteers
}

type Scopes = Pick<RunState, 'scopes'>

/** A branch and those that it is a part of, itself first: a sub-task is a part of its role, a role of its sub-task. */
export function branchesAbove({ scopes }: Scopes, scope: string | null): string[] {
  const branches: string[] = []
  for (let branch = scope; branch !== null && !branches.includes(branch);) {
    branches.push(branch)
    branch = scopes[branch]?.parent ?? roleOfBranch(branch).owner
  }
  return branches
}

/** A branch with all that are parts of it. */
export function branchesOf(run: Scopes, scope: string): string[] {
  const isWithin = (branch: string) => branch !== MAIN && branch !== scope && branchesAbove(run, branch).includes(scope)
  return [scope, ...Object.keys(run.scopes).filter(isWithin)]
}
