import type { ModelSpec } from '../domain/model.ts'
import type { SessionConfig } from '../domain/config.ts'
import type { ServerConfig } from '../domain/server-config.ts'
import { type SpanContent, TELEMETRY_LIMITS, type ToldModel } from '../domain/telemetry.ts'
import { type Mask, maskOf } from '../lib/mask.ts'

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

/** What takes the secrets of a server, and of one session's own config, out of a text. `secret`: a variable by its name. */
export function secretMasks(
  config: ServerConfig,
  secret: (name: string) => string | undefined,
): (session: SessionConfig) => SpanContent {
  const values = secretsIn(config, secret)
  const ofServer = contentWithout(values)
  const known = new WeakMap<SessionConfig, SpanContent>()
  return (session) => {
    const kept = known.get(session)
    if (kept) return kept
    // A session names no variables of the server.
    const own = secretsIn(session, () => undefined)
    const made = own.length === 0 ? ofServer : contentWithout([...values, ...own])
    known.set(session, made)
    return made
  }
}

function contentWithout(values: readonly string[]): SpanContent {
  const masked = maskOf([...new Set(values)].filter((value) => value.length >= SECRET_CHARS_MIN))
  return { masked: remembering(masked) }
}

/** A mask that remembers what it made of the last texts; when there are too many it begins anew. */
function remembering(mask: Mask): Mask {
  const known = new Map<string, string>()
  let chars = 0
  return (text, isCut = false) => {
    const key = `${isCut ? 'cut' : 'whole'}:${text}`
    const kept = known.get(key)
    if (kept !== undefined) return kept
    const masked = mask(text, isCut)
    chars += key.length + masked.length
    if (chars > TELEMETRY_LIMITS.maskedCharsKept) {
      known.clear()
      chars = key.length + masked.length
    }
    if (chars <= TELEMETRY_LIMITS.maskedCharsKept) known.set(key, masked)
    return masked
  }
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
