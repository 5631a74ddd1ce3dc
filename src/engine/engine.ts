import type { BudgetPort } from '../domain/budget.ts'
import type { EndsByReply, SessionConfig } from '../domain/config.ts'
import type { InputIssue } from '../domain/errors.ts'
import { languageOf, type Language } from '../domain/language.ts'
import { LIMITS, RUN_LIMIT_DEFAULTS } from '../domain/limits.ts'
import type { McpWorker, MissingServer } from '../domain/mcp.ts'
import type { MemoryOf } from '../domain/memory.ts'
import type { Models, ModelSpec, Protocol } from '../domain/model.ts'
import type { ServerConfig } from '../domain/server-config.ts'
import type { SessionRecord } from '../domain/session.ts'
import type { SkillDefinition } from '../domain/skill.ts'
import type { Tool } from '../domain/tool.ts'
import type { McpRegistry } from '../mcp/registry.ts'
import type { SkillRegistry } from '../skills/registry.ts'
import type { TeamFile } from '../teams/shipped.ts'
import { findTool, type ToolSettings } from '../tools/registry.ts'

export type ModelChoice = { ok: true; spec: ModelSpec } | { ok: false; issues: InputIssue[] }

/** What every session of a server shares: its config, its models and its tools. */
export interface Engine {
  config: ServerConfig
  models: Models
  /** All tools that exist, switched off ones too. */
  tools: readonly Tool[]
  skills: SkillRegistry
  /** The teams that come with the product. */
  teams: readonly TeamFile[]
  /** The MCP servers that there are. */
  mcp: McpRegistry
  /** MCP servers that can be given a branch. */
  workers: readonly McpWorker[]
  /** MCP servers whose tools are not there. */
  missing: readonly MissingServer[]
  /** The model that a session's config chooses. */
  chooseModel(config: SessionConfig): ModelChoice
  /** Whether a client may name this address for its own model. Null: it may. */
  refuseAddress(url: string): string | null
  /** What is remembered of users; null: nothing is. */
  memory: MemoryOf | null
  /** What the tenant's budgets allow; null: nothing is kept of them. */
  purse: BudgetPort | null
  /** Shown to the model as its operating system. */
  runtime: string
}

export type RunLimits = typeof RUN_LIMIT_DEFAULTS & NonNullable<SessionConfig['limits']>

/** Limits of a session: the server's over the defaults, the session's over those (within the server's, see `checkConfig`). */
export function limitsOf(
  engine: Pick<Engine, 'config'>,
  record: Pick<SessionRecord, 'config'> & Partial<Pick<SessionRecord, 'orchestrator'>>,
): RunLimits {
  const deadline = record.orchestrator === 'plan' ? { deadline_ms: LIMITS.plan.deadlineMs } : {}
  return { ...RUN_LIMIT_DEFAULTS, ...deadline, ...engine.config.limits, ...record.config.limits } as RunLimits
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
  engine: Pick<Engine, 'config'>,
  { config, skill }: Pick<SessionRecord, 'config' | 'skill'>,
  workers: readonly Pick<SkillDefinition, 'permissions'>[] = [],
): ToolSettings {
  const skills = [...(skill ? [skill.definition] : []), ...workers].map(({ permissions }) => ({
    tools: Object.fromEntries(Object.entries(permissions).map(([name, permission]) => [name, { permission }])),
  }))
  return { server: engine.config, skills, session: config }
}

/** The config by which the model is chosen: the session's words over those of its skill. */
export function modelConfigOf({ config, skill }: Pick<SessionRecord, 'config' | 'skill'>): SessionConfig {
  if (!skill) return config
  const { model, temperature, max_tokens: maxTokens } = skill.definition
  const llm = {
    ...(temperature === null ? {} : { temperature }),
    ...(maxTokens === null ? {} : { max_tokens: maxTokens }),
  }
  return { ...config, ...(model === null ? {} : { model: config.model ?? model }), llm: { ...llm, ...config.llm } }
}

export function toolOf(engine: Pick<Engine, 'tools'>, idOrName: string): Tool | undefined {
  return findTool(engine.tools, idOrName)
}
