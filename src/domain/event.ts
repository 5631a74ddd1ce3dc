import type { HookOutcome, HookPhase } from './tool-hook.ts'
import type { AuditActor } from './audit.ts'
import type { ClientTool } from './client-tool.ts'
import type { Rating } from './feedback.ts'
import type { Message } from './message.ts'
import type { ModelFailure, Protocol } from './model.ts'
import type { Decision, Pending } from './pending.ts'
import type { CallPurpose, PlanData, PlanTask } from './plan.ts'
import type { EndedBy, FinishReason, LoggedError, OrchestratorName, Status } from './run.ts'
import type { Origin } from './telemetry.ts'
import type { RoleStep } from './role.ts'
import type { TeamMessage } from './team.ts'
import type { Money, TokenUsage, Usage } from './usage.ts'
import type { Content } from './content.ts'
import type { NewMessageInput } from './session-input.ts'
import type { JsonSchema } from './tool.ts'
import type { StepStatus, StepType } from './workflow-step.ts'
import type { WorkflowSpec } from './workflow.ts'

/** Why a reply or one of its calls could not be followed. */
export type Problem =
  | { code: 'no_tool_called' }
  /** A reply that was to be the answer says nothing. */
  | { code: 'empty_answer' }
  /** An answer that is not what the output schema asks for. `example`: what fits, where the answer was the schema itself. */
  | { code: 'bad_output'; errors: string[]; example?: string }
  /** The same calls with the same results, again and again. */
  | { code: 'going_in_circles' }
  /** The same reply with the same fault, as often as `repeats_max` says. */
  | { code: 'repeated_reply' }
  | { code: 'unknown_tool'; name: string }
  | { code: 'bad_parameters'; tool: string; errors: { path: string; expected: string }[] }

/** How the driver of a run goes: for one bounded request, or batch by batch until the end. */
export const RUN_MODES = ['request', 'background'] as const
export type RunMode = (typeof RUN_MODES)[number]

/** What a team may spend from here on: so many rounds more, and so much money in all. */
export interface TeamBounds {
  rounds?: number
  investment?: Money
}

/** Who pays for a run from here on: the id of a key that has a budget; null: none any more; absent: as before. */
export interface Payer {
  payer?: string | null
}

/** What the door by which it was asked for wants to find again. */
interface Kept {
  door?: Readonly<Record<string, unknown>>
}

/** Why a step failed, in words for a person. */
export interface StepError {
  code: string
  message: string
}

