import * as z from 'zod'
import { alias, envName, httpUrl, modelTimeouts, overridable, retry, serviceExtras } from './config.ts'
import { connectionName } from './connection.ts'
import { modelQuirks, PROTOCOLS } from './model.ts'
import { price } from './usage.ts'

/** What is said of a model, beside the secrets that it is asked with. */
export const modelFields = (providers: readonly string[]) => ({
  provider: z.enum(providers).optional(),
  api_url: httpUrl.optional(),
  /** Calls to the service at the same time; others wait, as long as the first byte of an answer is waited for. */
  max_concurrency: z.int().min(1).max(1_000).optional(),
  /** How many of them one tenant may have; not given, one less than all where a server has several tenants. */
  max_concurrency_per_tenant: z.int().min(1).max(1_000).optional(),
  model: z.string().min(1).max(200).optional(),
  protocol: z.enum(PROTOCOLS).optional(),
  temperature: z.number().min(0).max(2).optional(),
  max_tokens: z.int().min(1).max(1_000_000).optional(),
  ...modelTimeouts,
  stream: z.boolean().optional(),
  retry: retry.optional(),
  reasoning_effort: serviceExtras.reasoning_effort,
  extra_body: serviceExtras.extra_body,
  /** What sessions may change of it by their `llm`; not given: all but `extra_body` and `extra_headers`. */
  allow_override: z.array(overridable).max(20).optional(),
  fallback: z.array(alias).max(10).optional(),
  price: price.optional(),
  context_tokens: z.int().min(1_000).max(10_000_000).optional(),
  /** It is shown images; not given: what is known of the model. */
  vision: z.boolean().optional(),
  quirks: modelQuirks.optional(),
})

/** One model of the server. `provider` defaults to `openai`, the OpenAI-compatible protocol over `api_url`. */
export const modelConfig = (providers: readonly string[]) =>
  z
    .strictObject({
      ...modelFields(providers),
      extra_headers: serviceExtras.extra_headers,
      api_key: z.string().min(1).max(1_000).optional(),
      api_key_env: envName.optional(),
      /** More keys of the same service: the next is used while one was refused or is over its rate. */
      api_keys: z.array(z.string().min(1).max(1_000)).max(20).optional(),
      api_keys_env: z.array(envName).max(20).optional(),
      /** The connection of the tenant whose secret is the key, before all others; it is for the origin of `api_url`. */
      connection: connectionName.optional(),
    })
    .refine((m) => (m.provider ?? 'openai') !== 'openai' || m.api_url !== undefined, {
      path: ['api_url'],
      error: 'an absolute http or https address',
    })
export type ModelConfig = z.infer<ReturnType<typeof modelConfig>>
