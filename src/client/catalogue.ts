import type { SessionConfig } from '../domain/config.ts'
import type { AgentResponseData } from '../domain/session.ts'
import { type Connection, pathsBelow, resourceOf, sendForJson, sendForNothing } from './http.ts'
import type { McpServerPatch, NewMcpServer } from '../domain/mcp.ts'

/** A skill as GET /v1/skills shows it; `prompt` is there when it was asked for by its name. */
export interface SkillInfo {
  name: string
  description?: string
  prompt?: string
  [more: string]: unknown
}

/** Body of POST /v1/skills/{name}/run. */
export interface SkillRun {
  /** A text, or the inputs that the skill declares. */
  input: string | Record<string, string | number | boolean>
  user?: string
  config?: SessionConfig
  metadata?: Record<string, unknown>
}

/** The routes of one skill as functions. Errors: see `send` in http.ts. */
export function skillsOf(connection: Connection) {
  const pathOf = (name: string) => `/v1/skills/${encodeURIComponent(name)}`
  return {
    skill: (name: string) => sendForJson<SkillInfo>(connection, { path: pathOf(name) }),
    /** Make a session that runs the skill, and wait until the run rests. */
    runSkill: (name: string, run: SkillRun) =>
      sendForJson<AgentResponseData>(connection, { method: 'POST', path: `${pathOf(name)}/run`, body: run }),
    /** Add a skill; refused where its name is taken. */
    createSkill: (skill: Record<string, unknown> | string) =>
      sendForJson<SkillInfo>(connection, { method: 'POST', path: '/v1/skills', body: skill }),
    /** Add a skill, or replace the one of its name; as JSON, or as the text of a SKILL.md. */
    putSkill: (name: string, skill: Record<string, unknown> | string) =>
      sendForJson<SkillInfo>(connection, { method: 'PUT', path: pathOf(name), body: skill }),
    deleteSkill: (name: string) => sendForNothing(connection, { method: 'DELETE', path: pathOf(name) }),
  }
}

/** An MCP server as it is shown; values of its headers are masked. */
export interface McpServerInfo {
  name: string
  url: string
  [more: string]: unknown
}

const BASE = '/v1/mcp-servers'

/** The routes of MCP servers as functions. Errors: see `send` in http.ts. */
export function mcpServersOf(connection: Connection) {
  const path = pathsBelow(BASE)
  return {
    ...resourceOf<McpServerInfo, NewMcpServer, McpServerPatch>(connection, BASE),
    /** Ask it for its tools anew. */
    refresh: (name: string) => sendForJson<McpServerInfo>(connection, { method: 'POST', path: path(name, '/refresh') }),
  }
}
