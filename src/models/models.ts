import type { ModelCall, ModelOutcome, ModelSpec, Models, ModelFailure } from '../domain/model.ts'
import type { Fetch, Now, Random, Sleep } from '../domain/ports.ts'
import { newId } from '../lib/id.ts'
import { readAnswer } from './openai/answer.ts'
import { callBuiltIn } from './built-in/built-in.ts'
import { type Asked, thrownFailure } from './failure.ts'
import { sendToOpenAi } from './openai/openai.ts'
import { mayRetry, retryDelayMs } from './retry.ts'
import { type WorkersAi, sendToWorkersAi } from './workers-ai/workers-ai.ts'
import { LIMITS } from '../domain/limits.ts'

export interface ModelPorts {
  /** The fetch for a model's address: guarded for an address that came with a request. A refused address is told by a
   *  rejection named `AddressRefused` (src/net). */
  fetchFor(spec: ModelSpec): Fetch
  sleep: Sleep
  random: Random
  now: Now
  workersAi?: WorkersAi | null
}

/** All models behind one door. A call never rejects: what goes wrong is its outcome. */
export function createModels(ports: ModelPorts): Models {
  const world = { ...ports, keys: new KeyRing() }
  return { call: (call) => (call.spec.provider === 'built-in' ? callBuiltIn(call) : callWithRetry(call, world)) }
}

type World = ModelPorts & { keys: KeyRing }

/** Try until there is a reply, a failure that trying again will not mend, or no tries are left. */
async function callWithRetry(call: ModelCall, world: World): Promise<ModelOutcome> {
  let told = false
  const onDelta: ModelCall['onDelta'] = (kind, text) => {
    told = call.isHeard ?? true
    call.onDelta(kind, text)
  }
  const onArguments: ModelCall['onArguments'] = (piece) => {
    const tells = call.onArguments?.(piece) ?? false
    told ||= tells
    return tells
  }
  for (let attempt = 1; ; attempt++) {
    const outcome = await tryEachKey({ ...call, onDelta, onArguments }, world)
    if (outcome.ok || told || !mayRetry(outcome.failure, attempt, call.spec.retry)) return outcome
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
    const outcome = await tryOnce({ ...call, spec: { ...spec, apiKey, spareKeys: keys } }, world)
    const isLast = tried >= keys.length
    const rests = !outcome.ok && keys.length > 1 && world.keys.rest(apiKey ?? '', outcome.failure, world.now())
    if (isLast || !rests) return outcome
  }
}

/** One request and its answer within the model's time-out. */
async function tryOnce(call: ModelCall, ports: ModelPorts): Promise<ModelOutcome> {
  const { spec, request } = call
  const asked: Asked = { tools: (request.tools?.length ?? 0) > 0, secrets: [spec.apiKey, ...spec.spareKeys] }
  const timeout = new AbortController()
  const timer = setTimeout(() => timeout.abort(), spec.timeoutMs)
  const signal = AbortSignal.any([call.signal, timeout.signal])
  try {
    signal.throwIfAborted()
    const response = await send(call, ports, signal)
    const context = { call, signal, asked, now: ports.now(), newId: () => newId('call', ports.now()) }
    return await readAnswer(response, context)
  } catch (error) {
    const failure = thrownFailure(error, call.signal.aborted, timeout.signal.aborted, spec.timeoutMs)
    return { ok: false, failure }
  } finally {
    clearTimeout(timer)
  }
}

function send(call: ModelCall, ports: ModelPorts, signal: AbortSignal): Promise<Response> {
  const { spec, request } = call
  if (spec.provider === 'openai') return sendToOpenAi(ports.fetchFor(spec), call, signal)
  if (ports.workersAi) return sendToWorkersAi(ports.workersAi, spec, request, signal)
  return Promise.resolve(Response.json({ error: { message: 'There is no Workers AI binding.' } }, { status: 404 }))
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
