import type { Fetch, Sleep } from '../domain/ports.ts'
import type { AgentResponseData } from '../domain/session.ts'
import type { Price } from '../domain/usage.ts'
import { send, sendForJson, type Connection, type Request, sendForNothing } from './http.ts'
import { auditOf } from './audit.ts'
import { callbacksOf, type Callbacks } from './callbacks.ts'
import { keysOf } from './keys.ts'
import { linksOf } from './links.ts'
import { mcpServersOf } from './mcp-servers.ts'
import { memoryOf, type MemoryOfUsers } from './memory.ts'
import { metricsOf } from './metrics.ts'
import { schedulesOf } from './schedules.ts'
import { skillsOf, type SkillInfo, type SkillRun } from './skills.ts'
import type { Page, Sessions, PageQuery } from './session-shapes.ts'
import { sessionsOf } from './sessions.ts'
import { webhooksOf } from './webhooks.ts'
import type { FileData } from '../domain/file.ts'
import { LIMITS } from '../domain/limits.ts'

export { answerOf, isDelta, type StreamEvent, type ToldDelta } from './events.ts'
export type { CallbackInfo, Callbacks, CallbackDeliveryInfo, DeliveryListQuery, NewCallback } from './callbacks.ts'
export type { AuditFilterQuery, AuditVerification } from './audit.ts'
export type { KeyInfo } from './keys.ts'
export type { LinkDecided, LinkDecision, LinkInfo, LinkView } from './links.ts'
export type { McpServerInfo } from './mcp-servers.ts'
export type { BudgetInfo, UsagePage, UsageQuery, UsageSum } from './metrics.ts'
export type { MemoryListQuery, MemoryOfUsers } from './memory.ts'
export { ApiProblem, Unreachable } from './problem.ts'
export type { ScheduledRunInfo, ScheduleInfo } from './schedules.ts'
export type { SkillInfo, SkillRun } from './skills.ts'
export type {
  Accepted,
  Action,
  ListQuery,
  NewSession,
  Page,
  PendingDecision,
  Sessions,
  PageQuery,
  StartOptions,
  StreamOptions,
  WhenBusy,
} from './session-shapes.ts'
export type { Request } from './http.ts'

export type { DeliveryInfo, WebhookInfo, WebhookTrialInfo } from './webhooks.ts'

export interface ClientOptions {
  /** Address of the server, such as `http://localhost:8787`. */
  server: string
  /** API key; sent to that server only. */
  key?: string | undefined
  fetch?: Fetch
  sleep?: Sleep
}

/** Answer of GET /healthz. */
export interface Health {
  status: string
  version: string
  default_model?: string | null
  [more: string]: unknown
}

/** An entry of GET /v1/models. */
export interface ModelInfo {
  id: string
  default?: boolean
  price?: Price | null
  [more: string]: unknown
}

/** An entry of GET /v1/tools, as far as a client needs it. */
export interface ToolInfo {
  id: string
  names?: Record<string, string>
  [more: string]: unknown
}

/** An entry of GET /v1/teams, as far as a client needs it. */
export interface TeamInfo {
  name: string
  [more: string]: unknown
}

export interface Client extends ReturnType<typeof metricsOf> {
  readonly server: string
  readonly sessions: Sessions
  readonly memory: MemoryOfUsers
  readonly webhooks: ReturnType<typeof webhooksOf>
  readonly schedules: ReturnType<typeof schedulesOf>
  readonly callbacks: Callbacks
  readonly keys: ReturnType<typeof keysOf>
  readonly links: ReturnType<typeof linksOf>
  readonly audit: ReturnType<typeof auditOf>
  readonly files: ReturnType<typeof filesOf>
  readonly mcpServers: ReturnType<typeof mcpServersOf>
  health(signal?: AbortSignal): Promise<Health>
  models(): Promise<Page<ModelInfo>>
  tools(): Promise<Page<ToolInfo>>
  teams(): Promise<Page<TeamInfo>>
  skills(): Promise<Page<SkillInfo>>
  skill(name: string): Promise<SkillInfo>
  /** Make a session that runs the skill, and wait until the run rests. */
  runSkill(name: string, run: SkillRun): Promise<AgentResponseData>
  /** Add a skill; refused where its name is taken. */
  createSkill(skill: Record<string, unknown> | string): Promise<SkillInfo>
  /** Add a skill, or replace the one of its name; as JSON, or as the text of a SKILL.md. */
  putSkill(name: string, skill: Record<string, unknown> | string): Promise<SkillInfo>
  deleteSkill(name: string): Promise<void>
  /** Any other route: its JSON, or the answer as it comes. */
  json<T>(request: Request): Promise<T>
  send(request: Request): Promise<Response>
}

