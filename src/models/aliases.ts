import { type LlmConfig, type ModelWish, overridable, type Overridable } from '../domain/config.ts'
import { LIMITS } from '../domain/limits.ts'
import type { ModelChoice, ModelInfo, ModelSpec, ModelTimeouts } from '../domain/model.ts'
import type { ModelConfig } from '../domain/model-config.ts'
import type { ServerConfig } from '../domain/server-config.ts'
import { knownModel } from './catalogue.ts'
import { BUILT_IN, defaultAlias, type ModelsAround } from './default-alias.ts'
import { PROVIDERS } from './providers.ts'

/** The model that a session's config chooses on this server, with every default in it. An alias that is not there is an
 *  issue at `config.model`. A session's own `llm.api_url` makes it the client's own model, without any of the server's keys. */
export function resolveModel(server: ServerConfig, session: ModelWish, env: ModelEnv): ModelChoice {
  const { llm = {}, work = {} } = session
  if (llm.api_url !== undefined) return { ok: true, spec: clientSpec(llm.api_url, { ...work, ...llm }) }
  const alias = session.model ?? defaultAlias(server, env)
  const config = aliasConfig(alias, server, env)
  if (config === null)
    return { ok: false, issues: [{ path: 'config.model', message: 'a model that GET /v1/models lists' }] }
  const specOf = (name: string, its: ModelConfig) => shared(changed(aliasSpec(name, its, env), its, work), server)
  const fallbacks = (config.fallback ?? []).flatMap((other) => {
    const spare = other === alias ? null : aliasConfig(other, server, env)
    return spare === null ? [] : [specOf(other, spare)]
  })
  const { own, refused } = allowed(llm, config)
  const base = specOf(alias, config)
  const spec = changed(base, config, { ...work, ...own })
  return { ok: true, spec: { ...spec, refused, base: isSame(spec, base) ? null : base, fallbacks } }
}

/** What sessions may change of an alias that does not say: what can neither cost more than is reserved nor speak for the server. */
const ALLOWED = overridable.options.filter((name) => name !== 'extra_body' && name !== 'extra_headers')

/** What a session changes of an alias, and the fields that it may not change. */
function allowed(llm: LlmConfig, config: ModelConfig): { own: LlmConfig; refused: Overridable[] } {
  const may: readonly Overridable[] = config.allow_override ?? ALLOWED
  const refused = overridable.options.filter((name) => llm[name] !== undefined && !may.includes(name))
  return {
    own: Object.fromEntries(Object.entries(llm).filter(([name]) => !refused.some((no) => no === name))),
    refused,
  }
}

function isSame(one: ModelSpec, other: ModelSpec): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

/** Where a server has several tenants, one of them leaves a place of a service to the others. */
function shared(spec: ModelSpec, { auth }: ServerConfig): ModelSpec {
  const { maxConcurrency: max, tenantConcurrency } = spec
  if (tenantConcurrency !== null || max === null || !hasTenants(auth)) return spec
  return { ...spec, tenantConcurrency: Math.max(1, max - 1) }
}

/** Whether keys or tokens of the config are of more than one tenant. */
function hasTenants({ keys = [], jwt = [], access }: NonNullable<ServerConfig['auth']> = {}): boolean {
  const issuers = [...jwt, ...(access ? [access] : [])]
  const tenants = new Set([...keys, ...issuers].map(({ tenant }) => tenant))
  return tenants.size > 1 || issuers.some(({ tenant_claim: claim }) => claim !== undefined)
}

/** As `resolveModel`, once for each config, and once for all that wish for no more than an alias: every move of a run asks for its model. */
export function modelChooser(server: ServerConfig, env: ModelEnv): (session: ModelWish) => ModelChoice {
  const made = new WeakMap<ModelWish, ModelChoice>()
  const plain = new Map<string, ModelChoice>()
  const plainChoice = (model: string | undefined): ModelChoice => {
    const known = plain.get(model ?? '')
    if (known) return known
    const choice = resolveModel(server, model === undefined ? {} : { model }, env)
    // Names that are no alias may be any.
    if (choice.ok) plain.set(model ?? '', choice)
    return choice
  }
  return (session) => {
    if (session.llm === undefined && session.work === undefined) return plainChoice(session.model)
    const choice = made.get(session) ?? resolveModel(server, session, env)
    made.set(session, choice)
    return choice
  }
}

