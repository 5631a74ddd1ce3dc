import * as z from 'zod'
import { type KeyLimits, keyLimits, scope, tenantName } from './access.ts'
import {
  httpUrl,
  alias,
  promptLayout,
  titling,
  toolsPreset,
  replyEnding,
  limitsConfig,
  modelTimeouts,
  overridable,
  retry,
  serviceExtras,
  timezone,
  toolConfig,
} from './config.ts'
import { place } from './place.ts'
import { languageTag } from './language.ts'
import { LIMITS } from './limits.ts'
import { modelQuirks, PROTOCOLS } from './model.ts'
import { MCP_GRANTS, mcpClientId, mcpClientSecret, mcpHeaders, mcpServerName } from './mcp.ts'
import { configOpenApiTools } from './openapi-tools.ts'
import { toolHooksConfig } from './tool-hook.ts'
import { price } from './usage.ts'
import { connectionName } from './connection.ts'
import { budgetLimits } from './budget.ts'
import { LOG_LEVELS } from './telemetry.ts'
import { tokenAccount } from './token-account.ts'

const text = z.string().min(1).max(300)
const audience = z.union([text, z.array(text).min(1).max(20)])

/** An API key of the config: its SHA-256 only, so that the file may be read by anybody. */
const authKey = z.strictObject({
  id: z
    .string()
    .min(1)
    .max(100)
    .refine((id) => !id.startsWith('token '), 'a name that does not begin with "token "'),
  sha256: z.string().regex(/^[0-9a-fA-F]{64}$/, 'the SHA-256 of the key in hex'),
  scopes: z.array(scope).min(1),
  tenant: tenantName.optional(),
  limits: keyLimits.optional(),
})

/** What a valid token gives. */
const grants = {
  /** Given to every token. */
  scopes: z.array(scope).min(1).optional(),
  /** The claim that holds scopes, as a list or parted by spaces. */
  scopes_claim: text.optional(),
  /** What its words mean here; without it the words are scopes. */
  scopes_map: z.record(text, scope).optional(),
  /** The tenant of every token, or the claim that names it. */
  tenant: tenantName.optional(),
  tenant_claim: text.optional(),
  /** What each who shows such a token may use, whichever of their tokens it is. */
  limits: keyLimits.optional(),
}

const givesScopes = {
  path: ['scopes'],
  error: 'scopes or scopes_claim, so that a token may do something',
}
const hasScopes = (given: { scopes?: unknown; scopes_claim?: unknown }) =>
  given.scopes !== undefined || given.scopes_claim !== undefined

/** Tokens of an issuer, checked with the keys that it publishes. */
const jwtConfig = z
  .strictObject({ issuer: text, audience, jwks_url: httpUrl, ...grants })
  .refine(hasScopes, givesScopes)
export type JwtConfig = z.infer<typeof jwtConfig>

/** Cloudflare Access in front of this server. `team_domain` such as `example.cloudflareaccess.com`. */
const accessConfig = z
  .strictObject({
    team_domain: z.string().regex(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/, 'a domain such as example.cloudflareaccess.com'),
    audience,
    ...grants,
  })
  .refine(hasScopes, givesScopes)
export type AccessConfig = z.infer<typeof accessConfig>

const authConfig = z.strictObject({
  keys: z.array(authKey).max(1_000).optional(),
  jwt: z.array(jwtConfig).max(20).optional(),
  access: accessConfig.optional(),
})

const envName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'the name of an environment variable')
const hostPort = z
  .string()
  .regex(/^(\[[0-9a-fA-F:.]+\]|[^\s/:@]+):\d{1,5}$/, 'a host with its port, such as 127.0.0.1:9002')

