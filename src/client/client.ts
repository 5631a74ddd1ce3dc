export type { WhenBusy } from '../domain/run.ts'
export type { UsageSum } from '../domain/usage.ts'
export type { AuditVerification } from '../domain/audit.ts'
export type { CallbackInfo } from '../domain/callback.ts'
export type { BudgetInfo, KeyInfo, Me } from '../domain/access.ts'
export type { LinkDecided, LinkInfo } from '../domain/link.ts'
import type { Fetch, Sleep } from '../domain/ports.ts'
import type { ModelInfo } from '../domain/model.ts'
import type { ListedSkill, SkillList } from '../domain/skill.ts'
import type { TeamInfo } from '../domain/team.ts'
import type { Me } from '../domain/access.ts'
import type { Health } from '../domain/health.ts'
import type { OrchestratorInfo } from '../domain/orchestrator.ts'
import type { ToolInfo } from '../domain/tool.ts'
import {
  type Connection,
  type Page,
  type PageQuery,
  type Request,
  send,
  sendForJson,
  sendForNothing,
  type OpenSocket,
} from './http.ts'
import {
  auditOf,
  apiKeysOf,
  linksOf,
  mcpServersOf,
  openApiToolsOf,
  skillsOf,
  workflowsOf,
  memoryOf,
  metricsOf,
  usersOf,
} from './tenant.ts'
import { callbacksOf, schedulesOf, webhooksOf } from './triggers.ts'
import { budgetsOf, connectionsOf, ownSettingsOf } from './settings.ts'
import { sessionsOf } from './sessions.ts'
import type { FileData } from '../domain/file.ts'
import { CLIENT_LIMITS } from '../domain/client-limits.ts'
import { sleep } from '../lib/wait.ts'

export { answerValueOf, finishAnswerOf, isDelta, type StreamEvent, type StreamedDelta } from './events.ts'
export { ApiProblem, Unreachable } from './problem.ts'
export type { Request, OpenSocket } from './http.ts'
export type * from './tenant.ts'
export type * from './sessions.ts'
export type * from './triggers.ts'

export interface ClientOptions {
  /** Address of the server, such as `http://localhost:8787`. */
  server: string
  /** API key; sent to that server only. */
  key?: string | undefined
  /** BCP 47 tag in which the server's words and new sessions are. */
  language?: string | undefined
  fetch?: Fetch
  /** For runtimes that have none of their own, such as Node before 22: `(...at) => new WebSocket(...at)` with that of `ws`. */
  webSocket?: OpenSocket
  sleep?: Sleep
}

export type Client = ReturnType<typeof createClient>

function socketsOfRuntime(): OpenSocket | undefined {
  const { WebSocket } = globalThis
  return WebSocket && ((address, protocols) => new WebSocket(address, protocols))
}

/** A client of one server. Every call throws `ApiProblem` for a refusal and `Unreachable` when there is no answer. */
export function createClient(options: ClientOptions) {
  const server = options.server.replace(/\/+$/, '')
  const { key, language, sleep: wait = sleep } = options
  const connection: Connection = {
    server,
    key,
    language,
    fetch: options.fetch ?? ((url, init) => fetch(url, init)),
    webSocket: options.webSocket ?? socketsOfRuntime(),
  }
  const get = <T>(path: string, signal?: AbortSignal) => sendForJson<T>(connection, { path, signal })
  return {
    server,
    sessions: sessionsOf(connection, wait),
    memory: memoryOf(connection),
    users: usersOf(connection),
    webhooks: webhooksOf(connection),
    schedules: schedulesOf(connection),
    callbacks: callbacksOf(connection),
    keys: apiKeysOf(connection),
    links: linksOf(connection),
    audit: auditOf(connection),
    files: filesOf(connection),
    mcpServers: mcpServersOf(connection),
    openApiTools: openApiToolsOf(connection),
    settings: ownSettingsOf(connection),
    budgets: budgetsOf(connection),
    connections: connectionsOf(connection),
    ...metricsOf(connection),
    /** Who asks, and what they may do; `admin` holds the other scopes. */
    me: (signal?: AbortSignal) => get<Me>('/v1/me', signal),
    health: (signal?: AbortSignal) => get<Health>('/healthz', signal),
    models: () => wholeList<ModelInfo>(connection, '/v1/models', { kind: 'model' }),
    tools: () => wholeList<ToolInfo>(connection, '/v1/tools'),
    orchestrators: () => wholeList<OrchestratorInfo>(connection, '/v1/orchestrators'),
    teams: () => wholeList<TeamInfo>(connection, '/v1/teams'),
    /** All of them, and those of the product that cannot be used. */
    skills: () => wholeList<ListedSkill, SkillList>(connection, '/v1/skills'),
    ...skillsOf(connection, wait),
    workflows: workflowsOf(connection),
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
    /** All of them as a zip. */
    zip: (session: string) => send(connection, { path: all(session), headers: { accept: 'application/zip' } }),
    /** Write a text, or bytes of a media type. `untrusted`: others may have written it, so that it is told to models as such. */
    put: (
      session: string,
      path: string,
      content: string | Uint8Array,
      type?: string,
      query?: { untrusted?: boolean | undefined },
    ) =>
      sendForJson<FileData>(connection, {
        method: 'PUT',
        path: one(session, path),
        query,
        body: content,
        headers: { 'content-type': type ?? (typeof content === 'string' ? 'text/plain' : 'application/octet-stream') },
      }),
    delete: (session: string, path: string) =>
      sendForNothing(connection, { method: 'DELETE', path: one(session, path) }),
  }
}

/** All of a list as one page, up to `CLIENT_LIMITS.pagesMax` of the server's, with what the first page says beside its entries;
 *  `next_cursor` says whether there is more. */
export async function wholeList<T, P extends Page<T> = Page<T>>(
  connection: Connection,
  path: string,
  query: Readonly<Record<string, string>> = {},
): Promise<P> {
  const ask = (cursor: string | null) =>
    sendForJson<P>(connection, {
      path,
      query: { ...query, limit: CLIENT_LIMITS.pageMax, ...(cursor === null ? {} : { cursor }) },
    })
  const first = await ask(null)
  const data = [...first.data]
  let cursor = first.next_cursor
  for (let pages = 1; cursor !== null && pages < CLIENT_LIMITS.pagesMax; pages++) {
    const page = await ask(cursor)
    data.push(...page.data)
    cursor = page.next_cursor
  }
  return { ...first, data, next_cursor: cursor }
}
