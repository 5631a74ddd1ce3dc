import type { EndsByReply, ModelWish, SessionConfig } from '../domain/config.ts'
import { type Language, languageOf } from '../domain/language.ts'
import { RUN_LIMIT_DEFAULTS } from '../domain/limits.ts'
import type { Protocol } from '../domain/model.ts'
import type { SessionRecord } from '../domain/session.ts'
import type { SkillDefinition } from '../domain/skill.ts'
import type { Tool } from '../domain/tool.ts'
import { findTool, type ToolSettings } from '../tools/registry.ts'
import type { Engine } from './engine.ts'

export type RunLimits = typeof RUN_LIMIT_DEFAULTS & NonNullable<SessionConfig['limits']>

/** Limits of a session: the server's over the defaults, the session's over those (within the server's, see `checkConfig`). */
export function limitsOf(
  { config, orchestrators }: Pick<Engine, 'config' | 'orchestrators'>,
  record: Pick<SessionRecord, 'config'> & Partial<Pick<SessionRecord, 'orchestrator'>>,
): RunLimits {
  const own = record.orchestrator === undefined ? {} : orchestrators.find(record.orchestrator)?.limits
  return { ...RUN_LIMIT_DEFAULTS, ...own, ...config.limits, ...record.config.limits } as RunLimits
}

export function languageTagOf(engine: Pick<Engine, 'config'>, config: SessionConfig): string {
  return config.language ?? engine.config.language ?? 'zh-CN'
}

export function languageFor(engine: Pick<Engine, 'config'>, record: Pick<SessionRecord, 'config'>): Language {
  return languageOf(languageTagOf(engine, record.config))
}

/** When a reply that calls no tool is the answer: the session's word over the server's, else by how tools are called. */
export function endsByReplyOf(
  engine: Pick<Engine, 'config'>,
  { config }: Pick<SessionRecord, 'config'>,
  protocol: Protocol,
): EndsByReply {
  return config.ends_by_reply ?? engine.config.ends_by_reply ?? (protocol === 'xml' ? 'after_warning' : 'always')
}

export function timezoneOf(engine: Engine, config: SessionConfig): string {
  return config.timezone ?? engine.config.timezone ?? 'Asia/Shanghai'
}

/** What is said of tools by the server, by the skill that the session runs and those that work for it, and by the session. */
export function settingsOf(
  engine: Pick<Engine, 'config' | 'tools'>,
  { config, skill, remembered }: Pick<SessionRecord, 'config' | 'skill' | 'remembered'>,
  workers: readonly Pick<SkillDefinition, 'permissions'>[] = [],
): ToolSettings {
  const skills = [...(skill ? [skill.definition] : []), ...workers].map(({ permissions }) => ({
    tools: Object.fromEntries(Object.entries(permissions).map(([name, permission]) => [name, { permission }])),
  }))
  const tools = remembered ? asRemembered(config.tools ?? {}, remembered, engine.tools) : config.tools
  return { server: engine.config, skills, session: tools ? { tools } : {} }
}

/** What a session says of tools, but that one is approved which is no more what it was when a human approved it for good. */
function asRemembered(
  said: NonNullable<SessionConfig['tools']>,
  remembered: NonNullable<SessionRecord['remembered']>,
  tools: readonly Tool[],
): NonNullable<SessionConfig['tools']> {
  const changed = tools.filter(
    (tool) => Object.hasOwn(remembered, tool.id) && remembered[tool.id] !== (tool.definition ?? ''),
  )
  return changed.reduce((left, { id }) => withoutApproval(left, id), said)
}

export function withoutApproval(
  tools: NonNullable<SessionConfig['tools']>,
  id: string,
): NonNullable<SessionConfig['tools']> {
  const { auto_approve: _, ...rest } = tools[id] ?? {}
  return { ...tools, [id]: rest }
}

/** The config by which the model is chosen: the session's words over those of its skill. It is the session's own where the skill says nothing. */
export function modelConfigOf({ config, skill }: Pick<SessionRecord, 'config' | 'skill'>): SessionConfig & ModelWish {
  if (!skill) return config
  const { model, temperature, max_tokens: maxTokens } = skill.definition
  if (model === null && temperature === null && maxTokens === null) return config
  const work = {
    ...(temperature === null ? {} : { temperature }),
    ...(maxTokens === null ? {} : { max_tokens: maxTokens }),
  }
  return { ...config, ...(model === null ? {} : { model: config.model ?? model }), work }
}

export function toolOf(engine: Pick<Engine, 'tools'>, idOrName: string): Tool | undefined {
  return findTool(engine.tools, idOrName)
}