/** What is said of a model, beside the secrets that it is asked with. */
export const modelFields = (providers: readonly string[]) => ({
  provider: z.enum(providers).optional(),
  api_url: httpUrl.optional(),
  /** Calls to the service at the same time; others wait, as long as the first byte of an answer is waited for. */
  max_concurrency: z.int().min(1).max(1_000).optional(),
  /** How many of them one tenant may have; not given, one less than all where a server has several tenants. */
  max_concurrency_per_tenant: z.int().min(1).max(1_000).optional(),
  model: z.string().min(1).max(200).optional(),
  protocol: z.enum(PROTOCOLS).optional(),
  temperature: z.number().min(0).max(2).optional(),
  max_tokens: z.int().min(1).max(1_000_000).optional(),
  ...modelTimeouts,
  stream: z.boolean().optional(),
  retry: retry.optional(),
  reasoning_effort: serviceExtras.reasoning_effort,
  extra_body: serviceExtras.extra_body,
  /** What sessions may change of it by their `llm`; not given: all but `extra_body` and `extra_headers`. */
  allow_override: z.array(overridable).max(20).optional(),
  fallback: z.array(alias).max(10).optional(),
  price: price.optional(),
  context_tokens: z.int().min(1_000).max(10_000_000).optional(),
  /** It is shown images; not given: what is known of the model. */
  vision: z.boolean().optional(),
  quirks: modelQuirks.optional(),
})

/** One model of the server. `provider` defaults to `openai`, the OpenAI-compatible protocol over `api_url`. */
const modelConfig = (providers: readonly string[]) =>
  z
    .strictObject({
      ...modelFields(providers),
      extra_headers: serviceExtras.extra_headers,
      api_key: z.string().min(1).max(1_000).optional(),
      api_key_env: envName.optional(),
      /** More keys of the same service: the next is used while one was refused or is over its rate. */
      api_keys: z.array(z.string().min(1).max(1_000)).max(20).optional(),
      api_keys_env: z.array(envName).max(20).optional(),
      /** The connection of the tenant whose secret is the key, before all others; it is for the origin of `api_url`. */
      connection: connectionName.optional(),
    })
    .refine((m) => (m.provider ?? 'openai') !== 'openai' || m.api_url !== undefined, {
      path: ['api_url'],
      error: 'an absolute http or https address',
    })

/** Names of fields from the outside in, with dots between: `web.results`. */
const fieldPath = z.string().regex(/^[^\s.]+(\.[^\s.]+)*$/, 'names of fields with dots between')
const listPath = z.string().regex(/^(?:\.|[^\s.]+(?:\.[^\s.]+)*)$/, 'names of fields with dots between, or one dot')
const headerName = z.string().regex(/^[A-Za-z0-9-]{1,100}$/, 'the name of a header')

/** How a search service is asked and how its JSON answer is read; `results` is the path of the list (`.`: the answer itself), the rest are paths in an entry. */
const searchMapping = z
  .strictObject({
    method: z.enum(['GET', 'POST']).optional(),
    /** Parameter of the address (GET) or field of the JSON body (POST) that takes the words; that which takes the number of results. */
    query: z.string().min(1).max(100),
    count: z.string().min(1).max(100).optional(),
    parameters: z
      .record(z.string().min(1).max(100), z.union([z.string().max(1_000), z.number(), z.boolean()]))
      .optional(),
    key_header: headerName.optional(),
    key_prefix: z.string().max(100).optional(),
    /** Takes the key where no header does. */
    key_parameter: z.string().min(1).max(100).optional(),
    results: listPath,
    title: fieldPath,
    url: fieldPath,
    snippet: fieldPath.optional(),
    date: fieldPath.optional(),
  })
  .refine((mapping) => mapping.key_header === undefined || mapping.key_parameter === undefined, {
    path: ['key_parameter'],
    error: 'either key_header or key_parameter',
  })

