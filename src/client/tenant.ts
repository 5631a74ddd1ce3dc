import type { KeyInfo, KeyPatch, NewKey, BudgetInfo } from '../domain/access.ts'
import {
  type Connection,
  type Page,
  type PageQuery,
  type Request,
  resourceOf,
  send,
  sendForJson,
  sendForNothing,
  pathsBelow,
} from './http.ts'
import type { Sleep } from '../domain/ports.ts'
import { type Giving, offering, type WithTools, withToolsRun } from './caller-tools.ts'
import type { LinkDecided, LinkInfo, LinkView, NewLink } from '../domain/link.ts'
import type { DecisionInput, WrittenSkillRun, WrittenWorkflowRun } from '../domain/session-input.ts'
import type { AuditEntry, AuditVerification } from '../domain/audit.ts'
import type { ListedMcpServer, McpServerInfo, McpServerPatch, NewMcpServer } from '../domain/mcp.ts'
import type {
  ListedOpenApiTools,
  NewOpenApiTools,
  OpenApiToolsInfo,
  OpenApiToolsPatch,
} from '../domain/openapi-tools.ts'
import type { AgentResponseData, SessionData } from '../domain/session.ts'
import type { ListedWorkflow, WorkflowInfo } from '../domain/workflow-view.ts'
import type { NewWorkflow } from '../domain/workflow.ts'
import type { NewSkill, SkillInfo } from '../domain/skill.ts'
import type { Preference, RememberedTask, Round } from '../domain/memory.ts'
import type { UserJob } from '../domain/user-job.ts'
import type { UsageKey, UsageSum } from '../domain/usage.ts'

/** The routes of keys as functions; a key that is deleted lets nobody in from then on. Errors: see `send` in http.ts. */
export function apiKeysOf(connection: Connection) {
  return resourceOf<KeyInfo, NewKey, KeyPatch>(connection, '/v1/keys')
}

/** A decision by link. `pending_id`: what is decided, where the link is for a session. */
export type LinkDecision = Omit<DecisionInput, 'remember'> & { pending_id?: string }

/** The routes of signed links as functions. Errors: see `send` in http.ts. */
export function linksOf(connection: Connection) {
  const json = <T>(request: Request) => sendForJson<T>(connection, request)
  const ofSession = (session: string) => `/v1/sessions/${encodeURIComponent(session)}/links`
  const held = (token: string) => `/links/${encodeURIComponent(token)}`
  return {
    create: (session: string, body: NewLink) => json<LinkInfo>({ method: 'POST', path: ofSession(session), body }),
    list: (session: string, query: PageQuery = {}) =>
      json<Page<LinkInfo>>({ path: ofSession(session), query: { ...query } }),
    delete: (session: string, id: string) =>
      sendForNothing(connection, { method: 'DELETE', path: `${ofSession(session)}/${encodeURIComponent(id)}` }),
    /** Sign with a new secret: no link made so far opens anything. */
    rotate: () => json<{ rotated_time: string }>({ method: 'POST', path: '/v1/links/rotate' }),
    open: (token: string) => json<LinkView>({ path: held(token) }),
    decide: (token: string, body: LinkDecision) => json<LinkDecided>({ method: 'POST', path: held(token), body }),
  }
}

/** Which entries. `from` and `to` are RFC 3339 times or days. */
export interface AuditFilterQuery {
  from?: string
  to?: string
  actor?: string
  action?: string
  target?: string
}

/** The routes of the audit as functions. Errors: see `send` in http.ts. */
export function auditOf(connection: Connection) {
  return {
    /** Newest first. */
    list: (query: AuditFilterQuery & PageQuery = {}) =>
      sendForJson<Page<AuditEntry>>(connection, { path: '/v1/audit', query: { ...query } }),
    /** `cursor`: the `next_cursor` of the verification before, where one did not reach the end. */
    verify: (query: { cursor?: string } = {}) =>
      sendForJson<AuditVerification>(connection, { path: '/v1/audit/verify', query }),
    /** All entries as JSON lines, oldest first: a stream, as there may be many. */
    export: (query: AuditFilterQuery = {}, signal?: AbortSignal) =>
      send(connection, { path: '/v1/audit', query: { ...query }, headers: { accept: 'application/x-ndjson' }, signal }),
  }
}

