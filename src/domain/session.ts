import type { SessionConfig } from './config.ts'
import type { StoredFile } from './file-input.ts'
import type { Message } from './message.ts'
import type { Pending } from './pending.ts'
import type { PlanData } from './plan.ts'
import type { SessionSkill, SkillDefinition } from './skill.ts'
import type { TeamData, TeamSpec } from './team-spec.ts'
import type { Spending, Usage } from './usage.ts'

/** The version of the export document that this server writes and reads. */
export const EXPORT_VERSION = 1

export type Status = 'idle' | 'in_progress' | 'interrupted' | 'completed' | 'failed' | 'cancelled'

export type FinishReason =
  | 'completed'
  | 'interrupted'
  | 'waiting_feedback'
  | 'iteration_limit'
  | 'budget_exhausted'
  | 'deadline'
  | 'stuck'
  | 'max_rounds'
  | 'no_money'
  | 'cancelled'
  | 'failed'

/** What the model ended its run with: the tool, or a reply that calls none. */
export const ENDED_BY = ['finish', 'reply'] as const
export type EndedBy = (typeof ENDED_BY)[number]

export type Orchestrator = 'agent' | 'plan' | 'team' | 'route'

/** What is known of a session apart from its log: who it is and how it is configured. Holds secrets; never leaves as it is. */
export interface SessionRecord {
  id: string
  tenant: string
  title: string
  character: string | null
  orchestrator: Orchestrator
  skill: SessionSkill | null
  /** Absent: it is no team's. */
  team?: TeamSpec
  user: string | null
  metadata: Record<string, unknown>
  config: SessionConfig
  createdTime: number
  /** Skills of the tenant that the newest plan gave work to, as they were then. */
  workers?: Readonly<Record<string, SkillDefinition>>
  /** Teams that worked at its sub-tasks, by the skill that is the worker, as they were then. */
  workerTeams?: Readonly<Record<string, TeamSpec>>
  /** What is in the sums of a log that was copied, and was spent elsewhere. */
  copiedSpending?: readonly Spending[]
}

/** A session as clients see it. */
export interface SessionData extends RunOutcome {
  id: string
  object: 'session'
  title: string
  start_time: string
  updated_time: string
  character: string
  status: Status
  finish_reason: FinishReason | null
  orchestrator: Orchestrator
  skill: string | null
  user: string | null
  metadata: Record<string, unknown>
  config: SessionConfig
  messages: Message[]
  pending: Pending[]
  usage: Usage
  /** Of the newest run, where it plans. */
  plan?: PlanData
  team?: TeamData
  last_seq: number
  etag: string
}

/** Why a run failed; `status` is the HTTP status of the service that failed, where there was one. */
export interface RunError {
  code: string
  status?: number
  detail: string
  /** What happened, in the session's language. */
  message: string
  /** What to do next, likewise. */
  hint: string
}

/** The same in a log: those of before do not say what happened and what to do. */
export type LoggedError = Omit<RunError, 'message' | 'hint'> & Partial<Pick<RunError, 'message' | 'hint'>>

/** How the newest run ended; each is null while there is none that has. */
export interface RunOutcome {
  /** The answer, or what there is of one. */
  result: string | null
  error: RunError | null
  ended_by: EndedBy | null
}

/** The answer of a run that was awaited. */
export interface AgentResponseData extends RunOutcome {
  id: string
  object: 'agent.response'
  title: string
  start_time: string
  run_id: string | null
  status: Status
  finish_reason: FinishReason | null
  messages: Message[]
  pending: Pending[]
  usage: Usage
  /** The workspace of a session that its caller keeps, when there is something in it. */
  files?: StoredFile[]
  /** Of a session that runs a skill. */
  skill_result?: SkillResult
}

/** How a run of a skill went. `tools_used`: ids, each once; control tools aside. */
export interface SkillResult {
  success: boolean
  content: string | null
  error: string | null
  tools_used: string[]
  tokens_used: number
  cost: Usage['cost']
}

/** One chunk of the stateless stream. */
export interface StreamResponseData {
  id: string
  object: 'agent.response.chunk'
  status: Status
  message?: Message
  /** Of the reply that a piece is of. A reply that breaks off is made again under another one: what came before it is void. */
  message_id?: string
  /** The next piece of the reply as it is written. */
  delta?: string
  /** The next piece of the answer, where the model gives it as an argument. */
  answer_delta?: string
  finish_reason?: FinishReason | null
  /** With the last chunk: the workspace, when there is something in it. */
  files?: StoredFile[]
}

/** An entry of the list of sessions. */
export type SessionSummary = Omit<
  SessionData,
  'messages' | 'config' | 'pending' | 'usage' | 'result' | 'etag' | 'last_seq'
>
