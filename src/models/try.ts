import type {
  ModelCallEnd,
  ModelCall,
  ModelContent,
  ModelFailure,
  ModelMessage,
  ModelOutcome,
  Models,
  ModelSpec,
  ModelTimeouts,
  ReplyObserver,
  EncodedRequest,
  RequestFields,
} from '../domain/model.ts'
import { LIMITS } from '../domain/limits.ts'
import type { Random, Sleep } from '../domain/ports.ts'
import { cancelledFailure, modelFailure, thrownFailure } from './failure.ts'
import type { ModelProvider, ProviderPorts } from './provider.ts'
import { fieldsWanted, askedWith } from './fields.ts'
import { PROVIDERS } from './providers.ts'
import { type Roles, rolesWanted, withRoles } from './roles.ts'
import { Services } from './services.ts'

export interface ModelPorts extends ProviderPorts {
  /** By name; those of the product, if it does not say. */
  providers?: Readonly<Record<string, ModelProvider>>
  sleep: Sleep
  random: Random
}

/** What is remembered of services, for all who ask them. */
export interface ModelMemory {
  keys: KeyRing
  /** How they want the messages of a request. */
  roles: Findings<Roles>
  /** How they take fields beside these. */
  fields: Findings<RequestFields>
  /** Which took no schema for their replies, or none beside tools. */
  schemas: Findings<'any' | 'beside_tools'>
  services: Services
}

interface World extends ModelPorts, ModelMemory {
  providers: Readonly<Record<string, ModelProvider>>
}

export function modelMemory(ports: Pick<ModelPorts, 'now' | 'sleep'>): ModelMemory {
  return {
    keys: new KeyRing(),
    roles: new Findings(),
    fields: new Findings(),
    schemas: new Findings(),
    services: new Services(ports),
  }
}

/** All models behind one door. A call never rejects for what a service does: that is its outcome. */
export function createModels(ports: ModelPorts, memory: ModelMemory = modelMemory(ports)): Models {
  const world = { providers: PROVIDERS, ...ports, ...memory }
  return { call: (call) => tryModels(call, world) }
}

/** One request: to a model in a protocol, by a key of its service, for the nth time. */
interface Try<S extends EncodedRequest> {
  spec: ModelSpec
  said: S
  /** Attempts of this model in this protocol, and keys in this attempt, from 1. */
  attempt: number
  keysTried: number
  /** Times that this model gave no answer in time. */
  timeouts: number
  /** True: a schema was left out after a refusal that did not say why. A reply then says why. */
  tellsOfSchema: boolean
  /** Milliseconds to wait before it. */
  waitMs: number
}

/** Try until there is a reply. The next try takes another key if one is refused or over its rate, waits while the failure may pass, writes
 *  calls as text where tools are refused, sends no schema or no images where a request with them is, or falls back to the next model. Nothing is tried
 *  again after part of a reply was heard, or where no budget allows it. */
