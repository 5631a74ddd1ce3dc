import type {
  ModelFailure,
  ModelOutcome,
  ModelReply,
  ModelRequest,
  ModelSpec,
  ModelTool,
  Models,
  EncodedRequest,
  ReplyObserver,
} from '../../../src/domain/model.ts'
import type { ModelConfig } from '../../../src/domain/model-config.ts'
import { type ModelPorts, createModels } from '../../../src/models/try.ts'
import { aliasSpec } from '../../../src/models/aliases.ts'

export const WEB_ACCESS: ModelTool = {
  name: 'web_access',
  description: 'Read a page.',
  parameters: { type: 'object' },
}
export const FINISH: ModelTool = { name: 'finish', description: 'End.', parameters: { type: 'object' } }
/** A tool as the wire has it. */
export const wired = (tool: ModelTool) => ({ type: 'function', function: tool })

export function specFor(apiUrl: string, config: Partial<ModelConfig> = {}, more: Partial<ModelSpec> = {}): ModelSpec {
  const spec = aliasSpec(
    'test',
    { api_url: apiUrl, model: 'test-model', retry: { times: 0 }, ...config },
    { secret: () => undefined },
  )
  return { ...spec, ...more }
}

/** How one call ends that nobody watches. `settled`: is told what its budget is. */
export async function outcomeOf(
  models: Models,
  spec: ModelSpec,
  {
    request,
    observer,
    signal,
    tenant,
    settled = () => {},
  }: {
    request?: ModelRequest
    observer?: ReplyObserver
    signal?: AbortSignal | undefined
    tenant?: string
    settled?: ((outcome: ModelOutcome | null) => void) | undefined
  } = {},
): Promise<ModelOutcome> {
  const said: EncodedRequest = {
    protocol: 'native',
    request: request ?? { messages: [{ role: 'user', content: '好' }] },
    observer: observer ?? { onDelta: () => false, onArguments: () => false },
  }
  const { outcome } = await models.call({
    spec,
    tenant: tenant ?? 'default',
    said,
    say: () => said,
    attempt: 1,
    budget: {
      reserve: () => Promise.resolve(true),
      tellWait: () => {},
      settle: async (_spec, ended) => settled(ended),
    },
    signal: signal ?? new AbortController().signal,
  })
  return outcome
}

export interface Trial {
  outcome: ModelOutcome
  /** What was told, kind and text joined. */
  told: { content: string; reasoning: string; pieces: number }
  /** Milliseconds of each wait between tries. */
  waits: number[]
  /** How what budgets pay for ended; null: nothing was sent. */
  settled: ModelOutcome | null | undefined
}

/** One call through the real door with an instant clock; `waits` shows what it would have waited. */
export async function tryCall(
  spec: ModelSpec,
  request: Partial<ModelRequest> = {},
  options: Partial<ModelPorts> & { signal?: AbortSignal; onDelta?: () => void } = {},
): Promise<Trial> {
  const told = { content: '', reasoning: '', pieces: 0 }
  const waits: number[] = []
  const models = createModels({
    fetchFor: () => fetch,
    sleep: async (ms) => void waits.push(ms),
    random: () => 0.5,
    now: () => Date.parse('2026-01-01T00:00:00Z'),
    ...options,
  })
  const observer: ReplyObserver = {
    onDelta: (kind, text) => {
      told[kind] += text
      told.pieces++
      options.onDelta?.()
      return true
    },
    onArguments: () => false,
  }
  const asked = { messages: [{ role: 'user' as const, content: '你好' }], ...request }
  let settled: Trial['settled']
  const outcome = await outcomeOf(models, spec, {
    request: asked,
    observer,
    signal: options.signal,
    settled: (ended) => (settled = ended),
  })
  return { outcome, told, waits, settled }
}

export function replyOf({ outcome }: Trial): ModelReply {
  if (outcome.ok) return outcome.reply
  throw new Error(`no reply but ${outcome.failure.code}: ${outcome.failure.detail}`)
}

export function failureIn({ outcome }: Trial): ModelFailure {
  if (!outcome.ok) return outcome.failure
  throw new Error(`no failure but a reply: ${outcome.reply.content}`)
}
