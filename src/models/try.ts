import type {
  ModelCallEnd,
  ModelCall,
  ModelContent,
  ModelFailure,
  ModelMessage,
  ModelOutcome,
  Models,
  ModelSpec,
  ReplyObserver,
  EncodedRequest,
} from '../domain/model.ts'
import { LIMITS } from '../domain/limits.ts'
import type { Random, Sleep } from '../domain/ports.ts'
import { cancelledFailure, thrownFailure } from './failure.ts'
import type { ModelProvider, ProviderPorts } from './provider.ts'
import { fieldsWanted, askedWith } from './fields.ts'
import { PROVIDERS } from './providers.ts'
import { type ModelMemory, modelMemory } from './findings.ts'
import { TryTimer } from './try-timer.ts'
import { rolesWanted, withRoles } from './roles.ts'

export interface ModelPorts extends ProviderPorts {
  /** By name; those of the product, if it does not say. */
  providers?: Readonly<Record<string, ModelProvider>>
  sleep: Sleep
  random: Random
}

interface World extends ModelPorts, ModelMemory {
  providers: Readonly<Record<string, ModelProvider>>
}

/** All models behind one function. A call does not reject when a service fails: a failure is an outcome. */
export function createModels(ports: ModelPorts, memory: ModelMemory = modelMemory(ports)): Models {
  const world = { providers: PROVIDERS, ...ports, ...memory }
  return { call: (call) => tryModels(call, world) }
}

/** One request: to a model, in a protocol, with a key of its service. */
interface Try<S extends EncodedRequest> {
  spec: ModelSpec
  said: S
  /** The attempt of this model in this protocol, and the key in this attempt, both counted from 1. */
  attempt: number
  keysTried: number
  /** Times that this model gave no answer in time. */
  timeouts: number
  /** The schema was left out after a refusal that did not say why: a reply without it shows that the schema was the reason. */
  tellsOfSchema: boolean
  /** Milliseconds to wait before the request. */
  waitMs: number
}

/** Try until there is a reply. The next try takes another key if one is refused or over its rate, waits while the failure may pass, writes
 *  calls as text where tools are refused, sends no schema or no images where a request with them is, or falls back to the next model. Nothing is tried
 *  again after part of a reply was heard, or where no budget allows it. */
async function tryModels<S extends EncodedRequest>(call: ModelCall<S>, world: World): Promise<ModelCallEnd<S>> {
  const heard = { any: false }
  let current = firstTry(call.spec, taken(call.spec, call.said, world))
  let slot = await world.services.enter(current.spec, call.tenant, call.signal)
  let outcome: ModelOutcome | null = null
  // How the request ended that the present reservation is for; null: none was sent.
  let sent: ModelOutcome | null = null
  try {
    for (;;) {
      const apiKey = world.keys.pick(keysOf(current.spec), world.now())
      const { refusal } = slot
      const isSent = refusal === null && !call.signal.aborted
      outcome = refusal ?? (await tryOnce({ ...current, apiKey, sign: slot.sign }, heard, call, world))
      if (isSent) sent = outcome
      if (outcome.ok && current.tellsOfSchema) world.schemas.note(current.spec, 'any', world.now())
      const failure = outcome.ok || heard.any ? null : outcome.failure
      const next = failure && nextTry(current, failure, { apiKey, wasAsked: refusal === null }, call, world)
      if (failure && next && next.waitMs > 0) {
        call.budget.tellWait(next.spec, failure)
        await world.sleep(next.waitMs, call.signal).catch(() => {})
      }
      // A cancelled call is tried once more without a reservation: that try sends nothing, and its outcome says that it was cancelled.
      const isCancelled = call.signal.aborted
      const isMade =
        failure !== null && next !== null && (isCancelled || (await call.budget.reserve(next.spec, failure)))
      if (!isMade) {
        const { spec, said } = current
        await call.budget.settle(spec, sent)
        return { spec, said, outcome, againMs: heard.any ? againMs(spec, outcome, call, world) : null }
      }
      if (!isCancelled) sent = null
      if (next.said !== current.said) {
        slot.leave(outcome)
        slot = await world.services.enter(next.spec, call.tenant, call.signal)
      }
      current = next
    }
  } finally {
    slot.leave(outcome)
  }
}

