import type { ModelSpec } from '../domain/model.ts'
import type { ServerConfig } from '../domain/server-config.ts'
import type { SpanContent, ToldModel } from '../domain/telemetry.ts'
import { maskOf } from '../lib/mask.ts'

/** Names of services by their hosts. Source: OpenTelemetry, "GenAI attributes", `gen_ai.provider.name`. */
const PROVIDERS: readonly (readonly [RegExp, string])[] = [
  [/(^|\.)api\.openai\.com$/, 'openai'],
  [/(^|\.)openai\.azure\.com$/, 'azure.ai.openai'],
  [/(^|\.)api\.anthropic\.com$/, 'anthropic'],
  [/^generativelanguage\.googleapis\.com$/, 'gcp.gemini'],
  [/(^|\.)api\.mistral\.ai$/, 'mistral_ai'],
  [/(^|\.)api\.deepseek\.com$/, 'deepseek'],
  [/(^|\.)moonshot\.(cn|ai)$/, 'moonshot_ai'],
  [/(^|\.)api\.x\.ai$/, 'x_ai'],
  [/(^|\.)api\.groq\.com$/, 'groq'],
]

/** A model as spans tell of it. */
export function toldModel({ provider, apiUrl, model, temperature, maxTokens }: ModelSpec): ToldModel {
  const url = URL.parse(apiUrl)
  const known = PROVIDERS.find(([host]) => host.test(url?.hostname ?? ''))?.[1]
  const port = Number(url?.port) || (url?.protocol === 'http:' ? 80 : 443)
  return {
    model,
    provider: known ?? provider,
    server: url ? { address: url.hostname, port } : null,
    temperature,
    maxTokens,
  }
}

const SECRET_CHARS_MIN = 8
/** Fields of a config whose texts are secret, and those that name variables which hold a secret. */
const SECRET_FIELD = /^(api_keys?|headers|extra_headers|client_secret|secret)$/
const NAMING_FIELD = /_env$/

/** What takes the secrets of a server out of a text. `secret`: a variable by its name. */
export function withoutSecretsOf(config: ServerConfig, secret: (name: string) => string | undefined): SpanContent {
  const values = [...new Set(secretsIn(config, secret))].filter((value) => value.length >= SECRET_CHARS_MIN)
  return { masked: maskOf(values) }
}

function secretsIn(value: unknown, secret: (name: string) => string | undefined): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) => {
    if (SECRET_FIELD.test(name)) return textsIn(member)
    if (NAMING_FIELD.test(name)) return textsIn(member).flatMap((variable) => secret(variable) ?? [])
    return secretsIn(member, secret)
  })
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}
