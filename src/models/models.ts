import type { ModelCall, ModelFailure, ModelOutcome, Models, ReplyObserver } from '../domain/model.ts'
import type { Random, Sleep } from '../domain/ports.ts'
import { thrownFailure } from './failure.ts'
import type { ModelProvider, ProviderPorts } from './provider.ts'
import { PROVIDERS } from './providers.ts'
import { mayRetry, retryDelayMs } from './retry.ts'
import { LIMITS } from '../domain/limits.ts'

export interface ModelPorts extends ProviderPorts {
  /** By name; those of the product, if it does not say. */
  providers?: Readonly<Record<string, ModelProvider>>
  sleep: Sleep
  random: Random
}

/** All models behind one door. A call never rejects: what goes wrong is its outcome. */
export function createModels(ports: ModelPorts): Models {
  const world = { providers: PROVIDERS, ...ports, keys: new KeyRing() }
  return { call: (call) => callWithRetry(call, world) }
}

type World = Required<Pick<ModelPorts, 'providers'>> & ModelPorts & { keys: KeyRing }

/** Try until there is a reply, a failure that trying again will not mend, or no tries are left. */
async function callWithRetry(call: ModelCall, world: World): Promise<ModelOutcome> {
  let isHeard = false
  const observer: ReplyObserver = {
    onDelta: (kind, text) => (isHeard = call.observer.onDelta(kind, text) || isHeard),
    onArguments: (piece) => (isHeard = call.observer.onArguments(piece) || isHeard),
  }
  for (let attempt = 1; ; attempt++) {
    const outcome = await tryEachKey({ ...call, observer }, world)
    if (outcome.ok || isHeard || !mayRetry(outcome.failure, attempt, call.spec.retry)) return outcome
    const waitMs = retryDelayMs(attempt, call.spec.retry.delayMs, outcome.failure.retryAfterMs, world.random)
    if (!(await slept(world.sleep, waitMs, call.signal))) return cancelled(call)
    if ((await call.again?.(outcome.failure)) === false) return outcome
  }
}

/** One try, with another key while a key is what the service does not like, each key once. */
async function tryEachKey(call: ModelCall, world: World): Promise<ModelOutcome> {
  const { spec } = call
  const keys = spec.apiKey === null ? [] : [spec.apiKey, ...spec.spareKeys]
  for (let tried = 1; ; tried++) {
    const apiKey = world.keys.pick(keys, world.now())
    const outcome = await tryOnce(call, apiKey, world)
    const isLast = tried >= keys.length
    const rests = !outcome.ok && keys.length > 1 && world.keys.rest(apiKey ?? '', outcome.failure, world.now())
    if (isLast || !rests) return outcome
  }
}

/** One request and its answer within the model's time-out. */
async function tryOnce(call: ModelCall, apiKey: string | null, world: World): Promise<ModelOutcome> {
  const { spec, mayBeEmpty = false, traceparent = null } = call
  const provider = world.providers[spec.provider]
  if (!provider) throw new Error(`no provider ${spec.provider}`)
  const timeout = new AbortController()
  const timer = setTimeout(() => timeout.abort(), spec.timeoutMs)
  const signal = AbortSignal.any([call.signal, timeout.signal])
  try {
    signal.throwIfAborted()
    return await provider.ask({ ...call, apiKey, signal, mayBeEmpty, traceparent }, world)
  } catch (error) {
    const failure = thrownFailure(error, call.signal.aborted, timeout.signal.aborted, spec.timeoutMs)
    return { ok: false, failure }
  } finally {
    clearTimeout(timer)
  }
}

/** False: cut short by the signal. */
async function slept(sleep: Sleep, ms: number, signal: AbortSignal): Promise<boolean> {
  try {
    await sleep(ms, signal)
    return !signal.aborted
  } catch {
    return false
  }
}

function cancelled(call: ModelCall): ModelOutcome {
  return { ok: false, failure: thrownFailure(null, true, false, call.spec.timeoutMs) }
}

/** Answers that say something of the key: unknown, without money, not allowed. */
const REFUSED: ReadonlySet<number | null> = new Set([401, 402, 403])
const OVER_RATE = 429

/** Which of a service's keys is used: one that was refused, or is over its rate, rests. For all sessions of an isolate. */
class KeyRing {
  readonly #restsUntil = new Map<string, number>()

  /** The first key that does not rest, else the one that has rested longest. */
  pick(keys: readonly string[], now: number): string | null {
    const rests = keys.map((key) => ({ key, until: this.#restsUntil.get(key) ?? 0 }))
    return rests.find(({ until }) => until <= now)?.key ?? rests.toSorted((a, b) => a.until - b.until)[0]?.key ?? null
  }

  /** Let a key rest after such a failure. False: the failure says nothing of the key. */
  rest(key: string, { status, retryAfterMs }: ModelFailure, now: number): boolean {
    if (!REFUSED.has(status) && status !== OVER_RATE) return false
    const { keyRefusedMs, keyRateMs } = LIMITS.model
    this.#restsUntil.set(key, now + (status === OVER_RATE ? (retryAfterMs ?? keyRateMs) : keyRefusedMs))
    return true
  }
}