function firstTry<S extends EncodedRequest>(spec: ModelSpec, said: S): Try<S> {
  return { spec, said, attempt: 1, keysTried: 1, timeouts: 0, tellsOfSchema: false, waitMs: 0 }
}

/** What is tried after a failure; null: nothing. A service that was not asked, being busy or left alone, is not asked again. */
function nextTry<S extends EncodedRequest>(
  { spec, said, attempt, keysTried, timeouts: before, tellsOfSchema }: Try<S>,
  failure: ModelFailure,
  { apiKey, wasAsked }: { apiKey: string | null; wasAsked: boolean },
  call: ModelCall<S>,
  world: World,
): Try<S> | null {
  const keys = keysOf(spec)
  const timeouts = before + (failure.code === 'model_timeout' ? 1 : 0)
  if (keys.length > 1 && wasAsked && world.keys.rest(apiKey ?? '', failure, world.now()) && keysTried < keys.length)
    return { ...firstTry(spec, said), attempt, keysTried: keysTried + 1, timeouts, tellsOfSchema }
  if (failure.imagesRefused === 'yes') return firstTry(spec, withoutImages(said))
  const roles = rolesWanted(failure)
  const inRoles = roles ? withRoles(said, roles) : said
  if (roles && inRoles !== said) {
    world.roles.note(spec, roles, world.now())
    return firstTry(spec, inRoles)
  }
  const fields = fieldsWanted(failure, spec, said.request.fields)
  if (fields) {
    world.fields.note(spec, fields, world.now())
    return firstTry(spec, askedWith(said, fields))
  }
  if (wasAsked && timeouts <= LIMITS.model.timeoutRetriesMax && mayRetry(failure, attempt, spec.retry)) {
    const waitMs = retryDelayMs(attempt, spec.retry.delayMs, failure.retryAfterMs, world.random)
    return { ...firstTry(spec, said), attempt: attempt + 1, timeouts, tellsOfSchema, waitMs }
  }
  const { schemaRefused, toolsRefused, imagesRefused } = failure
  const inText = toolsRefused && said.protocol === 'auto'
  if (schemaRefused && said.request.outputSchema && !(schemaRefused === 'perhaps' && inText)) {
    if (schemaRefused === 'any' || schemaRefused === 'beside_tools')
      world.schemas.note(spec, schemaRefused, world.now())
    return { ...firstTry(spec, withoutSchema(said)), tellsOfSchema: schemaRefused === 'perhaps' }
  }
  if (inText) return firstTry(spec, taken(spec, call.say(spec, 'xml'), world))
  if (imagesRefused) return firstTry(spec, withoutImages(said))
  const chain = [call.spec, ...call.spec.fallbacks]
  const other = chain[chain.indexOf(spec) + 1]
  return other && mayFallBack(failure) ? firstTry(other, taken(other, call.say(other), world)) : null
}

/** A request as its model is known to take it. */
function taken<S extends EncodedRequest>(spec: ModelSpec, said: S, { schemas, roles, fields, now }: World): S {
  const { outputSchema, tools } = said.request
  const refused = outputSchema && schemas.of(spec, now())
  const held = refused === 'any' || (refused && tools?.length) ? withoutSchema(said) : said
  const found = fields.of(spec, now())
  const sent = found ? askedWith(held, found) : held
  const wanted = roles.of(spec, now())
  return wanted ? withRoles(sent, wanted) : sent
}

