import { serverConfigWith } from '../domain/server-config.ts'
import { LIMITS } from '../domain/limits.ts'
import { settingsBody } from '../domain/settings.ts'
import { onDemand } from '../lib/shape.ts'
import { openai } from './openai/openai.ts'
import type { ModelProvider } from './provider.ts'
import { workersAi } from './workers-ai/workers-ai.ts'

/** Loaded when it is first asked: where a model is configured it never is. */
const builtIn: ModelProvider = {
  contextTokens: LIMITS.model.builtInContextTokens,
  ask: async (call, ports) => (await import('./built-in/built-in.ts')).builtIn.ask(call, ports),
}

/** Every provider that an alias may name. */
export const PROVIDERS: Readonly<Record<string, ModelProvider>> = {
  openai,
  'workers-ai': workersAi,
  'built-in': builtIn,
}

export const PROVIDER_NAMES: readonly string[] = Object.keys(PROVIDERS)

/** The server's config file; models may be of any provider that there is. */
export const serverConfig = serverConfigWith(PROVIDER_NAMES)

/** What a tenant may set in its place. */
export const tenantSettings = /* @__PURE__ */ onDemand(() => settingsBody(PROVIDER_NAMES))