/** The routes of one skill as functions. Errors: see `send` in http.ts. */
export function skillsOf(connection: Connection, sleep: Sleep) {
  const pathOf = (name: string) => `/v1/skills/${encodeURIComponent(name)}`
  const giving: Giving = { json: (request) => sendForJson(connection, request), sleep }
  return {
    skill: (name: string) => sendForJson<SkillInfo>(connection, { path: pathOf(name) }),
    /** Make a session that runs the skill, and wait until the run rests. */
    runSkill: async (name: string, run: WrittenSkillRun & WithTools): Promise<AgentResponseData> => {
      const request = { method: 'POST', path: `${pathOf(name)}/run`, body: offering(run) } as const
      const answer = await sendForJson<AgentResponseData>(connection, request)
      const { tools } = run
      return tools === undefined ? answer : withToolsRun(answer, { session: answer.id, tools }, giving)
    },
    /** The folder of a skill as a zip, or its SKILL.md as text. */
    skillFolder: (name: string, as: 'application/zip' | 'text/markdown' = 'application/zip') =>
      send(connection, { path: pathOf(name), headers: { accept: as } }),
    /** Add a skill; refused where its name is taken. As JSON, as the text of a SKILL.md, or as a zip of its folder. */
    createSkill: (skill: NewSkill | string | Uint8Array) =>
      sendForJson<SkillInfo>(connection, { method: 'POST', path: '/v1/skills', body: skill }),
    /** Add a skill, or replace the one of its name, which may be left out. */
    putSkill: (name: string, skill: Omit<NewSkill, 'name'> | string | Uint8Array) =>
      sendForJson<SkillInfo>(connection, { method: 'PUT', path: pathOf(name), body: skill }),
    deleteSkill: (name: string) => sendForNothing(connection, { method: 'DELETE', path: pathOf(name) }),
  }
}

function definition(body: NewWorkflow | string) {
  return { body, ...(typeof body === 'string' ? { headers: { 'content-type': 'application/yaml' } } : {}) }
}

/** Workflows of the tenant, and those that come with the server. */
export function workflowsOf(connection: Connection) {
  const pathOf = (name: string) => `/v1/workflows/${encodeURIComponent(name)}`
  return {
    list: (query: PageQuery = {}) =>
      sendForJson<Page<ListedWorkflow>>(connection, { path: '/v1/workflows', query: { ...query } }),
    /** The newest version, or another that is kept. */
    get: (name: string, version?: number) =>
      sendForJson<WorkflowInfo>(connection, {
        path: pathOf(name),
        ...(version === undefined ? {} : { query: { version } }),
      }),
    versions: (name: string) => sendForJson<Page<ListedWorkflow>>(connection, { path: `${pathOf(name)}/versions` }),
    /** Add a workflow; refused where its name is taken. A text is YAML. */
    create: (workflow: NewWorkflow | string) =>
      sendForJson<WorkflowInfo>(connection, { method: 'POST', path: '/v1/workflows', ...definition(workflow) }),
    /** Add a workflow, or another version of the one of its name, which may be left out. A text is YAML. */
    put: (name: string, workflow: NewWorkflow | string) =>
      sendForJson<WorkflowInfo>(connection, { method: 'PUT', path: pathOf(name), ...definition(workflow) }),
    delete: (name: string) => sendForNothing(connection, { method: 'DELETE', path: pathOf(name) }),
    /** Make a session that goes by the workflow, and wait until its run rests. */
    run: (name: string, run: WrittenWorkflowRun = {}) =>
      sendForJson<SessionData>(connection, { method: 'POST', path: `${pathOf(name)}/run`, body: run }),
  }
}

const MCP_SERVERS = '/v1/mcp-servers'

/** The routes of MCP servers as functions. Errors: see `send` in http.ts. */
export function mcpServersOf(connection: Connection) {
  const path = pathsBelow(MCP_SERVERS)
  return {
    ...resourceOf<McpServerInfo, NewMcpServer, McpServerPatch, ListedMcpServer>(connection, MCP_SERVERS),
    /** Ask it for its tools anew. */
    refresh: (name: string) => sendForJson<McpServerInfo>(connection, { method: 'POST', path: path(name, '/refresh') }),
  }
}

