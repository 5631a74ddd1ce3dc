import * as z from 'zod'
import type { LlmConfig, SessionConfig } from '../../domain/config.ts'
import { serverOf } from '../../objects/engine.ts'
import type { Env } from '../../objects/env.ts'
import type { Result } from '../../domain/errors.ts'
import type { NewSession } from '../../domain/session-input.ts'
import type { Addressee } from '../kernel/names.ts'
import type { ThreadCall } from '../kernel/thread.ts'

/** What clients of OpenAI say with each request, so that nothing of it stays for the next. */
export const SAID_ANEW: readonly string[] = [
  'instructions',
  'model',
  'llm.temperature',
  'llm.max_tokens',
  'llm.reasoning_effort',
]

/** How long a model is to think, in a word of OpenAI's. */
export const effortWord = /* @__PURE__ */ z
  .string()
  .regex(/^[a-z]{1,20}$/, 'a word such as low, medium or high')
  .nullish()

/** How a request wants its model asked. */
export interface ModelWanted {
  instructions: string
  temperature: number | null | undefined
  maxTokens: number | null | undefined
  effort: string | null | undefined
}

/** What of a request is the session's config. Services refuse an effort for a model that does not think: it goes to models alone whose config
 *  names one. */
export function configFor(env: Env, tenant: string, addressee: Addressee, wanted: ModelWanted): SessionConfig {
  const { model } = addressee
  const llm: LlmConfig = {
    ...(typeof wanted.temperature === 'number' ? { temperature: wanted.temperature } : {}),
    ...(typeof wanted.maxTokens === 'number' ? { max_tokens: wanted.maxTokens } : {}),
    ...(typeof wanted.effort === 'string' && takesEffort(env, tenant, addressee)
      ? { reasoning_effort: wanted.effort }
      : {}),
  }
  return {
    ...(wanted.instructions === '' ? {} : { instructions: wanted.instructions }),
    ...(model === undefined ? {} : { model }),
    ...(Object.keys(llm).length > 0 ? { llm } : {}),
  }
}

/** What is of each request, also of one that has no words but answers what waits. `said`: what it says beside its config. No tools: it offers
 *  none; absent: it does not say. */
export function askedAnew(
  { config }: Pick<NewSession, 'config'>,
  said: Result<Pick<NewSession, 'client_tools'>>,
  choice: unknown,
): NonNullable<ThreadCall['asks']> {
  const { language: _, ...asked } = config ?? {}
  const tools = said.ok && said.value.client_tools ? { client_tools: said.value.client_tools } : {}
  return { config: asked, ...(choice === 'none' ? { client_tools: [] } : {}), ...tools }
}

function takesEffort(env: Env, tenant: string, { kind, model }: Addressee): boolean {
  if (kind !== 'agent' && kind !== 'model') return false
  const { engine } = serverOf(env).tenants.viewOf({ tenant, user: null })
  const choice = engine.chooseModel(model === undefined ? {} : { model })
  return choice.ok && choice.spec.reasoningEffort !== null
}
