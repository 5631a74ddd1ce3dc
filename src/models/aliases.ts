import type { ModelConfig, ServerConfig } from '../domain/server-config.ts'
import { PROVIDERS } from './providers.ts'

/** What the surroundings of the server have to do with models. */
export interface ModelEnv {
  /** A secret of the environment by its name. */
  secret(name: string): string | undefined
  /** Whether there is a Workers AI binding. */
  workersAi: boolean
  /** The model of an Ollama that answers on this machine in local use; null or absent: there is none. */
  ollamaModel?: string | null
}

export const BUILT_IN = 'built-in'
const OLLAMA_URL = 'http://127.0.0.1:11434/v1'
/** What an alias means: as the server's config has it, else one of those that are there without any. Null: nothing. */
export function aliasConfig(alias: string, server: ServerConfig, env: ModelEnv): ModelConfig | null {
  const models = allAliases(server, env)
  const config = Object.hasOwn(models, alias) ? models[alias] : undefined
  if (config === undefined) return null
  return config.model === undefined ? { ...PROVIDERS[config.provider ?? 'openai'].preset, ...config } : config
}

/** Every alias of this server, those of the config first. */
export function allAliases(server: ServerConfig, env: ModelEnv): Record<string, ModelConfig> {
  const configured = server.models ?? {}
  const implied: Record<string, ModelConfig> = {
    ...(env.workersAi && { 'workers-ai': { ...PROVIDERS['workers-ai'].preset } }),
    ...(env.ollamaModel && { ollama: { provider: 'openai', api_url: OLLAMA_URL, model: env.ollamaModel } }),
    [BUILT_IN]: { provider: 'built-in', model: BUILT_IN },
  }
  return {
    ...configured,
    ...Object.fromEntries(Object.entries(implied).filter(([alias]) => !Object.hasOwn(configured, alias))),
  }
}

/** The alias that a session has when it names none. */
export function defaultAlias(server: ServerConfig, env: ModelEnv): string {
  if (server.default_model !== undefined) return server.default_model
  if (env.workersAi) return 'workers-ai'
  return env.ollamaModel ? 'ollama' : BUILT_IN
}