const OPENAPI_TOOLS = '/v1/openapi-tools'

/** APIs whose operations are tools, as functions. Errors: see `send` in http.ts. */
export function openApiToolsOf(connection: Connection) {
  const path = pathsBelow(OPENAPI_TOOLS)
  return {
    ...resourceOf<OpenApiToolsInfo, NewOpenApiTools, OpenApiToolsPatch, ListedOpenApiTools>(connection, OPENAPI_TOOLS),
    /** Read its document anew. */
    refresh: (name: string) =>
      sendForJson<OpenApiToolsInfo>(connection, { method: 'POST', path: path(name, '/refresh') }),
  }
}

export interface MemoryListQuery {
  /** Words that have to be in what is listed. */
  q?: string
  limit?: number
  cursor?: string
}

/** The routes of a user's memory as functions. Lists are newest first. Errors: see `send` in http.ts. */
export function memoryOf(connection: Connection) {
  const json = <T>(request: Request) => sendForJson<T>(connection, request)
  const path = (user: string, rest = '') => `/v1/users/${encodeURIComponent(user)}/memory${rest}`
  const keyPath = (user: string, key: string) => path(user, `/preferences/${encodeURIComponent(key)}`)
  const remove = (address: string) => sendForNothing(connection, { method: 'DELETE', path: address })
  return {
    preferences: (user: string, query: Omit<MemoryListQuery, 'q'> = {}) =>
      json<Page<Preference>>({ path: path(user, '/preferences'), query: { ...query } }),
    preference: (user: string, key: string) => json<Preference>({ path: keyPath(user, key) }),
    setPreference: (user: string, key: string, value: string) =>
      json<Preference>({ method: 'PUT', path: keyPath(user, key), body: { value } }),
    deletePreference: (user: string, key: string) => remove(keyPath(user, key)),
    conversations: (user: string, query: MemoryListQuery = {}) =>
      json<Page<Round>>({ path: path(user, '/conversations'), query: { ...query } }),
    tasks: (user: string, query: MemoryListQuery = {}) =>
      json<Page<RememberedTask>>({ path: path(user, '/tasks'), query: { ...query } }),
    /** Forgets everything of the user. */
    clear: (user: string) => remove(path(user)),
  }
}

/** All that there is of a person, as functions. Errors: see `send` in http.ts. */
export function usersOf(connection: Connection) {
  const path = (user: string, rest = '') => `/v1/users/${encodeURIComponent(user)}${rest}`
  return {
    /** Begins a job, which goes on by itself. */
    erase: (user: string) => sendForJson<UserJob>(connection, { method: 'DELETE', path: path(user) }),
    /** With status 202 the job that gathers it, with 200 all of it as JSON lines. */
    export: (user: string, signal?: AbortSignal) => send(connection, { path: path(user, '/export'), signal }),
    jobs: (user: string, query: PageQuery = {}) =>
      sendForJson<Page<UserJob>>(connection, { path: path(user, '/jobs'), query: { ...query } }),
    job: (user: string, id: string) =>
      sendForJson<UserJob>(connection, { path: path(user, `/jobs/${encodeURIComponent(id)}`) }),
  }
}

/** `budgets`: absent where there are none. */
export interface UsagePage extends Page<UsageSum> {
  budgets?: BudgetInfo[]
}

export interface UsageFilter extends PageQuery {
  by?: UsageKey
  from?: string
  to?: string
}

/** What a tenant did and spent, as functions. Errors: see `send` in http.ts. */
export function metricsOf(connection: Connection) {
  return {
    /** Counters in the text format of Prometheus. */
    metrics: async (signal?: AbortSignal) =>
      (await send(connection, { path: '/v1/metrics', headers: { accept: 'text/plain' }, signal })).text(),
    usage: (query: UsageFilter = {}) => sendForJson<UsagePage>(connection, { path: '/v1/usage', query: { ...query } }),
  }
}
