import type { Tool, ToolInfo } from '../domain/tool.ts'
import { enabledTools, isWished, outputLimitsOf } from './registry.ts'
import { permissionOf } from './permission.ts'
import { LIMITS } from '../domain/limits.ts'
import type { MemoryOf } from '../domain/memory.ts'
import type { Fetch, Now } from '../domain/ports.ts'
import type { ServerConfig } from '../domain/server-config.ts'
import { createGuardedFetch, type GuardPorts } from '../net/guarded-fetch.ts'
import { CONTROL_TOOLS } from './control.ts'
import { SKILL_TOOLS } from './skills/tools.ts'
import { findTools } from './mcp/find-tools.ts'
import type { KnownSecret } from '../net/secrets.ts'
import { httpRequest } from './http-request/tool.ts'
import { memoryTools } from './memory/tools.ts'
import { readResult } from './read-result/tool.ts'
import { webAccess } from './web-access/tool.ts'
import type { Rendering } from './web-access/visit-page.ts'
import { DELEGATION_TOOLS } from './delegation.ts'
import { askFormTool } from './waiting/ask-form.ts'
import { planNotes } from './waiting/plan-notes.ts'
import { waitTool } from './waiting/wait.ts'
import { webSearch } from './web-search/tool.ts'
import { FILE_TOOLS } from './files/tools.ts'

/** What the product's tools have of the world. */
interface ToolWorld {
  config: ServerConfig
  publicFetch: Fetch
  /** For hosts that config names; null: as the public one. */
  privateFetch: Fetch | null
  now: Now
  /** The value of a variable of the environment. */
  readonly secret: (variable: string) => string | undefined
  /** Connections; secrets of the config go before those of the same name. */
  connections?: readonly KnownSecret[]
  /** The services that the tenant has named, in the place of the file's. */
  ofTenant?: { search: boolean; render: boolean }
  /** What is remembered of users; absent: nothing is. */
  memory?: MemoryOf | undefined
  /** Whether there are skills. */
  hasSkills: boolean
  /** Tools beside those of the product. */
  others: readonly Tool[]
}

/** Every tool that there is, in the order in which models are offered them. One line a tool. */
export function allTools(world: ToolWorld): Tool[] {
  const { config, now, secret } = world
  const guard = {
    publicFetch: world.publicFetch,
    privateFetch: world.privateFetch,
    allowPrivateHosts: config.web?.allow_private_hosts ?? [],
  }
  const settings = requestLimits(config)
  return [
    webAccess({ fetch: createGuardedFetch(guard), now, settings, render: renderingOf(world, guard) }),
    ...webSearch(config.web?.search, { guard, isTenants: world.ofTenant?.search ?? false, now, secret, settings }),
    httpRequest({ fetch: createGuardedFetch(guard), secrets: secretsOf(world), settings }),
    ...FILE_TOOLS,
    ...(world.memory ? memoryTools(world.memory) : []),
    readResult,
    findTools,
    ...(world.hasSkills ? SKILL_TOOLS : []),
    waitTool(now),
    askFormTool(now),
    planNotes,
    ...DELEGATION_TOOLS,
    ...world.others,
    ...CONTROL_TOOLS,
  ]
}

/** How long rendering may take, and the way to it, which is loaded when a page needs it. */
function renderingOf({ config: { web }, secret, ofTenant }: ToolWorld, guard: GuardPorts): Rendering | undefined {
  const config = web?.render
  if (config === undefined) return undefined
  const service = async () =>
    (await import('./web-access/render.ts')).rendererOf(config, guard, secret, ofTenant?.render)
  return { timeoutMs: config.timeout_ms ?? LIMITS.web.renderTimeoutMs, service }
}

/** How long one request may take, and how much of its answer is read. */
export function requestLimits({ web }: ServerConfig): { timeoutMs: number; bodyBytesMax: number } {
  return {
    timeoutMs: web?.timeout_ms ?? LIMITS.web.timeoutMs,
    bodyBytesMax: web?.body_bytes_max ?? LIMITS.web.bodyBytesMax,
  }
}

/** The secrets of a config, and connections, each for its origin. */
export function secretsOf({
  config: { secrets = {} },
  secret,
  connections = [],
}: Pick<ToolWorld, 'config' | 'secret' | 'connections'>): KnownSecret[] {
  const own = Object.entries(secrets).map(([name, { origin, value_env: variable }]) => ({
    name,
    origin: new URL(origin).origin,
    value: () => secret(variable),
  }))
  return [...own, ...connections.filter(({ name }) => !Object.hasOwn(secrets, name))]
}

/** A tool as GET /v1/tools shows it. */
export function toolView(tool: Tool, server: Pick<ServerConfig, 'tools'>): ToolInfo {
  const settings = { server, session: {} }
  const { charsMax, linesMax, strategy } = outputLimitsOf(tool, settings)
  return {
    id: tool.id,
    object: 'tool',
    names: tool.names,
    description: tool.description,
    parameters: Object.fromEntries(
      Object.entries(tool.parameters).map(([name, { names, required }]) => [name, { names, required }]),
    ),
    input_schema: tool.inputSchema(),
    ...(tool.server === null ? {} : { server: tool.server }),
    risk: tool.risk,
    idempotent: tool.idempotent,
    enabled: enabledTools([tool], settings).length > 0 && (!tool.optIn || isWished(tool, settings)),
    permission: permissionOf(tool, settings),
    auto_approve: permissionOf(tool, settings) === 'allow',
    timeout_ms: tool.timeoutMs,
    output: { chars_max: charsMax, lines_max: linesMax, strategy },
  }
}
