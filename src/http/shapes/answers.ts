import * as z from 'zod'
import { sessionConfig } from '../../domain/config.ts'
import { storedFiles } from '../../domain/file-input.ts'
import type { AgentResponseData, SessionData, SessionSummary, StreamResponseData } from '../../domain/session.ts'
import {
  endedBy,
  finishReason,
  message,
  orchestrator,
  pending,
  plan,
  record,
  runError,
  skillResult,
  status,
  team,
  time,
  usage,
  count,
} from './parts.ts'

/** Answers of sessions and of runs in them. */

const head = {
  id: z.string(),
  object: z.literal('session'),
  title: z.string(),
  start_time: time,
  updated_time: time,
  character: z.string(),
  status,
  finish_reason: finishReason.nullable(),
  error: runError.nullable(),
  ended_by: endedBy.nullable(),
  orchestrator,
  skill: z.string().nullable(),
  user: z.string().nullable(),
  metadata: record,
}

export const sessionSummary = z.object(head) satisfies z.ZodType<SessionSummary>

export const sessionData = z.object({
  ...head,
  config: sessionConfig,
  result: z.string().nullable(),
  messages: z.array(message),
  pending: z.array(pending),
  usage,
  plan: plan.exactOptional(),
  team: team.exactOptional(),
  last_seq: count,
  etag: z.string(),
}) satisfies z.ZodType<SessionData>

export const agentResponse = z.object({
  id: z.string(),
  object: z.literal('agent.response'),
  title: z.string(),
  start_time: time,
  run_id: z.string().nullable(),
  status,
  finish_reason: finishReason.nullable(),
  messages: z.array(message),
  result: z.string().nullable(),
  pending: z.array(pending),
  usage,
  error: runError.nullable(),
  ended_by: endedBy.nullable(),
  files: storedFiles.exactOptional(),
  skill_result: skillResult.exactOptional(),
}) satisfies z.ZodType<AgentResponseData>

export const streamChunk = z.object({
  id: z.string(),
  object: z.literal('agent.response.chunk'),
  status,
  message: message.exactOptional(),
  message_id: z.string().exactOptional(),
  delta: z.string().exactOptional(),
  answer_delta: z.string().exactOptional(),
  finish_reason: finishReason.nullable().exactOptional(),
  files: storedFiles.exactOptional(),
}) satisfies z.ZodType<StreamResponseData>

/** What is told at once of a run in the background. */
export const runAccepted = z.object({ session_id: z.string(), run_id: z.string().nullable() })

/** A page of a list. */
export const listOf = <T extends z.ZodType>(entry: T) =>
  z.object({ object: z.literal('list'), data: z.array(entry), next_cursor: z.string().nullable() })