/** An alias as its config has it. */
export function aliasSpec(alias: string, config: ModelConfig, env: Pick<ModelEnv, 'secret'>): ModelSpec {
  const apiUrl = config.api_url ?? ''
  const model = config.model ?? alias
  const provider = config.provider ?? 'openai'
  const [apiKey = null, ...spareKeys] = providerKeysOf(config, env)
  const timeouts = timeoutsOf(config, apiUrl)
  const knowledge = knowledgeOf(config, { apiUrl, model })
  return {
    alias,
    provider,
    apiUrl,
    apiKey,
    spareKeys,
    maxConcurrency: config.max_concurrency ?? null,
    tenantConcurrency: config.max_concurrency_per_tenant ?? null,
    temperature: config.temperature ?? null,
    maxTokens: maxTokensIn(config, timeouts, knowledge),
    timeouts,
    stream: config.stream ?? true,
    reasoningEffort: config.reasoning_effort ?? null,
    extraBody: config.extra_body ?? {},
    extraHeaders: config.extra_headers ?? {},
    retry: retryOf(config.retry),
    fallbacks: [],
    origin: 'server',
    base: null,
    refused: [],
    ...knowledge,
  }
}

type Knowledge = Pick<
  ModelSpec,
  'model' | 'protocol' | 'price' | 'priceSource' | 'contextWindow' | 'contextTokens' | 'vision' | 'quirks'
>

/** What follows from a model's name and place: as the config says, else as it is known, else as any. */
function knowledgeOf(config: ModelConfig, { apiUrl, model }: Pick<ModelSpec, 'apiUrl' | 'model'>): Knowledge {
  const { provider = 'openai' } = config
  const known = knownModel(provider, apiUrl, model)
  const most = PROVIDERS[provider]?.contextTokens ?? LIMITS.model.contextTokens
  const contextTokens = config.context_tokens ?? Math.min(most, known?.contextWindow ?? most)
  const holds = known !== null && contextTokens <= (known.promptTokensMax ?? contextTokens)
  return {
    model,
    protocol: config.protocol ?? known?.protocol ?? 'auto',
    price: config.price ?? (holds ? known.price : null),
    priceSource: config.price ? 'config' : holds ? known.source : null,
    contextWindow: known?.contextWindow ?? null,
    contextTokens,
    vision: config.vision ?? known?.vision ?? false,
    quirks: config.quirks ?? {},
  }
}

/** The keys of an alias, in the order in which they are used. */
export function providerKeysOf(config: ModelConfig, env: Pick<ModelEnv, 'secret'>): string[] {
  const names = [...(config.api_key_env === undefined ? [] : [config.api_key_env]), ...(config.api_keys_env ?? [])]
  const given = [...(config.api_key === undefined ? [] : [config.api_key]), ...(config.api_keys ?? [])]
  return [...new Set([...given, ...names.flatMap((name) => env.secret(name) ?? [])])]
}

/** A model that a client brings along: its address, its key or none, no price, and nothing of what the server's own are told. */
function clientSpec(apiUrl: string, llm: LlmConfig): ModelSpec {
  const config: ModelConfig = { api_url: apiUrl, model: llm.model ?? 'default' }
  const spec = changed(aliasSpec('custom', config, { secret: () => undefined }), config, llm)
  return { ...spec, origin: 'client' }
}

/** The spec with the fields that the session gives; `retry`, `extra_body` and `extra_headers` member by member. */
function changed(spec: ModelSpec, config: ModelConfig, llm: LlmConfig): ModelSpec {
  const knowledge =
    llm.model === undefined || llm.model === spec.model ? knowledgeIn(spec) : otherModel(spec, config, llm.model)
  const timeouts = isTimed(llm) ? timeoutsOf({ ...config, ...llm }, spec.apiUrl) : spec.timeouts
  return {
    ...spec,
    ...knowledge,
    ...(llm.api_key === undefined ? {} : { apiKey: llm.api_key, spareKeys: [] }),
    protocol: llm.protocol ?? knowledge.protocol,
    vision: llm.vision ?? knowledge.vision,
    temperature: llm.temperature ?? spec.temperature,
    maxTokens: maxTokensIn({ max_tokens: llm.max_tokens ?? config.max_tokens }, timeouts, knowledge),
    timeouts,
    stream: llm.stream ?? spec.stream,
    reasoningEffort: llm.reasoning_effort ?? spec.reasoningEffort,
    extraBody: { ...spec.extraBody, ...llm.extra_body },
    extraHeaders: { ...spec.extraHeaders, ...llm.extra_headers },
    retry: retryOf({ ...config.retry, ...llm.retry }),
  }
}

/** Of another model of the same service: what the config says of the alias' own one, its price above all, does not hold. */
function otherModel({ apiUrl }: ModelSpec, config: ModelConfig, model: string): Knowledge {
  const { price: _price, vision: _vision, ...rest } = config
  const { contextWindow, ...knowledge } = knowledgeOf(rest, { apiUrl, model })
  return { ...knowledge, contextWindow, contextTokens: Math.min(knowledge.contextTokens, contextWindow ?? Infinity) }
}