/** Who finds pages. `keys`: what else may hold the key. */
export const webSearchWith = <K extends z.ZodType>(keys: K) =>
  z
    .strictObject({
      provider: z.enum(['searxng', 'brave', 'tavily', 'custom']),
      url: httpUrl.optional(),
      api_key_env: keys,
      /** The connection of the tenant whose secret is the key; it is for the origin of the service. */
      connection: connectionName.optional(),
      /** Of a `custom` provider. */
      mapping: searchMapping.optional(),
    })
    .refine((s) => (s.provider !== 'searxng' && s.provider !== 'custom') || s.url !== undefined, {
      path: ['url'],
      error: 'an absolute http or https address',
    })
    .refine((s) => (s.provider === 'custom') === (s.mapping !== undefined), {
      path: ['mapping'],
      error: 'a mapping for the provider custom, and for no other',
    })

/** Headers that say how a request is to be read, or where it goes. */
const OUR_HEADERS = /^(?:content-(?:type|length|encoding)|accept|host|connection|transfer-encoding)$/i

/** Who runs the scripts of pages that show nothing without them. `keys`: what else may hold the key. */
export const webRenderWith = <K extends z.ZodType>(keys: K) =>
  z
    .strictObject({
      provider: z.enum(['cloudflare', 'custom']),
      /** The Cloudflare account whose Browser Rendering is used. */
      account_id: z
        .string()
        .regex(/^[0-9a-f]{32}$/, 'the id of an account, 32 hex digits')
        .optional(),
      /** Of a `custom` service: what stands for `{url}` in it is the page's address; without that the address is sent as JSON, `{"url": …}`. */
      url: z.string().max(LIMITS.web.urlCharsMax).refine(isTemplate, 'an absolute http or https address').optional(),
      api_key_env: keys,
      /** The connection of the tenant whose secret is the key; it is for the origin of the service. */
      connection: connectionName.optional(),
      /** Takes the key as it is; without it `authorization` does, as a bearer. */
      key_header: headerName.refine((name) => !OUR_HEADERS.test(name), 'a header that says nothing else').optional(),
      timeout_ms: z
        .int()
        .min(1)
        .max(10 * 60_000)
        .optional(),
    })
    .refine((r) => r.provider !== 'cloudflare' || (r.account_id !== undefined && hasKey(r)), {
      path: ['account_id'],
      error: 'account_id, and api_key_env or connection, for the provider cloudflare',
    })
    .refine((r) => (r.provider === 'custom') === (r.url !== undefined), {
      path: ['url'],
      error: 'an absolute http or https address for the provider custom, and for no other',
    })
    .refine((r) => r.provider !== 'custom' || r.account_id === undefined, {
      path: ['account_id'],
      error: 'an account for the provider cloudflare, and for no other',
    })
    .refine((r) => !hasKey(r) || r.url === undefined || keepsKey(r.url), {
      path: ['url'],
      error: 'an https address, or one of this machine, where a key is sent',
    })

const webSearch = webSearchWith(envName.optional())
const webRender = webRenderWith(envName.optional())

const hasKey = ({ api_key_env: variable, connection }: { api_key_env?: unknown; connection?: unknown }) =>
  variable !== undefined || connection !== undefined

/** What is sent to this machine is seen by nobody on the way. */
function keepsKey(url: string): boolean {
  const parsed = URL.parse(url.replaceAll('{url}', ''))
  return parsed?.protocol !== 'http:' || /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(parsed.hostname)
}

function isTemplate(url: string): boolean {
  const parsed = URL.parse(url.replaceAll('{url}', ''))
  return (
    parsed !== null &&
    /^https?:$/.test(parsed.protocol) &&
    parsed.username === '' &&
    parsed.password === '' &&
    parsed.origin === URL.parse(url.replaceAll('{url}', 'x'))?.origin
  )
}

/** How the web is reached, beside the services that are asked. */
export const webFields = {
  allow_private_hosts: z.array(hostPort).max(100).optional(),
  trusted_hosts: z.array(z.string().min(1).max(260)).max(1_000).optional(),
  timeout_ms: z
    .int()
    .min(1)
    .max(10 * 60_000)
    .optional(),
  body_bytes_max: z
    .int()
    .min(1_024)
    .max(32 * 1_024 * 1_024)
    .optional(),
}

const webConfig = z.strictObject({
  ...webFields,
  search: webSearch.optional(),
  render: webRender.optional(),
})

