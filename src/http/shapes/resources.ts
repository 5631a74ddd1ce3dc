import * as z from 'zod'
import { PROVIDER_NAMES } from '../../domain/model.ts'
import { skillDefinition } from '../../domain/skill.ts'
import { teamMessage, teamRole } from '../../domain/team.ts'
import { price } from '../../domain/usage.ts'
import type { ListedModel } from '../../models/aliases.ts'
import { count, record, time } from '../../lib/shape.ts'
import { CUT_STRATEGIES, PERMISSIONS, RISKS } from '../../domain/tool.ts'
import { PROTOCOLS } from '../../domain/config.ts'

/** Answers of everything around sessions. */

const names = z.object({ 'zh-CN': z.string(), en: z.string() })

export const tool = z.object({
  id: z.string(),
  object: z.literal('tool'),
  names,
  description: z.union([names, z.string()]),
  parameters: z.record(z.string(), z.object({ names, required: z.boolean() })),
  input_schema: record(),
  server: z.string().exactOptional(),
  risk: z.enum(RISKS),
  idempotent: z.boolean(),
  enabled: z.boolean(),
  permission: z.enum(PERMISSIONS),
  auto_approve: z.boolean(),
  timeout_ms: z.number(),
  output: z.object({ chars_max: count(), lines_max: count(), strategy: z.enum(CUT_STRATEGIES) }),
})

export const model = z.object({
  id: z.string(),
  object: z.literal('model'),
  provider: z.enum(PROVIDER_NAMES),
  model: z.string(),
  protocol: z.enum(PROTOCOLS),
  price: price.nullable(),
  price_source: z.union([z.literal('config'), z.object({ url: z.string(), date: z.string() })]).nullable(),
  context_window: count().nullable(),
  context_tokens: count(),
  max_tokens: count(),
  default: z.boolean(),
}) satisfies z.ZodType<ListedModel>

export const listedSkill = z.object({
  ...skillDefinition.shape,
  prompt: z.string().exactOptional(),
  object: z.literal('skill'),
  source: z.enum(['shipped', 'tenant']),
  languages: z.array(z.string()),
  input_schema: record(),
})
export const skill = listedSkill.extend({ prompt: z.string() })

export const shippedTeam = z.object({
  object: z.literal('team'),
  name: z.string(),
  description: z.string(),
  n_round: count(),
  roles: z.array(teamRole),
})
export const placedTeamMessage = z.object({ ...teamMessage.shape, seq: count() })

const serverHead = {
  object: z.literal('mcp_server'),
  name: z.string(),
  url: z.string(),
  headers: z.record(z.string(), z.literal('***')),
  oauth_client: z.object({ client_id: z.string(), client_secret: z.literal('***').nullable() }).nullable(),
  description: z.string().nullable(),
  enabled: z.boolean(),
  trust_hints: z.boolean(),
  source: z.enum(['config', 'tenant']),
  status: z.enum(['ok', 'error', 'unknown', 'disabled']),
  error: z.string().nullable(),
  warnings: z.array(z.string()),
  protocol_version: z.string().nullable(),
  checked_time: time().nullable(),
}
const toolName = z.object({ id: z.string(), name: z.string(), description: z.string() })
export const listedMcpServer = z.object({ ...serverHead, tools: z.array(toolName) })
export const mcpServer = z.object({
  ...serverHead,
  authorization_url: z.string().exactOptional(),
  tools: z.array(toolName.extend({ input_schema: record(), annotations: record() })),
})

export const health = z.object({
  status: z.literal('ok'),
  version: z.string(),
  default_model: z.string().nullable(),
})

export const problemShape = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  code: z.string(),
  request_id: z.string(),
  errors: z.array(z.object({ path: z.string(), message: z.string() })).exactOptional(),
})

export const exportDocument = z.object({
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
})
