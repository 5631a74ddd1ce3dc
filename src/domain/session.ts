import { ENDED_BY, FINISH_REASONS, orchestratorName, type OrchestratorName, runError, STATUSES } from './run.ts'
import { count, onDemand, record, type ShapeOf, time } from '../lib/shape.ts'
import type { SessionConfig } from './config.ts'
import { storedFiles } from './file.ts'
import { message, type Message } from './message.ts'
import { pending, type Pending } from './pending.ts'
import type { PlanData } from './plan.ts'
import type { SessionSkill, SkillDefinition } from './skill.ts'
import type { TeamData, TeamSpec } from './team-spec.ts'
import { money, type Spending, usage, type Usage } from './usage.ts'
import * as z from 'zod'

/** The version of the export document that this server writes and reads. */
export const EXPORT_VERSION = 1

/** What is known of a session apart from its log: who it is and how it is configured. Holds secrets; never leaves as it is. */
export interface SessionRecord {
  id: string
  tenant: string
  title: string
  character: string | null
  orchestrator: OrchestratorName
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

/** What of a session stands in lists, too. */
export const sessionSummary = /* @__PURE__ */ onDemand(() =>
  z.object({
    id: z.string(),
    object: z.literal('session'),
    title: z.string(),
    start_time: time(),
    updated_time: time(),
    character: z.string(),
    status: z.enum(STATUSES),
    finish_reason: z.enum(FINISH_REASONS).nullable(),
    error: runError().nullable(),
    ended_by: z.enum(ENDED_BY).nullable(),
    orchestrator: orchestratorName,
    skill: z.string().nullable(),
    user: z.string().nullable(),
    metadata: record(),
  }),
)
/** An entry of the list of sessions. */
export type SessionSummary = ShapeOf<typeof sessionSummary>

/** A session as clients see it. */
export interface SessionData extends SessionSummary, RunOutcome {
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

/** How the newest run ended; each is null while there is none that has. */
export type RunOutcome = Pick<AgentResponseData, 'result' | 'error' | 'ended_by'>

/** How a run of a skill went. `tools_used`: ids, each once; control tools aside. */
export const skillResult = /* @__PURE__ */ onDemand(() =>
  z.object({
    success: z.boolean(),
    content: z.string().nullable(),
    error: z.string().nullable(),
    tools_used: z.array(z.string()),
    tokens_used: count(),
    cost: money.nullable(),
  }),
)
export type SkillResult = ShapeOf<typeof skillResult>

/** The answer of a run that was awaited. */
export const agentResponse = /* @__PURE__ */ onDemand(() =>
  z.object({
    id: z.string(),
    object: z.literal('agent.response'),
    title: z.string(),
    start_time: time(),
    run_id: z.string().nullable(),
    status: z.enum(STATUSES),
    finish_reason: z.enum(FINISH_REASONS).nullable(),
    messages: z.array(message()),
    /** The answer, or what there is of one. */
    result: z.string().nullable(),
    pending: z.array(pending()),
    usage: usage(),
    error: runError().nullable(),
    ended_by: z.enum(ENDED_BY).nullable(),
    /** The workspace of a session that its caller keeps, when there is something in it. */
    files: storedFiles().exactOptional(),
    /** Of a session that runs a skill. */
    skill_result: skillResult().exactOptional(),
  }),
)
export type AgentResponseData = ShapeOf<typeof agentResponse>

/** One chunk of the stateless stream. */
export const streamResponse = /* @__PURE__ */ onDemand(() =>
  z.object({
    id: z.string(),
    object: z.literal('agent.response.chunk'),
    status: z.enum(STATUSES),
    message: message().exactOptional(),
    /** Of the reply that a piece is of. A reply that breaks off is made again under another one: what came before it is void. */
    message_id: z.string().exactOptional(),
    /** The next piece of the reply as it is written. */
    delta: z.string().exactOptional(),
    /** The next piece of the answer, where the model gives it as an argument. */
    answer_delta: z.string().exactOptional(),
    finish_reason: z.enum(FINISH_REASONS).nullable().exactOptional(),
    /** With the last chunk: the workspace, when there is something in it. */
    files: storedFiles().exactOptional(),
  }),
)
export type StreamResponseData = ShapeOf<typeof streamResponse>
