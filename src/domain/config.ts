import * as z from 'zod'
import { SECRET_MASK } from '../lib/text.ts'
import { languageTag } from './language.ts'
import { LIMITS } from './limits.ts'
import { PROTOCOLS } from './model.ts'
import { money } from './usage.ts'
import { CUT_STRATEGIES, PERMISSIONS } from './tool.ts'

const protocol = z.enum(PROTOCOLS)
const temperature = z.number().min(0).max(2)
const maxTokens = z.int().min(1).max(1_000_000)
const timeoutMs = z.int().min(1).max(LIMITS.model.timeoutMsMax)
export const alias = z.string().min(1).max(100)

export const retry = z.strictObject({
  times: z.int().min(0).max(10).optional(),
  delay_ms: z.int().min(0).max(LIMITS.model.retryDelayMsMax).optional(),
})

export const httpUrl = z
  .url({ protocol: /^https?$/, error: 'an absolute http or https address' })
  .max(LIMITS.web.urlCharsMax)

export const timezone = z.string().max(64).refine(isTimeZone, 'an IANA time zone such as Asia/Shanghai')

/** A session's own model settings; with `api_url` it is the caller's own model, without it changes the chosen alias. */
export const llmConfig = z.strictObject({
  api_url: httpUrl.optional(),
  api_key: z.string().min(1).max(1_000).optional(),
  model: z.string().min(1).max(200).optional(),
  protocol: protocol.optional(),
  temperature: temperature.optional(),
  max_tokens: maxTokens.optional(),
  timeout_ms: timeoutMs.optional(),
  stream: z.boolean().optional(),
  retry: retry.optional(),
})

const pattern = z.string().min(1).max(300)

/** A word on calls that reach a host (`*.example.com`) or a path (`drafts/**`) only; the first rule that fits counts. */
const permissionRule = z
  .strictObject({ host: pattern.optional(), path: pattern.optional(), permission: z.enum(PERMISSIONS) })
  .refine(({ host, path }) => host !== undefined || path !== undefined, {
    path: ['host'],
    error: 'a host or a path, or both',
  })
export type PermissionRule = z.infer<typeof permissionRule>

export const toolConfig = z.strictObject({
  enabled: z.boolean().optional(),
  auto_approve: z.boolean().optional(),
  trusted: z.boolean().optional(),
  permission: z.enum(PERMISSIONS).optional(),
  rules: z.array(permissionRule).max(100).optional(),
  output: z
    .strictObject({
      chars_max: z.int().min(1).max(1_000_000).optional(),
      lines_max: z.int().min(1).max(100_000).optional(),
      strategy: z.enum(CUT_STRATEGIES).optional(),
    })
    .optional(),
})

const count = (max: number) => z.int().min(1).max(max).optional()
const duration = z
  .int()
  .min(1)
  .max(366 * 24 * 3_600_000)
  .optional()

/** Limits of a run. Their defaults are in limits.ts. */
export const limitsConfig = z.strictObject({
  max_iterations: count(1_000),
  max_iterations_total: count(100_000),
  errors_in_a_row_max: count(1_000),
  repeats_max: z.int().min(0).max(1_000).optional(),
  deadline_ms: duration,
  max_total_tokens: count(1_000_000_000),
  max_cost: money.optional(),
  approval_ttl_ms: duration,
  max_plan_rounds: count(1_000),
  max_task_tool_calls: count(1_000),
  max_parallel_tasks: count(32),
  request_ms: count(15 * 60_000),
})

/** When a reply that calls no tool is the answer of a run that `finish` ends. Not given: where functions are called natively always,
 *  in the text protocol after a warning. */
export const replyEnding = z.enum(['always', 'after_warning', 'never'])
export type EndsByReply = z.infer<typeof replyEnding>

const toolsConfig = z.record(z.string().min(1).max(128), toolConfig)

/** What a session may be configured with. Unknown keys are refused. */
export const sessionConfig = z.strictObject({
  language: languageTag().optional(),
  timezone: timezone.optional(),
  instructions: z.string().max(LIMITS.text.instructionsCharsMax).optional(),
  model: alias.optional(),
  llm: llmConfig.optional(),
  tools: toolsConfig.optional(),
  mcp_servers: z.array(z.string().min(1).max(64)).max(100).optional(),
  plan: z.strictObject({ review: z.boolean().optional() }).optional(),
  ends_by_reply: replyEnding.optional(),
  limits: limitsConfig.optional(),
})
export type SessionConfig = z.infer<typeof sessionConfig>
export type LimitsConfig = z.infer<typeof limitsConfig>
export type ToolConfig = z.infer<typeof toolConfig>

/** What `Intl` can format with is a time zone. */
function isTimeZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone }).format(0)
    return true
  } catch {
    return false
  }
}

/** A config as it is shown. */
export function maskConfig(config: SessionConfig): SessionConfig {
  return config.llm?.api_key === undefined ? config : { ...config, llm: { ...config.llm, api_key: SECRET_MASK } }
}

/** A config that came back masked keeps the secret that it stood for, or has none. */
export function unmasked(config: SessionConfig, known: SessionConfig): SessionConfig {
  if (config.llm?.api_key !== SECRET_MASK) return config
  const { api_key: _, ...llm } = config.llm
  const secret = known.llm?.api_key
  return { ...config, llm: secret === undefined ? llm : { ...llm, api_key: secret } }
}