/** A client that the server's authorisation server knows already. */
const configOAuthClient = z.strictObject({ client_id: mcpClientId, client_secret: mcpClientSecret.optional() })

const mcpServer = z.strictObject({
  url: httpUrl,
  headers: mcpHeaders.optional(),
  description: z.string().max(LIMITS.mcp.descriptionCharsMax).optional(),
  enabled: z.boolean().optional(),
  oauth_client: configOAuthClient.optional(),
  /** Whose grant calls use; default `tenant`. */
  oauth_grants: z.enum(MCP_GRANTS).optional(),
  /** What it says of its own tools counts; default true, as the server's owner has named it. */
  trust_hints: z.boolean().optional(),
})

/** Server config `budgets`: what each tenant may spend, or the one that is named, and each user of a tenant. */
const budgetsConfig = z.strictObject({
  tenant: budgetLimits.optional(),
  tenants: z.record(tenantName, budgetLimits).optional(),
  user: budgetLimits.optional(),
})

/** What of a config tenants may set in its place. */
export const SETTING_NAMES = ['models', 'default_model', 'budgets', 'tools', 'web', 'limits'] as const

const lockedPath = z
  .string()
  .max(LIMITS.settings.pathCharsMax)
  .refine((path) => SETTING_NAMES.some((name) => path === name || path.startsWith(`${name}.`)), {
    error: `${SETTING_NAMES.join(', ')}, or a field of them such as web.allow_private_hosts`,
  })

/** The server's config file. Fields not given keep their defaults; unknown ones are refused. `providers`: the names of those that
 *  models may be of. */