/** What an event says beside its envelope. One case a type; unknown to clients means: skip it. */
export type EventBody =
  | ({
      type: 'run-start'
      orchestrator: OrchestratorName
      mode: RunMode
      resumed: boolean
      origin?: Origin
      /** The account of the key or token that asked for it. */
      by?: string
      /** What the answer of this run has to fit; null: anything; absent: as the session says. */
      output_schema?: JsonSchema | null
    } & TeamBounds &
      Payer &
      Kept)
  /** A run that rested between batches or waited for a human goes on. */
  | ({ type: 'run-resume'; mode: RunMode } & TeamBounds & Payer & Kept)
  | { type: 'run-pause'; status: Status; finish_reason: FinishReason | null; usage: Usage }
  | {
      type: 'run-end'
      status: Status
      finish_reason: FinishReason
      result: string | null
      usage: Usage
      error: LoggedError | null
      /** Logs of before do not say it. */
      ended_by?: EndedBy | null
      /** The model gave the same reply again and again; the result is the best of its words. */
      loop?: true
    }
  /** `model`: the alias that is asked. */
  | { type: 'iteration-start'; iteration: number; model?: string }
  | { type: 'iteration-end'; iteration: number }
  /** A model call is about to be made; `attempt` over 1: it is repeated, and deltas told under earlier ids are void. */
  | {
      type: 'model-start'
      message_id: string
      model: string
      attempt: number
      reserved_tokens: number
      reserved_cost: Money | null
      /** What the model is asked for outside of any sub-task; absent: for its next turn. */
      purpose?: CallPurpose
    }
  /** A try failed, and the call is made once more, of `model`. Where the service may have been paid for an answer that never came whole,
   *  what was reserved stays held, and as much is reserved again. */
  | { type: 'model-retry'; message_id: string; model: string; failure: string }
  | {
      type: 'model-end'
      message_id: string
      ok: true
      /** The alias that answered: the chosen model or a fallback of it. */
      model: string
      cost: Money | null
      spent: TokenUsage
      protocol: Protocol
      problem: Problem | null
      call_problems: Record<string, Problem>
      dropped_calls: number
      /** Ids of calls that read an address which untrusted text may have made up. */
      unseen_calls?: string[]
      /** What the service called its answer, and why it says that it ended; absent: it does not say. */
      response_id?: string
      finish_reason?: string
      /** The service refused the images of the call, which was answered without them: what came before it has none for this model. */
      images_refused?: true
    }
  | { type: 'model-end'; message_id: string; ok: false; failure: ModelFailure }
  | ({
      type: 'message'
      message: Message
      counts_as_error?: boolean
      /** The text comes from outside: what follows it may be what it asked for. */
      untrusted?: boolean
      tells_of_circles?: boolean
      /** A reply that is not the output has words for its reader: it calls nothing, or they stand beside its calls. */
      words?: 'reply' | 'beside'
      /** A reply that calls nothing and is the output of its branch. Logs of before do not say so. */
      is_output?: true
      /** What is wrong with a reply that a client brought along as the end of its history, or with its calls, by their ids. */
      problem?: Problem
      call_problems?: Record<string, Problem>
      covers?: { seq: number; kept_tokens: number }
    } & Kept)
  /** `client`: the caller makes it. */
  | {
      type: 'tool-start'
      call_id: string
      tool: string
      arguments: Record<string, unknown>
      attempt: number
      client?: true
    }
  /** `found_tools`: ids of tools that are offered from now on. */
  | { type: 'tool-end'; call_id: string; ok: boolean; ms: number; digest: string; found_tools?: string[] }
  /** A hook was asked about a call. `arguments`: those that it is made with instead. `reason`: why it is refused, or why the hook failed. */
  | {
      type: 'tool-hook'
      call_id: string
      hook: string
      phase: HookPhase
      outcome: HookOutcome
      ms: number
      arguments?: Record<string, unknown>
      reason?: string
    }
  /** How far a call is, and what a server says of it, as it says it: for watchers, not for the model. */
  | { type: 'tool-progress'; call_id: string; progress: number; total: number | null; message: string | null }
  | { type: 'tool-log'; call_id: string; level: string; text: string }
  | { type: 'pending'; pending: Pending }
  | ({
      type: 'pending-end'
      id: string
      decision: Decision
      /** Who decided, as this server knows them. Without it nothing may run: logs of before, and copies of a log, do not say it. */
      by?: AuditActor
      arguments?: Record<string, unknown>
      feedback?: string
      answer?: string
      /** Of a call that the caller makes: what its tool gave, any JSON; or why it failed. */
      result?: unknown
      error?: string
    } & Kept)
  /** Tools that the caller of the run has and runs itself, in the place of those that it brought along before. */
  | { type: 'client-tools'; tools: ClientTool[] }
  /** A message that came while a run was going; its own run starts when that one is over. */
  | ({ type: 'message-queued'; queued_run_id: string; mode: RunMode; content: Content; untrusted?: boolean } & Payer &
      Pick<NewMessageInput, 'output_schema' | 'client_tools' | 'inputs'>)
  /** A planner's answer, an empty one too: all tasks of the run as they stand, long results cut. */
  | { type: 'plan'; plan: PlanData }
  /** With bounds: its worker is a team, which works at it within these. */
  | ({ type: 'task-start'; task: PlanTask } & TeamBounds)
  | { type: 'task-end'; task: PlanTask }
  /** A task that failed or was cancelled is to be done once more. */
  | { type: 'task-retry'; task: PlanTask }
  /** The worker that does the whole run. */
  | { type: 'route'; worker: string }
  /** A round of a team, and the roles that act in it. `scope`: the sub-task that the team works at, null for the session's own. */
  | { type: 'round-start'; round: number; roles: string[] }
  | { type: 'round-end'; round: number }
  /** `action`: what was chosen. `dropped`: what the role had not acted upon is given up. */
  | { type: 'role-state'; role: string; from: RoleStep; to: RoleStep; action?: string; dropped?: true }
  /** `heard_by`: roles that have it as news. */
  | { type: 'team-message'; message: TeamMessage; heard_by: string[] }
  /** What the run goes by. Whoever does not know it cannot go on with the run. */
  | { type: 'workflow-start'; workflow: WorkflowSpec; required: true }
  /** A step begins, `attempt` over 1: once more. `step`: its path. `input`: what it is given. `body`: which of its lists is done, -1: none.
   *  `total`: items of a map. `due_time`: its time is over then. */
  | ({
      type: 'step-start'
      step: string
      kind: StepType
      attempt: number
      input?: unknown
      body?: number
      total?: number
      due_time?: string
      worker?: string
      unseen?: true
    } & TeamBounds)
  /** What came of a step, or of an item of a map. */
  | {
      type: 'step-end'
      step: string
      status: Exclude<StepStatus, 'running' | 'retrying'>
      output?: unknown
      error?: StepError
    }
  /** A step failed, and is tried again. */
  | { type: 'step-retry'; step: string; attempt: number; due_time: string; error: StepError }
  /** A step that had ended, or an item of a map, is done once more, with all that goes by it. */
  | { type: 'step-redo'; step: string }
  /** The time of a step is over, or its wait. */
  | { type: 'step-due'; step: string }
  /** A step failed for good: what was done before it is undone. */
  | { type: 'rollback-start'; step: string }
  | { type: 'rollback-end'; step: string; ok: boolean }
  /** A model call of a role that was not made, and the others of its round finish; or one for a title, and the run goes on without. */
  | { type: 'call-refused'; code: string; detail?: string }
  /** The run waits for what an MCP server says that it offers. */
  | { type: 'tools-wait'; server: string }
  | { type: 'usage'; usage: Usage }
  | { type: 'error'; code: string; detail: string }
  /** A file of the workspace was written or deleted; `size`: bytes that it has now. */
  | { type: 'file'; action: 'write' | 'delete'; path: string; size: number }
  /** A person's word on an answer, in the place of what was said of it before; `rating` null: it is taken back. */
  | { type: 'feedback'; message_id: string; rating: Rating | null; comment: string | null }
  /** Title, metadata or config changed; values are in SessionData, never here (a config may hold secrets). */
  | { type: 'session-update'; fields: string[] }

