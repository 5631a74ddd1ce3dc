import type { ServerConfig } from '../domain/server-config.ts'

export const BUILT_IN = 'built-in'

/** What there is of models beside those of the config. */
export interface ModelsAround {
  /** Whether there is a Workers AI binding. */
  workersAi: boolean
  /** The model of an Ollama that answers on this machine in local use; null or absent: there is none. */
  ollamaModel?: string | null
}

/** The alias that a session has when it names none. */
export function defaultAlias(server: Pick<ServerConfig, 'default_model'>, env: ModelsAround): string {
  if (server.default_model !== undefined) return server.default_model
  if (env.workersAi) return 'workers-ai'
  return env.ollamaModel ? 'ollama' : BUILT_IN
}