/** A client of one server. Every call throws `ApiProblem` for a refusal and `Unreachable` when there is no answer. */
export function createClient(options: ClientOptions): Client {
  const server = options.server.replace(/\/+$/, '')
  const connection: Connection = { server, key: options.key, fetch: options.fetch ?? ((url, init) => fetch(url, init)) }
  const get = <T>(path: string, signal?: AbortSignal) => sendForJson<T>(connection, { path, signal })
  return {
    server,
    sessions: sessionsOf(connection, options.sleep ?? sleep),
    memory: memoryOf(connection),
    webhooks: webhooksOf(connection),
    schedules: schedulesOf(connection),
    callbacks: callbacksOf(connection),
    keys: keysOf(connection),
    links: linksOf(connection),
    audit: auditOf(connection),
    files: filesOf(connection),
    mcpServers: mcpServersOf(connection),
    ...metricsOf(connection),
    health: (signal) => get('/healthz', signal),
    models: () => wholeList(connection, '/v1/models'),
    tools: () => wholeList(connection, '/v1/tools'),
    teams: () => wholeList(connection, '/v1/teams'),
    skills: () => wholeList(connection, '/v1/skills'),
    ...skillsOf(connection),
    json: (request) => sendForJson(connection, request),
    send: (request) => send(connection, request),
  }
}

const sleep: Sleep = (ms, signal) =>
  new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason as Error)
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason as Error)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal?.addEventListener('abort', stop, { once: true })
  })

/** The routes of a session's workspace as functions. Errors: see `send` in http.ts. */
export function filesOf(connection: Connection) {
  const all = (session: string) => `/v1/sessions/${encodeURIComponent(session)}/files`
  const one = (session: string, path: string) => `${all(session)}/${path.split('/').map(encodeURIComponent).join('/')}`
  return {
    list: (session: string, query: PageQuery & { path?: string } = {}) =>
      sendForJson<Page<FileData>>(connection, { path: all(session), query: { ...query } }),
    /** The bytes, with their type. */
    get: (session: string, path: string) => send(connection, { path: one(session, path), headers: { accept: '*/*' } }),
    /** Write a text. */
    put: (session: string, path: string, text: string) =>
      sendForJson<FileData>(connection, { method: 'PUT', path: one(session, path), body: text }),
    delete: (session: string, path: string) =>
      sendForNothing(connection, { method: 'DELETE', path: one(session, path) }),
  }
}

/** All of a list as one page, up to `LIMITS.http.wholeListPagesMax` of the server's; `next_cursor` says whether there is more. */
export async function wholeList<T>(connection: Connection, path: string): Promise<Page<T>> {
  const data: T[] = []
  let cursor: string | null = null
  for (let pages = 0; pages < LIMITS.http.wholeListPagesMax; pages++) {
    const query: Record<string, string | number> = {
      limit: LIMITS.http.listMax,
      ...(cursor === null ? {} : { cursor }),
    }
    const page: Page<T> = await sendForJson<Page<T>>(connection, { path, query })
    data.push(...page.data)
    cursor = page.next_cursor
    if (cursor === null) break
  }
  return { object: 'list', data, next_cursor: cursor }
}