export type EventType = EventBody['type']

const KNOWN: Readonly<Record<EventType, true>> = {
  'run-start': true,
  'run-resume': true,
  'run-pause': true,
  'run-end': true,
  'iteration-start': true,
  'iteration-end': true,
  'model-start': true,
  'model-retry': true,
  'model-end': true,
  message: true,
  'tool-start': true,
  'tool-end': true,
  'tool-hook': true,
  'tool-progress': true,
  'tool-log': true,
  'tools-wait': true,
  pending: true,
  'pending-end': true,
  'client-tools': true,
  'message-queued': true,
  plan: true,
  'task-start': true,
  'task-end': true,
  'task-retry': true,
  route: true,
  'round-start': true,
  'round-end': true,
  'role-state': true,
  'team-message': true,
  'workflow-start': true,
  'step-start': true,
  'step-end': true,
  'step-retry': true,
  'step-redo': true,
  'step-due': true,
  'rollback-start': true,
  'rollback-end': true,
  'call-refused': true,
  usage: true,
  error: true,
  file: true,
  feedback: true,
  'session-update': true,
}

/** The types that this release knows. A log may hold others, which a later one wrote: they are kept and told as they are, and
 *  whoever reads a log passes over them. */
export const EVENT_TYPES: readonly string[] = Object.keys(KNOWN)

export function isKnownType(type: unknown): type is EventType {
  return typeof type === 'string' && Object.hasOwn(KNOWN, type)
}

/** Whether it is an event of a later release that an earlier one must not pass over: then it says `required: true`. */
export function isBeyond(event: object): boolean {
  return 'type' in event && !isKnownType(event.type) && 'required' in event && event.required === true
}

export interface Envelope {
  seq: number
  run_id: string | null
  time: string
  scope: string | null
}

/** An event of the log, and with the same fields on every wire. */
export type SessionEvent = EventBody & Envelope

/** An event before it has its place in the log. `run_id` is given with a new run's `run-start`; those behind it follow. */
export type NewEvent = EventBody & { scope?: string | null; run_id?: string }

export const DELTA_TYPES = ['message-delta', 'reasoning-delta', 'answer-delta'] as const

/** What a delta is a piece of: the text of a message, the thoughts beside it, or the answer that a call of `finish` in it is given. */
export type DeltaBody =
  | { type: 'message-delta' }
  | { type: 'reasoning-delta' }
  | { type: 'answer-delta'; call_id: string }

/** Text of a message that is being written, as clients see it: told before anything of it is in the log. */
export type StreamedDelta = DeltaBody & {
  seq: number
  message_id: string
  delta: string
  run_id: string
  time: string
  scope: string | null
}

/** The same with its number behind the event `seq`; its id is `SEQ.N`. */
export type Delta = StreamedDelta & { n: number }

/** Whether what is told is a delta. An event of a later release may have any member; its type tells. */
export function isDelta<D extends StreamedDelta>(event: SessionEvent | D): event is D {
  return DELTA_TYPES.some((type) => type === event.type)
}
