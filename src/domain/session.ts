import type { KeptAwaiter } from './awaited.ts'
import type { Place } from './place.ts'
import {
  ENDED_BY,
  FINISH_REASONS,
  loggedError,
  orchestratorName,
  type OrchestratorName,
  runError,
  STAGES,
  STATUSES,
} from './run.ts'
import { count, onDemand, record, type ShapeOf, time } from '../lib/shape.ts'
import { sessionConfig, type SessionConfig } from './config.ts'
import { storedFiles } from './file.ts'
import { message } from './message.ts'
import { pending } from './pending.ts'
import { planShape } from './plan.ts'
import type { SessionSkill, SkillDefinition } from './skill.ts'
import { teamShape, type TeamSpec } from './team.ts'
import { money, type Spending, usage } from './usage.ts'
import { place } from './place.ts'
import type { JsonSchema } from './tool.ts'
import { type WorkflowSpec } from './workflow.ts'
import { workflowView } from './workflow-view.ts'
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
  /** What the answers of its runs have to fit; absent: anything, or what its skill says. */
  outputSchema?: JsonSchema
  createdTime: number
  /** Where it was asked to be kept. */
  place?: Place
  /** Of a session that was made under a key: how many were before it. */
  generation?: number
  /** What its runs go by; absent: no workflow. */
  workflow?: WorkflowSpec
  /** Skills of the tenant that the newest plan gave work to, as they were then, and those that do steps of its workflow. */
  workers?: Readonly<Record<string, SkillDefinition>>
  /** Teams that worked at its sub-tasks, by the skill that is the worker, as they were then. */
  workerTeams?: Readonly<Record<string, TeamSpec>>
  /** Tools that a human approved for the rest of the session, by id, each with what it said of itself then. */
  remembered?: Readonly<Record<string, string>>
  /** The session in which its thread goes on, for the door that it is of; absent: this one. */
  goesOnIn?: string
  /** Where it is about to go on, unless the process died before the request began there. */
  mayGoOnIn?: ThreadLead
  /** Sessions that wait for the end of its run; absent: none do. */
  awaiters?: readonly KeptAwaiter[]
  /** What is in the sums of a log that was copied, and was spent elsewhere. */
  copiedSpending?: readonly Spending[]
}

/** A session in which a thread goes on once a request has begun in it. `request`: its hash, which stands with the run. */
export interface ThreadLead {
  session: string
  request: string
}

/** How far the newest run of a team or a workflow is, in percent, 100 only at a good end; and where. */
const progressShape = () => ({
  progress: z.int().min(0).max(100).exactOptional(),
  stage: z.enum(STAGES).exactOptional(),
})

/** What of a session stands in lists, too. */
export const sessionSummaryShape = /* @__PURE__ */ onDemand(() =>
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
    /** Its model went on giving the same reply, whose words are the result. Absent: it did not. */
    loop: z.literal(true).exactOptional(),
    orchestrator: orchestratorName,
    skill: z.string().nullable(),
    user: z.string().nullable(),
    metadata: record(),
    /** Of a run that gave no sign for some time, where those are asked for. `lease_expires_time`: until when it holds a place of the key that
     *  began it; null: it holds none. */
    stuck: z.object({ last_sign_time: time(), age_ms: count(), lease_expires_time: time().nullable() }).exactOptional(),
  }),
)
/** An entry of the list of sessions. */
export type SessionSummary = ShapeOf<typeof sessionSummaryShape>

/** A session as clients see it. */
export const session = /* @__PURE__ */ onDemand(() =>
  z.object({
    ...sessionSummaryShape().shape,
    config: sessionConfig,
    /** The answer of the newest run, like `error` and `ended_by`: null while there is none that has ended. */
    result: z.string().nullable(),
    messages: z.array(message()),
    pending: z.array(pending()),
    usage: usage(),
    /** Of the newest run, where it plans. */
    plan: planShape().exactOptional(),
    team: teamShape().exactOptional(),
    /** Of the newest run, where it goes by a workflow. */
    workflow: workflowView().exactOptional(),
    ...progressShape(),
    /** The JSON Schema that the answers of its runs fit, where it was made with one. */
    output_schema: record().exactOptional(),
    /** Where it is kept, where somebody said so. */
    place: place.exactOptional(),
    /** A later release wrote to it what this one cannot go on with: it can be read, and takes no command. */
    needs_newer: z.literal(true).exactOptional(),
    last_seq: count(),
    etag: z.string(),
  }),
)
export type SessionData = ShapeOf<typeof session>

/** What became of one of many sessions that were to be cancelled. `error`: the code of why it could not be. */
export const cancelledSession = /* @__PURE__ */ onDemand(() =>
  z.object({ id: z.string(), status: z.enum(STATUSES).nullable(), error: z.string().nullable() }),
)
export type CancelledSession = ShapeOf<typeof cancelledSession>

/** How the newest run ended. */
export type RunOutcome = Pick<SessionData, 'result' | 'error' | 'ended_by' | 'loop'>

/** What is told at once of a run in the background. `id`: the session's, as in every other answer of a run. */
export const runAccepted = /* @__PURE__ */ onDemand(() =>
  z.object({ id: z.string(), session_id: z.string(), run_id: z.string().nullable() }),
)
export type RunAccepted = ShapeOf<typeof runAccepted>

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
export const agentResponseShape = /* @__PURE__ */ onDemand(() =>
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
    /** Its model went on giving the same reply, whose words are the result. Absent: it did not. */
    loop: z.literal(true).exactOptional(),
    ...progressShape(),
    /** The workspace of a session that its caller keeps, when there is something in it. */
    files: storedFiles().exactOptional(),
    /** Of a session that runs a skill. */
    skill_result: skillResult().exactOptional(),
  }),
)
export type AgentResponseData = ShapeOf<typeof agentResponseShape>

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
    /** With the last chunk of a run that has ended: how, as `AgentResponse` says it. */
    result: z.string().nullable().exactOptional(),
    error: loggedError().nullable().exactOptional(),
    ended_by: z.enum(ENDED_BY).nullable().exactOptional(),
    loop: z.literal(true).exactOptional(),
    /** With the last chunk: what waits for a human, and the workspace, when there is something in it. */
    pending: z.array(pending()).exactOptional(),
    files: storedFiles().exactOptional(),
  }),
)
export type StreamResponseData = ShapeOf<typeof streamResponse>

/** A session as a document that can be imported; what is read of one stands in import-input.ts. */
export const sessionExport = /* @__PURE__ */ onDemand(() =>
  z.object({
    object: z.literal('session.export'),
    version: z.int(),
    session: record(),
    events: z.array(record()),
    records: z.array(record()).exactOptional(),
    results: z.record(z.string(), z.string()).exactOptional(),
    files: z.array(record()).exactOptional(),
    skill: z.unknown().optional(),
    workers: z.unknown().optional(),
    worker_teams: z.unknown().optional(),
    team: z.unknown().optional(),
    workflow: z.unknown().optional(),
  }),
)
