import type { SessionConfig } from '../domain/config.ts'
import type { InputIssue } from '../domain/errors.ts'
import { languageOf, type Language } from '../domain/language.ts'
import { RUN_LIMIT_DEFAULTS } from '../domain/limits.ts'
import type { Models, ModelSpec } from '../domain/model.ts'
import type { ServerConfig } from '../domain/server-config.ts'
import type { SessionRecord } from '../domain/session.ts'
import type { Tool } from '../domain/tool.ts'
import { findTool, type ToolSettings } from '../tools/registry.ts'

export type ModelChoice = { ok: true; spec: ModelSpec } | { ok: false; issues: InputIssue[] }

/** What every session of a server shares: its config, its models and its tools. */
export interface Engine {
  config: ServerConfig
  models: Models
  /** All tools that exist, switched off ones too. */
  tools: readonly Tool[]
  /** The model that a session's config chooses. */
  chooseModel(config: SessionConfig): ModelChoice
  /** Whether a client may name this address for its own model. Null: it may. */
  refuseAddress(url: string): string | null
  /** Shown to the model as its operating system. */
  runtime: string
}

export type RunLimits = typeof RUN_LIMIT_DEFAULTS & NonNullable<SessionConfig['limits']>

/** Limits of a session: the server's over the defaults, the session's over those (within the server's, see `checkConfig`). */
export function limitsOf(engine: Pick<Engine, 'config'>, record: Pick<SessionRecord, 'config'>): RunLimits {
  return { ...RUN_LIMIT_DEFAULTS, ...engine.config.limits, ...record.config.limits } as RunLimits
}

export function languageTagOf(engine: Engine, config: SessionConfig): string {
  return config.language ?? engine.config.language ?? 'zh-CN'
}

export function languageFor(engine: Engine, record: SessionRecord): Language {
  return languageOf(languageTagOf(engine, record.config))
}

export function timezoneOf(engine: Engine, config: SessionConfig): string {
  return config.timezone ?? engine.config.timezone ?? 'Asia/Shanghai'
}

export function settingsOf(engine: Pick<Engine, 'config'>, record: Pick<SessionRecord, 'config'>): ToolSettings {
  return { server: engine.config, session: record.config }
}

export function toolOf(engine: Pick<Engine, 'tools'>, idOrName: string): Tool | undefined {
  return findTool(engine.tools, idOrName)
}
