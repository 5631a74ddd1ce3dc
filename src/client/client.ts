export type { WhenBusy } from '../domain/run.ts'
export type { UsageSum } from '../domain/usage.ts'
export type { AuditVerification } from '../domain/audit.ts'
export type { CallbackInfo } from '../domain/callback.ts'
export type { BudgetInfo, KeyInfo } from '../domain/access.ts'
export type { LinkDecided, LinkInfo } from '../domain/link.ts'
import type { Fetch, Sleep } from '../domain/ports.ts'
import type { Price } from '../domain/usage.ts'
import { send, sendForJson, type Connection, type Request, sendForNothing } from './http.ts'
import { auditOf, keysOf, linksOf } from './access.ts'
import { callbacksOf, schedulesOf, webhooksOf } from './triggers.ts'
import { mcpServersOf, skillsOf, type SkillInfo } from './catalogue.ts'
import { memoryOf } from './memory.ts'
import { metricsOf } from './metrics.ts'
import type { Page, PageQuery } from './session-shapes.ts'
import { sessionsOf } from './sessions.ts'
import type { FileData } from '../domain/file.ts'
import { LIMITS } from '../domain/limits.ts'
import { sleep } from '../lib/wait.ts'

export { finishAnswerOf, isDelta, type StreamEvent, type ToldDelta } from './events.ts'
export { ApiProblem, Unreachable } from './problem.ts'
export type { Request } from './http.ts'
export type * from './access.ts'
export type * from './catalogue.ts'
export type * from './memory.ts'
export type * from './metrics.ts'
export type * from './session-shapes.ts'
export type * from './triggers.ts'

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

export type Client = ReturnType<typeof createClient>

/** A client of one server. Every call throws `ApiProblem` for a refusal and `Unreachable` when there is no answer. */
export function createClient(options: ClientOptions) {
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
    health: (signal?: AbortSignal) => get<Health>('/healthz', signal),
    models: () => wholeList<ModelInfo>(connection, '/v1/models'),
    tools: () => wholeList<ToolInfo>(connection, '/v1/tools'),
    teams: () => wholeList<TeamInfo>(connection, '/v1/teams'),
    skills: () => wholeList<SkillInfo>(connection, '/v1/skills'),
    ...skillsOf(connection),
    /** Any other route: its JSON, or the answer as it comes. */
    json: <T>(request: Request) => sendForJson<T>(connection, request),
    send: (request: Request) => send(connection, request),
  }
}

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