async function tryModels<S extends EncodedRequest>(call: ModelCall<S>, world: World): Promise<ModelCallEnd<S>> {
  const heard = { any: false }
  let now = firstTry(call.spec, taken(call.spec, call.said, world))
  let place = await world.services.enter(now.spec, call.tenant, call.signal)
  let outcome: ModelOutcome | null = null
  // How the request ended that is paid for by what is reserved now; null: none was sent.
  let sent: ModelOutcome | null = null
  try {
    for (;;) {
      const apiKey = world.keys.pick(keysOf(now.spec), world.now())
      const { refusal } = place
      const isSent = refusal === null && !call.signal.aborted
      outcome = refusal ?? (await tryOnce({ ...now, apiKey, sign: place.sign }, heard, call, world))
      if (isSent) sent = outcome
      if (outcome.ok && now.tellsOfSchema) world.schemas.note(now.spec, 'any', world.now())
      const failure = outcome.ok || heard.any ? null : outcome.failure
      const next = failure && nextTry(now, failure, { apiKey, wasAsked: refusal === null }, call, world)
      if (failure && next && next.waitMs > 0) {
        call.budget.tellWait(next.spec, failure)
        await world.sleep(next.waitMs, call.signal).catch(() => {})
      }
      // What was cancelled is tried without being reserved: it sends nothing, and says so.
      const isCancelled = call.signal.aborted
      const isMade =
        failure !== null && next !== null && (isCancelled || (await call.budget.reserve(next.spec, failure)))
      if (!isMade) {
        const { spec, said } = now
        await call.budget.settle(spec, sent)
        return { spec, said, outcome, againMs: heard.any ? againMs(spec, outcome, call, world) : null }
      }
      if (!isCancelled) sent = null
      if (next.said !== now.said) {
        place.leave(outcome)
        place = await world.services.enter(next.spec, call.tenant, call.signal)
      }
      now = next
    }
  } finally {
    place.leave(outcome)
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
  const patience = new Patience(spec.timeouts)
  const signal = AbortSignal.any([call.signal, patience.signal])
  const onSign = () => {
    patience.sign()
    sign()
  }
  const { silence = 'failure', trace = null } = call
  const { request } = said
  try {
    signal.throwIfAborted()
    sign()
    return await provider.ask({ spec, apiKey, request, trace, silence, signal, onSign, observer }, world)
  } catch (error) {
    const failure = call.signal.aborted ? cancelledFailure() : (patience.failure ?? thrownFailure(error))
    return { ok: false, failure }
  } finally {
    patience.end()
  }
}

/** How long one try is waited for: as a whole, for its first byte, and between two. One timer stands for all three: it looks what is due
 *  when it rings, so that what comes sets none. What was waited is known by the timer, whatever the clock says. */
class Patience {
  readonly #over = new AbortController()
  readonly #wholeMs: number
  readonly #firstByteMs: number
  readonly #idleMs: number
  #timer: ReturnType<typeof setTimeout> | undefined
  #waitedMs = 0
  /** When something came last (Unix ms); null: nothing did. */
  #signTime: number | null = null
  /** Why it is over; null: it is not. */
  failure: ModelFailure | null = null

  constructor({ callMs, firstByteMs, idleMs }: ModelTimeouts) {
    this.#wholeMs = callMs ?? LIMITS.model.streamMsMax
    this.#firstByteMs = firstByteMs ?? Infinity
    this.#idleMs = idleMs ?? Infinity
    this.#listen(this.#firstByteMs)
  }

  get signal(): AbortSignal {
    return this.#over.signal
  }

  /** Something came. */
  sign(): void {
    this.#signTime = Date.now()
  }

  end(): void {
    clearTimeout(this.#timer)
  }

  /** Look again when the silence or the whole is due. Silence may begin at any moment: no look is later than its length. */
  #listen(silenceLeftMs: number): void {
    const ms = Math.min(silenceLeftMs, this.#idleMs, this.#wholeMs - this.#waitedMs)
    this.#timer = setTimeout(() => {
      this.#waitedMs += ms
      this.#look()
    }, ms)
  }

  #look(): void {
    const silenceLeftMs =
      this.#signTime === null ? this.#firstByteMs - this.#waitedMs : this.#idleLeftMs(this.#signTime)
    if (this.#waitedMs >= this.#wholeMs) this.#fail(`gave no whole answer within ${this.#wholeMs} ms`)
    else if (silenceLeftMs > 0) this.#listen(silenceLeftMs)
    else if (this.#signTime === null) this.#fail(`sent nothing for ${this.#firstByteMs} ms (first_byte_timeout_ms)`)
    else this.#fail(`sent nothing more for ${this.#idleMs} ms (idle_timeout_ms)`)
  }

  /** Nothing came later than now: the clock was set back. */
  #idleLeftMs(signTime: number): number {
    const now = Date.now()
    this.#signTime = Math.min(signTime, now)
    return this.#signTime + this.#idleMs - now
  }

  #fail(what: string): void {
    this.failure ??= modelFailure('model_timeout', `The model ${what}.`)
    this.#over.abort()
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

/** What services were found to be like, by their models: for a while, and for all sessions of an isolate. */
class Findings<What> {
  readonly #known = new Map<string, { what: What; until: number }>()

  /** Undefined: nothing is known of the model. `now`: Unix ms. */
  of(spec: ModelSpec, now: number): What | undefined {
    const known = this.#known.get(nameOf(spec))
    return known && known.until > now ? known.what : undefined
  }

  note(spec: ModelSpec, what: What, now: number): void {
    this.#known.delete(nameOf(spec))
    const [oldest] = this.#known.keys()
    if (this.#known.size >= LIMITS.model.circuitsMax && oldest !== undefined) this.#known.delete(oldest)
    this.#known.set(nameOf(spec), { what, until: now + LIMITS.model.findingsMs })
  }
}

function nameOf({ alias, apiUrl, model }: ModelSpec): string {
  return `${alias} ${apiUrl} ${model}`
}

function keysOf({ apiKey, spareKeys }: ModelSpec): string[] {
  return apiKey === null ? [] : [apiKey, ...spareKeys]
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