/** A reply that broke off after something of it was heard cannot go on: the call is made anew, under another message id. */
function againMs(spec: ModelSpec, outcome: ModelOutcome, { attempt }: ModelCall, world: World): number | null {
  if (outcome.ok || !mayRetry(outcome.failure, attempt, spec.retry)) return null
  const isLate = outcome.failure.code === 'model_timeout'
  if (attempt > (isLate ? LIMITS.model.timeoutRetriesMax : LIMITS.run.attemptsMax - 1)) return null
  return retryDelayMs(attempt, spec.retry.delayMs, outcome.failure.retryAfterMs, world.random)
}

/** One request and its answer, as long as the model is waited for. `sign`: is called whenever something of it comes. */
async function tryOnce<S extends EncodedRequest>(
  { spec, said, apiKey, sign }: Try<S> & { apiKey: string | null; sign: () => void },
  heard: { any: boolean },
  call: ModelCall<S>,
  world: World,
): Promise<ModelOutcome> {
  const provider = world.providers[spec.provider]
  if (!provider) throw new Error(`no provider ${spec.provider}`)
  const observer: ReplyObserver = {
    onDelta: (kind, text) => (heard.any = said.observer.onDelta(kind, text) || heard.any),
    onArguments: (piece) => (heard.any = said.observer.onArguments(piece) || heard.any),
  }
  const timer = new TryTimer(spec.timeouts)
  const signal = AbortSignal.any([call.signal, timer.signal])
  const onSign = () => {
    timer.sign()
    sign()
  }
  const { silence = 'failure', trace = null } = call
  const { request } = said
  try {
    signal.throwIfAborted()
    sign()
    return await provider.ask({ spec, apiKey, request, trace, silence, signal, onSign, observer }, world)
  } catch (error) {
    const failure = call.signal.aborted ? cancelledFailure() : (timer.failure ?? thrownFailure(error))
    return { ok: false, failure }
  } finally {
    timer.end()
  }
}

/** Milliseconds to wait before retry `attempt` (1-based): uniform in the upper half of min(cap, delayMs·2^attempt), so that a service
 *  has time to recover; a longer Retry-After of the service wins. Source: AWS "Exponential Backoff and Jitter" (equal jitter);
 *  RFC 9110 §10.2.3. */
function retryDelayMs(attempt: number, delayMs: number, retryAfterMs: number | null, random: Random): number {
  const step = Math.min(LIMITS.model.retryDelayMsMax, delayMs * 2 ** attempt)
  return Math.max(Math.floor((step * (1 + random())) / 2), retryAfterMs ?? 0)
}

/** Whether retry `attempt` (1-based) may be made; a service that asks for a longer wait than the cap is left alone. */
function mayRetry(failure: ModelFailure, attempt: number, retry: ModelSpec['retry']): boolean {
  return failure.retryable && attempt <= retry.times && (failure.retryAfterMs ?? 0) <= LIMITS.model.retryDelayMsMax
}

/** Whether another model may be asked: the service failed, or does not serve this key or this model. What is wrong with the
 *  request would be wrong for any. */
function mayFallBack({ code, status, retryable }: ModelFailure): boolean {
  return retryable || code === 'model_unauthorized' || status === 402 || status === 404
}

/** The same without a schema for the reply, which is checked anyway. */
function withoutSchema<S extends EncodedRequest>(said: S): S {
  const { outputSchema: _, ...request } = said.request
  return { ...said, request }
}

/** The same without images: a line names each of them anyway. */
function withoutImages<S extends EncodedRequest>(said: S): S {
  const messages = said.request.messages.map((message): ModelMessage => {
    if (message.role === 'user' || message.role === 'tool') return { ...message, content: textsOf(message.content) }
    return message
  })
  return { ...said, request: { ...said.request, messages }, imagesRefused: true }
}

function textsOf(content: ModelContent): string {
  if (typeof content === 'string') return content
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
}

function keysOf({ apiKey, spareKeys }: ModelSpec): string[] {
  return apiKey === null ? [] : [apiKey, ...spareKeys]
}
