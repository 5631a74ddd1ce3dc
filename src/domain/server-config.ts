import * as z from 'zod'
import { tenantName } from './access.ts'
import { authConfig } from './auth-config.ts'
import { budgetLimits } from './budget.ts'
import {
  alias,
  envName,
  httpUrl,
  limitsConfig,
  promptLayout,
  replyEnding,
  timezone,
  titling,
  toolConfig,
  toolsPreset,
} from './config.ts'
import { languageTag } from './language.ts'
import { LIMITS } from './limits.ts'
import { MCP_GRANTS, mcpClientId, mcpClientSecret, mcpHeaders, mcpServerName } from './mcp.ts'
import { modelConfig } from './model-config.ts'
import { configOpenApiTools } from './openapi-tools.ts'
import { place } from './place.ts'
import { LOG_LEVELS } from './telemetry.ts'
import { toolHooksConfig } from './tool-hook.ts'
import { webConfig } from './web-config.ts'

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
      /** For whoever reads the file. */
      $comment: z.string().optional(),
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
