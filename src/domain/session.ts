import type { SessionConfig } from './config.ts'
import type { Message } from './message.ts'
import type { Pending } from './pending.ts'
import type { Usage } from './usage.ts'

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

export type Orchestrator = 'agent' | 'plan' | 'team' | 'route'

/** What is known of a session apart from its log: who it is and how it is configured. Holds secrets; never leaves as it is. */
export interface SessionRecord {
  id: string
  tenant: string
  title: string
  character: string | null
  orchestrator: Orchestrator
  skill: string | null
  user: string | null
  metadata: Record<string, unknown>
  config: SessionConfig
  createdTime: number
}

/** A session as clients see it (api.md, "SessionData"). */
export interface SessionData {
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
  last_seq: number
  etag: string
}

/** Why a run failed; `status` is the HTTP status of the service that failed, where there was one. */
export interface RunError {
  code: string
  status?: number
  detail: string
}

/** The answer of a run that was awaited (api.md, "AgentResponseData"). */
export interface AgentResponseData {
  id: string
  object: 'agent.response'
  title: string
  start_time: string
  run_id: string | null
  status: Status
  finish_reason: FinishReason | null
  messages: Message[]
  result: string | null
  pending: Pending[]
  usage: Usage
  error: RunError | null
}

/** One chunk of the stateless stream (api.md, "StreamResponseData"). */
export interface StreamResponseData {
  id: string
  object: 'agent.response.chunk'
  status: Status
  message?: Message
  delta?: string
  finish_reason?: FinishReason | null
}

/** An entry of the list of sessions. */
export type SessionSummary = Omit<SessionData, 'messages' | 'config' | 'pending' | 'usage' | 'etag' | 'last_seq'>
