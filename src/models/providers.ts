import { serverConfigWith } from '../domain/server-config.ts'
import { builtIn } from './built-in/built-in.ts'
import { openai } from './openai/openai.ts'
import type { ModelProvider } from './provider.ts'
import { workersAi } from './workers-ai/workers-ai.ts'

/** Every provider that an alias may name. */
export const PROVIDERS: Readonly<Record<string, ModelProvider>> = {
  openai,
  'workers-ai': workersAi,
  'built-in': builtIn,
}

export const PROVIDER_NAMES: readonly string[] = Object.keys(PROVIDERS)

/** The server's config file; models may be of any provider that there is. */
export const serverConfig = serverConfigWith(PROVIDER_NAMES)