function knowledgeIn(spec: ModelSpec): Knowledge {
  const { model, protocol, price, priceSource, contextWindow, contextTokens, vision, quirks } = spec
  return { model, protocol, price, priceSource, contextWindow, contextTokens, vision, quirks }
}

function isTimed({ timeout_ms: call, first_byte_timeout_ms: first, idle_timeout_ms: idle }: LlmConfig): boolean {
  return call !== undefined || first !== undefined || idle !== undefined
}

/** A call that is bounded as a whole is not bounded otherwise, but where it is said. */
function timeoutsOf(
  given: Pick<LlmConfig, 'timeout_ms' | 'first_byte_timeout_ms' | 'idle_timeout_ms'>,
  apiUrl: string,
): ModelTimeouts {
  const callMs = given.timeout_ms ?? null
  const { firstByteMs, firstByteLocalMs, idleMs } = LIMITS.model
  const isLocal = apiUrl !== '' && LOOPBACK.test(URL.parse(apiUrl)?.hostname ?? '')
  const first = isLocal ? firstByteLocalMs : firstByteMs
  return {
    callMs,
    firstByteMs: given.first_byte_timeout_ms ?? (callMs === null ? first : null),
    idleMs: given.idle_timeout_ms ?? (callMs === null ? idleMs : null),
  }
}

/** Tokens that a reply may have: a quarter of the window at most, and no more than any service can write before the call is cut, so that a
 *  call which is cut holds no more of a budget than it can have spent. */
function maxTokensIn(
  { max_tokens: most = LIMITS.model.maxTokens }: { max_tokens?: number | undefined },
  { callMs }: ModelTimeouts,
  { contextTokens }: Pick<Knowledge, 'contextTokens'>,
): number {
  const share = Math.min(most, Math.floor(contextTokens / 4))
  return callMs === null ? share : Math.min(share, Math.ceil((callMs * LIMITS.model.tokensPerSecondMax) / 1_000))
}

/** How `URL.hostname` writes the addresses of this machine. */
const LOOPBACK = /^(?:127\.\d+\.\d+\.\d+|\[::1\]|\[::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}\]|(?:.+\.)?localhost)$/

function retryOf(retry: LlmConfig['retry'] = {}): ModelSpec['retry'] {
  return { times: retry.times ?? LIMITS.model.retryTimes, delayMs: retry.delay_ms ?? LIMITS.model.retryDelayMs }
}

/** What the surroundings of the server have to do with models. */
export interface ModelEnv extends ModelsAround {
  /** A secret of the environment by its name. */
  secret(name: string): string | undefined
}

const OLLAMA_URL = 'http://127.0.0.1:11434/v1'
/** What an alias means: as the server's config has it, else one of those that are there without any. Null: nothing. */
function aliasConfig(alias: string, server: ServerConfig, env: ModelEnv): ModelConfig | null {
  const models = allAliases(server, env)
  const config = Object.hasOwn(models, alias) ? models[alias] : undefined
  if (config === undefined) return null
  return config.model === undefined ? { ...PROVIDERS[config.provider ?? 'openai']?.preset, ...config } : config
}

/** Every alias of this server, those of the config first. */
function allAliases(server: ServerConfig, env: ModelEnv): Record<string, ModelConfig> {
  const configured = server.models ?? {}
  const implied: Record<string, ModelConfig> = {
    ...(env.workersAi && { 'workers-ai': { ...PROVIDERS['workers-ai']?.preset } }),
    ...(env.ollamaModel && { ollama: { provider: 'openai', api_url: OLLAMA_URL, model: env.ollamaModel } }),
    [BUILT_IN]: { provider: 'built-in', model: BUILT_IN },
  }
  return {
    ...configured,
    ...Object.fromEntries(Object.entries(implied).filter(([alias]) => !Object.hasOwn(configured, alias))),
  }
}

/** Every model that a session of this server may name, those of the config first, the built-in one always among them. */
export function listModels(server: ServerConfig, env: ModelEnv): ModelInfo[] {
  const chosen = defaultAlias(server, env)
  return Object.keys(allAliases(server, env)).flatMap((alias) => {
    const config = aliasConfig(alias, server, env)
    if (config === null) return []
    const spec = aliasSpec(alias, config, { secret: () => undefined })
    return [
      {
        id: alias,
        object: 'model',
        created: 0,
        owned_by: spec.provider,
        kind: 'model',
        provider: spec.provider,
        model: spec.model,
        protocol: spec.protocol,
        price: spec.price,
        price_source: spec.priceSource,
        context_window: spec.contextWindow,
        context_tokens: spec.contextTokens,
        max_tokens: spec.maxTokens,
        vision: spec.vision,
        default: alias === chosen,
      },
    ]
  })
}
