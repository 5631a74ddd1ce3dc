import type { Provider } from '../domain/model.ts'
import { builtIn } from './built-in/built-in.ts'
import { openai } from './openai/openai.ts'
import type { ModelProvider } from './provider.ts'
import { workersAi } from './workers-ai/workers-ai.ts'

/** Every provider that an alias may name. */
export const PROVIDERS: Readonly<Record<Provider, ModelProvider>> = {
  openai,
  'workers-ai': workersAi,
  'built-in': builtIn,
}