export const serverConfigWith = (providers: readonly string[]) =>
  z
    .strictObject({
      $schema: z.string().optional(),
      language: languageTag().optional(),
      timezone: timezone.optional(),
      character: z.string().max(LIMITS.text.nameCharsMax).optional(),
      instructions: z.string().max(LIMITS.text.instructionsCharsMax).optional(),
      models: z.record(alias, modelConfig(providers)).optional(),
      default_model: alias.optional(),
      tools: z.record(z.string().min(1).max(128), toolConfig).optional(),
      web: webConfig.optional(),
      /** Where this server is reached from outside; whoever authorises an MCP server comes back there. */
      public_url: httpUrl.optional(),
      mcp_servers: z.record(mcpServerName, mcpServer).optional(),
      /** APIs whose operations are tools, by the names that ids of these begin with. */
      openapi_tools: z
        .record(mcpServerName, configOpenApiTools)
        .refine((apis) => Object.keys(apis).length <= LIMITS.openapi.apisMax, `at most ${LIMITS.openapi.apisMax} APIs`)
        .optional(),
      /** Services that are asked about calls of tools, by name. */
      hooks: toolHooksConfig.optional(),
      ends_by_reply: replyEnding.optional(),
      prompt_layout: promptLayout.optional(),
      tools_preset: toolsPreset.optional(),
      /** `task`: no session is named by a model, whatever it asks for; `model`: those that say nothing are. */
      titles: titling.optional(),
      limits: limitsConfig.optional(),
      /** What tenants and users may spend by day and month. */
      budgets: budgetsConfig.optional(),
      /** What each tenant may have. */
      quotas: z
        .strictObject({
          sessions_max: z.int().min(1).max(LIMITS.access.sessionsOfTenantMax).optional(),
          /** What its sessions keep: logs, files and all. */
          bytes_max: z.int().min(1).max(LIMITS.access.bytesOfTenantMax).optional(),
          /** Answers as Server-Sent Events, and WebSockets, that are open at once. */
          streams_max: z.int().min(1).max(LIMITS.access.connectionsOfTenantMax).optional(),
          sockets_max: z.int().min(1).max(LIMITS.access.connectionsOfTenantMax).optional(),
        })
        .optional(),
      /** Where sessions and what their tenants have are kept. Not to be changed once there is something. */
      place: place.optional(),
      /** Over how many objects the lists of a tenant are spread; default 1. What a tenant begins with stays. */
      directory_shards: z.int().min(1).max(LIMITS.access.shardsMax).optional(),
      /** Requests that the platform lets one invocation make: 50 or 1,000. Default 1,000; on a machine of one's own there is no bound. */
      subrequests_max: z.int().min(1).max(1_000_000).optional(),
      /** Sessions that nobody touched for so long are deleted. */
      retention_days: z.number().positive().max(36_500).optional(),
      /** Where spans of runs, model calls and tool calls are sent (OTLP/HTTP, JSON); the values of headers are secret. */
      otel: z
        .strictObject({
          endpoint: httpUrl,
          headers: z.record(z.string().regex(/^[A-Za-z0-9-]{1,100}$/), z.string().max(4_096)).optional(),
          headers_env: z.record(z.string().regex(/^[A-Za-z0-9-]{1,100}$/), envName).optional(),
          service_name: z.string().min(1).max(100).optional(),
          /** Spans hold what users, models and tools said, cut and without secrets. */
          content: z.boolean().optional(),
        })
        .optional(),
      /** `content`: log lines hold results of runs and arguments of tool calls, cut. `level`: the least that is written: `info`, but
       *  `debug` where content is asked for; calls of models and tools are of that level. */
      log: z.strictObject({ content: z.boolean().optional(), level: z.enum(LOG_LEVELS).optional() }).optional(),
      /** Entries of the audit are kept for so long. */
      audit: z.strictObject({ retention_days: z.number().positive().max(36_500).optional() }).optional(),
      secrets: z.record(z.string().min(1).max(64), z.strictObject({ origin: httpUrl, value_env: envName })).optional(),
      auth: authConfig.optional(),
      /** What tenants may not set for themselves (PUT /v1/settings): names of fields, with dots between. */
      locked: z.array(lockedPath).max(LIMITS.settings.lockedMax).optional(),
      cors: z.strictObject({ origins: z.array(z.string().min(1).max(300)).max(100).optional() }).optional(),
    })
    .superRefine((config, context) => {
      for (const name of Object.keys(config.openapi_tools ?? {}))
        if (Object.hasOwn(config.mcp_servers ?? {}, name))
          context.addIssue({
            code: 'custom',
            path: ['openapi_tools', name],
            message: 'another name: mcp_servers has this one, and ids of tools begin with it',
          })
      const known = (name: string) => name === 'built-in' || config.models?.[name] !== undefined
      if (config.default_model !== undefined && !known(config.default_model)) {
        context.addIssue({ code: 'custom', path: ['default_model'], message: 'an alias of models' })
      }
      for (const [name, model] of Object.entries(config.models ?? {})) {
        for (const [index, other] of (model.fallback ?? []).entries()) {
          if (!known(other))
            context.addIssue({
              code: 'custom',
              path: ['models', name, 'fallback', index],
              message: 'an alias of models',
            })
        }
      }
    })

export type ServerConfig = z.infer<ReturnType<typeof serverConfigWith>>
export type SearchMapping = z.infer<typeof searchMapping>
export type WebSearchConfig = z.infer<typeof webSearch>
export type WebRenderConfig = z.infer<typeof webRender>
export type ModelConfig = z.infer<ReturnType<typeof modelConfig>>

/** The issuer of what Cloudflare Access asserts for a team. */
export function accessIssuer(teamDomain: string): string {
  return `https://${teamDomain}`
}

/** What the holder of an account of a token may use; null: it is none, or of none of the issuers. */
export function tokenLimits(
  { jwt = [], access }: NonNullable<ServerConfig['auth']>,
  account: string,
): KeyLimits | null {
  const issuers = [...jwt, ...(access ? [{ ...access, issuer: accessIssuer(access.team_domain) }] : [])]
  const found = issuers.find(({ issuer }) => account.startsWith(tokenAccount(issuer, '')))
  return found ? (found.limits ?? {}) : null
}
