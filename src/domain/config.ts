import * as z from 'zod'
import { isSteadyZone } from '../lib/steady-zone.ts'
import { shownAddress, withKnownSecrets } from '../lib/addresses.ts'
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

/** Headers and fields of a request that are this server's own, so that nobody says them beside it. */
const OWN_HEADERS =
  /^(authorization|host|content-type|content-length|content-encoding|accept|cookie|connection|upgrade|te|trailer|expect|transfer-encoding|keep-alive|traceparent|tracestate|(proxy|cf|x-forwarded|sec)-.*)$/i
const OWN_FIELDS = [
  'model',
  'messages',
  'stream',
  'stream_options',
  'tools',
  'n',
  'max_tokens',
  'max_completion_tokens',
]

/** What a service is told beside what every service is told. */
export const serviceExtras = {
  /** How long a model thinks; which words it takes is its own. */
  reasoning_effort: z
    .string()
    .regex(/^[a-z]{1,20}$/, 'a word such as low, medium or high')
    .optional(),
  /** Fields of the request's body. */
  extra_body: z
    .record(
      z
        .string()
        .min(1)
        .max(100)
        .refine((name) => !OWN_FIELDS.includes(name), `a field that is not one of ${OWN_FIELDS.join(', ')}`),
      z.unknown(),
    )
    .refine((body) => JSON.stringify(body).length <= LIMITS.model.extraCharsMax, {
      error: `at most ${LIMITS.model.extraCharsMax} characters of JSON`,
    })
    .optional(),
  /** Headers of the request; their values are secret. */
  extra_headers: z
    .record(
      z
        .string()
        .regex(/^[A-Za-z0-9-]{1,100}$/, 'the name of a header')
        .refine((name) => !OWN_HEADERS.test(name), 'a header that the server does not set itself'),
      z
        .string()
        .max(4_096)
        .regex(/^[\x20-\x7e]*$/, 'printable ASCII'),
    )
    .refine((headers) => Object.keys(headers).length <= LIMITS.model.extraHeadersMax, {
      error: `at most ${LIMITS.model.extraHeadersMax} headers`,
    })
    .optional(),
}

/** How long a model is waited for: `timeout_ms` for the whole of a call, the others for its first byte and between two. */
export const modelTimeouts = {
  timeout_ms: timeoutMs.optional(),
  first_byte_timeout_ms: timeoutMs.optional(),
  idle_timeout_ms: timeoutMs.optional(),
}
export const alias = z.string().min(1).max(100)

export const retry = z.strictObject({
  times: z.int().min(0).max(10).optional(),
  delay_ms: z.int().min(0).max(LIMITS.model.retryDelayMsMax).optional(),
})

/** A variable that holds a secret of the config. */
export const envName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'the name of an environment variable')

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
  ...modelTimeouts,
  stream: z.boolean().optional(),
  retry: retry.optional(),
  vision: z.boolean().optional(),
  ...serviceExtras,
})
export type LlmConfig = z.infer<typeof llmConfig>

/** What a session may change of an alias: all but its address. */
export const overridable = llmConfig.omit({ api_url: true }).keyof()
export type Overridable = z.infer<typeof overridable>

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
  task_timeout_ms: duration,
  request_ms: count(15 * 60_000),
})

/** When a reply that calls no tool is the answer of a run that `finish` ends. Not given: where functions are called natively always,
 *  in the text protocol after a warning. */
export const replyEnding = z.enum(['always', 'after_warning', 'never'])
export type EndsByReply = z.infer<typeof replyEnding>

/** How the generated prompt is ordered: what is the same for all sessions of a config first, or as the first seed has it. */
export const promptLayout = z.enum(['cacheable', 'seed'])
export type PromptLayout = z.infer<typeof promptLayout>

/** Which tools there are where `tools` does not say: all that are enabled, or the few that leave a small window its room. */
export const toolsPreset = z.enum(['all', 'small'])
export type ToolsPreset = z.infer<typeof toolsPreset>

/** Whose words the title of a session is: the first of its task, or the model's. */
export const titling = z.enum(['task', 'model'])

const toolsConfig = z.record(z.string().min(1).max(128), toolConfig)

/** What a session may be configured with. Unknown keys are refused. */
export const sessionConfig = z.strictObject({
  language: languageTag().optional(),
  timezone: timezone.optional(),
  instructions: z.string().max(LIMITS.text.instructionsCharsMax).optional(),
  model: alias.optional(),
  llm: llmConfig.optional(),
  tools: toolsConfig.optional(),
  tools_preset: toolsPreset.optional(),
  mcp_servers: z.array(z.string().min(1).max(64)).max(100).optional(),
  plan: z.strictObject({ review: z.boolean().optional() }).optional(),
  ends_by_reply: replyEnding.optional(),
  prompt_layout: promptLayout.optional(),
  titles: titling.optional(),
  limits: limitsConfig.optional(),
})
export type SessionConfig = z.infer<typeof sessionConfig>
export type LimitsConfig = z.infer<typeof limitsConfig>
export type ToolConfig = z.infer<typeof toolConfig>

/** What `Intl` can format with is a time zone. */
function isTimeZone(zone: string): boolean {
  if (isSteadyZone(zone)) return true
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone }).format(0)
    return true
  } catch {
    return false
  }
}

/** What chooses a model, and what a skill or role says of its work with it: that holds for whichever model answers. */
export interface ModelWish extends Pick<SessionConfig, 'model' | 'llm'> {
  work?: Pick<LlmConfig, 'temperature' | 'max_tokens'>
}

/** A config as it is shown. */
export function maskConfig(config: SessionConfig): SessionConfig {
  const { llm } = config
  if (llm === undefined) return config
  return { ...config, llm: withSecrets(withAddress(llm, shownAddress), () => SECRET_MASK) }
}

/** A config that came back masked keeps the secrets that it stood for, or has none. */
export function unmasked(config: SessionConfig, known: SessionConfig): SessionConfig {
  const { llm } = config
  if (llm === undefined) return config
  const { api_key: key, api_url: url = '', extra_headers: headers = {} } = known.llm ?? {}
  return {
    ...config,
    llm: withSecrets(
      withAddress(llm, (address) => withKnownSecrets(address, url)),
      (given, header) => {
        if (given !== SECRET_MASK) return given
        return header === null ? key : Object.hasOwn(headers, header) ? headers[header] : undefined
      },
    ),
  }
}

function withAddress(llm: LlmConfig, changed: (address: string) => string): LlmConfig {
  return llm.api_url === undefined ? llm : { ...llm, api_url: changed(llm.api_url) }
}

/** Its secrets, each the key or the value of a header, as they are to be; undefined: not at all. */
function withSecrets(
  llm: LlmConfig,
  changed: (secret: string, header: string | null) => string | undefined,
): LlmConfig {
  const { api_key: key, extra_headers: headers, ...rest } = llm
  const apiKey = key === undefined ? undefined : changed(key, null)
  const kept = Object.entries(headers ?? {}).flatMap(([name, value]) => {
    const now = changed(value, name)
    return now === undefined ? [] : [[name, now] as const]
  })
  return {
    ...rest,
    ...(apiKey === undefined ? {} : { api_key: apiKey }),
    ...(headers === undefined ? {} : { extra_headers: Object.fromEntries(kept) }),
  }
}
