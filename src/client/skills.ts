import type { SessionConfig } from '../domain/config.ts'
import type { AgentResponseData } from '../domain/session.ts'
import { sendForJson, sendForNothing, type Connection } from './http.ts'

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
    runSkill: (name: string, run: SkillRun) =>
      sendForJson<AgentResponseData>(connection, { method: 'POST', path: `${pathOf(name)}/run`, body: run }),
    createSkill: (skill: Record<string, unknown> | string) =>
      sendForJson<SkillInfo>(connection, { method: 'POST', path: '/v1/skills', body: skill }),
    putSkill: (name: string, skill: Record<string, unknown> | string) =>
      sendForJson<SkillInfo>(connection, { method: 'PUT', path: pathOf(name), body: skill }),
    deleteSkill: (name: string) => sendForNothing(connection, { method: 'DELETE', path: pathOf(name) }),
  }
}
