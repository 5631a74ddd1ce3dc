import * as z from 'zod'
import { part } from '../../domain/content.ts'
import type { Message, ToolCall, Truncated } from '../../domain/message.ts'
import type { Pending } from '../../domain/pending.ts'
import type { PlanData, PlanTask } from '../../domain/plan.ts'
import { ENDED_BY, type LoggedError, type RunError, type SkillResult } from '../../domain/session.ts'
import { ROLE_STEPS, teamMessage, teamRole } from '../../domain/team.ts'
import type { TeamData } from '../../domain/team-spec.ts'
import { money, type Usage } from '../../domain/usage.ts'

/** Parts of answers. Each fits the type that the code makes it of. */

export const count = z.int().min(0)
export const time = z.iso.datetime()
export const record = z.record(z.string(), z.unknown())
export const cost = money.nullable()

export const status = z.enum(['idle', 'in_progress', 'interrupted', 'completed', 'failed', 'cancelled'])
export const finishReason = z.enum([
  'completed',
  'interrupted',
  'waiting_feedback',
  'iteration_limit',
  'budget_exhausted',
  'deadline',
  'stuck',
  'max_rounds',
  'no_money',
  'cancelled',
  'failed',
])
export const orchestrator = z.enum(['agent', 'plan', 'team', 'route'])

const counts = {
  prompt_tokens: count,
  completion_tokens: count,
  total_tokens: count,
  cached_tokens: count,
  reasoning_tokens: count,
  model_calls: count,
  tool_calls: count,
  iterations: count,
  unpriced_models: z.array(z.string()).exactOptional(),
  estimated_calls: count.exactOptional(),
}
export const usage = z.object({ ...counts, cost }) satisfies z.ZodType<Usage>
export const usageSum = z.object({
  ...counts,
  key: z.string().nullable(),
  cost: z.union([money, z.array(money), z.null()]),
})

const toolCall = z.object({ id: z.string(), name: z.string(), arguments: record }) satisfies z.ZodType<ToolCall>
const truncated = z.object({
  original_length: count,
  kept_length: count,
  rest: z.string().nullable(),
}) satisfies z.ZodType<Truncated>

export const message = z.object({
  id: z.string(),
  seq: count,
  run_id: z.string().nullable(),
  role: z.enum(['user', 'assistant', 'system', 'tool']),
  content: z.union([z.string(), z.array(part())]),
  kind: z.enum(['task', 'prompt', 'reply', 'tool_result', 'warning', 'approval', 'answer', 'summary']),
  created_time: z.string(),
  reasoning: z.string().exactOptional(),
  tool_calls: z.array(toolCall).exactOptional(),
  tool_call_id: z.string().exactOptional(),
  tool_name: z.string().exactOptional(),
  truncated: truncated.exactOptional(),
  scope: z.string().nullable(),
}) satisfies z.ZodType<Message>

export const pending = z.object({
  id: z.string(),
  type: z.enum(['approval', 'question']),
  call_id: z.string().exactOptional(),
  tool: z.string().exactOptional(),
  arguments: record.exactOptional(),
  arguments_hash: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .exactOptional(),
  question: z.string().exactOptional(),
  options: z.array(z.string()).exactOptional(),
  risk: z.enum(['read', 'network', 'write', 'destructive']).exactOptional(),
  reason: z.string().exactOptional(),
  created_time: time,
  expires_time: time,
  scope: z.string().nullable(),
}) satisfies z.ZodType<Pending>

export const planTask = z.object({
  id: z.string(),
  owner: z.string().exactOptional(),
  round: count,
  name: z.string(),
  worker: z.string(),
  description: z.string(),
  depends_on: z.array(z.string()).exactOptional(),
  status: z.enum(['pending', 'running', 'waiting', 'completed', 'failed', 'skipped', 'cancelled']),
  result: z.string().nullable(),
  error: z.string().nullable(),
  cost,
  started_time: time.nullable(),
  ended_time: time.nullable(),
  team: z
    .object({
      round: count,
      n_round: count,
      investment: cost,
      spent: cost,
      left: cost,
      roles: z.array(z.object({ name: z.string(), state: z.enum(ROLE_STEPS), cost })),
    })
    .exactOptional(),
}) satisfies z.ZodType<PlanTask>

export const plan = z.object({
  round: count,
  status: z.enum(['planning', 'waiting', 'running', 'summarising', 'completed', 'failed', 'cancelled']),
  tasks: z.array(planTask),
}) satisfies z.ZodType<PlanData>

export const team = z.object({
  name: z.string().nullable(),
  roles: z.array(teamRole.extend({ state: z.enum(ROLE_STEPS), cost, plan: plan.exactOptional() })),
  n_round: count,
  investment: cost,
  round: count,
  idle: z.boolean(),
  stop_reason: z.enum(['idle', 'max_rounds', 'no_money']).nullable(),
  spent: cost,
  left: cost,
  warnings: z.array(z.object({ path: z.string(), message: z.string() })),
  history: z.array(teamMessage),
  message_count: count,
}) satisfies z.ZodType<TeamData>

export const runError = z.object({
  code: z.string(),
  status: z.int().exactOptional(),
  detail: z.string(),
  message: z.string().describe("What happened, in the session's language"),
  hint: z.string().describe("What to do next, in the session's language"),
}) satisfies z.ZodType<RunError>

/** As logs have it: those of before do not say what happened and what to do. */
export const loggedError = runError.extend({
  message: z.string().exactOptional(),
  hint: z.string().exactOptional(),
}) satisfies z.ZodType<LoggedError>

export const endedBy = z.enum(ENDED_BY)

export const skillResult = z.object({
  success: z.boolean(),
  content: z.string().nullable(),
  error: z.string().nullable(),
  tools_used: z.array(z.string()),
  tokens_used: count,
  cost,
}) satisfies z.ZodType<SkillResult>
