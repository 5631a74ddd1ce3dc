import * as z from 'zod'
import type { PlanData, PlanTask } from '../../domain/plan.ts'
import { ROLE_STEPS, teamMessage, teamRole } from '../../domain/team.ts'
import type { TeamData } from '../../domain/team-spec.ts'
import { money } from '../../domain/usage.ts'
import { count, time } from '../../lib/shape.ts'

/** Plans and teams in answers. Each fits the type that the code makes it of. */

const cost = money.nullable()

export const planTask = z.object({
  id: z.string(),
  owner: z.string().exactOptional(),
  round: count(),
  name: z.string(),
  worker: z.string(),
  description: z.string(),
  depends_on: z.array(z.string()).exactOptional(),
  status: z.enum(['pending', 'running', 'waiting', 'completed', 'failed', 'skipped', 'cancelled']),
  result: z.string().nullable(),
  error: z.string().nullable(),
  cost,
  started_time: time().nullable(),
  ended_time: time().nullable(),
  team: z
    .object({
      round: count(),
      n_round: count(),
      investment: cost,
      spent: cost,
      left: cost,
      roles: z.array(z.object({ name: z.string(), state: z.enum(ROLE_STEPS), cost })),
    })
    .exactOptional(),
}) satisfies z.ZodType<PlanTask>

export const plan = z.object({
  round: count(),
  status: z.enum(['planning', 'waiting', 'running', 'summarising', 'completed', 'failed', 'cancelled']),
  tasks: z.array(planTask),
}) satisfies z.ZodType<PlanData>

export const team = z.object({
  name: z.string().nullable(),
  roles: z.array(teamRole.extend({ state: z.enum(ROLE_STEPS), cost, plan: plan.exactOptional() })),
  n_round: count(),
  investment: cost,
  round: count(),
  idle: z.boolean(),
  stop_reason: z.enum(['idle', 'max_rounds', 'no_money']).nullable(),
  spent: cost,
  left: cost,
  warnings: z.array(z.object({ path: z.string(), message: z.string() })),
  history: z.array(teamMessage),
  message_count: count(),
}) satisfies z.ZodType<TeamData>
