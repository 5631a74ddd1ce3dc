import { LIMITS } from '../domain/limits.ts'
import type { ModelFailure, ModelOutcome, ModelSpec } from '../domain/model.ts'
import type { Now, Sleep } from '../domain/ports.ts'
import { modelFailure, thrownFailure } from './failure.ts'

/** Leave to ask a model, with all tries that it takes. `refusal`: there is none, and why. */
export interface Slot {
  refusal: ModelOutcome | null
  /** Give it back, with how the call ended; null: it broke down. Once more changes nothing. */
  leave(outcome: ModelOutcome | null): void
}

/** Milliseconds after which a call of a model with all its tries is over, whatever happens. */
export function callMsMax({ retry, timeoutMs, spareKeys }: ModelSpec): number {
  return (retry.times + 1) * (timeoutMs * (spareKeys.length + 1) + LIMITS.model.retryDelayMsMax)
}

/** A call under way. An object can be taken away in the middle of one: then its place is free `until` (Unix ms) is over. */
interface Lease {
  until: number
}

/** A call that waits, and when it last looked (Unix ms): one that looks no more is gone. */
interface Waiter {
  seen: number
}

interface Service {
  running: Set<Lease>
  waiting: Waiter[]
}

interface Circuit {
  failures: number
  /** Unix ms until which nothing is asked; 0: closed. */
  openUntil: number
  /** Unix ms until which a probe may be under way; 0: none is. An object can be taken away in the middle of one. */
  probeUntil: number
}

/** Failures that say something of the service, not of what it was asked. */
const COUNTED: ReadonlySet<ModelFailure['code']> = new Set([
  'model_unreachable',
  'model_timeout',
  'model_rate_limited',
  'model_unavailable',
])

/** Which models may be asked now, for all sessions of an isolate.
 *
 *  At most `maxConcurrency` calls of a service (origin of the address) are under way. Others wait in line, for the model's time-out
 *  at most; who waits looks again and again, as the object of one session cannot wake that of another.
 *
 *  A model (alias and address) that failed `breakerFailuresMax` times in a row is not asked for `breakerOpenMs`, then by one probe.
 *  Source: M. Nygard, "Release It!", Circuit Breaker. */
export class Services {
  readonly #services = new Map<string, Service>()
  readonly #circuits = new Map<string, Circuit>()
  readonly #clock: { now: Now; sleep: Sleep }

  constructor(clock: { now: Now; sleep: Sleep }) {
    this.#clock = clock
  }

  /** Resolves with a place once there is one, or with why there is none. */
  async enter(spec: ModelSpec, signal: AbortSignal): Promise<Slot> {
    const service = this.#serviceOf(spec)
    const lease = service && (await this.#wait(service, spec, signal))
    if (lease && 'code' in lease) return { refusal: { ok: false, failure: lease }, leave: () => {} }
    const circuit = this.#circuitOf(spec)
    const failure = this.#openFailure(circuit, spec)
    let isLeft = false
    const leave = (outcome: ModelOutcome | null) => {
      if (isLeft) return
      isLeft = true
      if (outcome && !failure) this.#note(circuit, spec, outcome)
      if (service && lease) service.running.delete(lease)
    }
    return { refusal: failure && { ok: false, failure }, leave }
  }

  /** Null: its calls are not counted. One that nobody asks is forgotten. */
  #serviceOf({ maxConcurrency, provider, apiUrl }: ModelSpec): Service | null {
    if (maxConcurrency === null) return null
    for (const [name, { running, waiting }] of this.#services)
      if (running.size + waiting.length === 0) this.#services.delete(name)
    return kept(this.#services, `${provider} ${URL.parse(apiUrl)?.origin ?? ''}`, { running: new Set(), waiting: [] })
  }

  async #wait(service: Service, spec: ModelSpec, signal: AbortSignal): Promise<Lease | ModelFailure> {
    const { now, sleep } = this.#clock
    const waiter = { seen: now() }
    const end = waiter.seen + spec.timeoutMs
    const max = spec.maxConcurrency ?? Infinity
    if (service.waiting.length >= LIMITS.model.waitingMax) return busy(max, 'too many wait already')
    service.waiting.push(waiter)
    try {
      while (!signal.aborted) {
        const lease = leaseFor(waiter, service, { max, now: now(), spec })
        if (lease) return lease
        if (now() >= end) return busy(max, `none ended within ${spec.timeoutMs} ms`)
        await sleep(Math.min(LIMITS.model.slotLookMs, end - now()), signal).catch(() => {})
      }
      return thrownFailure(null, true, false, spec.timeoutMs)
    } finally {
      service.waiting = service.waiting.filter((one) => one !== waiter)
    }
  }

  /** Clients bring addresses of their own: only so many are remembered, the newest. */
  #circuitOf(spec: ModelSpec): Circuit {
    const circuit = kept(this.#circuits, nameOf(spec), { failures: 0, openUntil: 0, probeUntil: 0 })
    const [oldest] = this.#circuits.keys()
    if (this.#circuits.size > LIMITS.model.circuitsMax && oldest !== undefined) this.#circuits.delete(oldest)
    return circuit
  }

  /** Why a model is left alone; null: it may be asked, be it by a probe. */
  #openFailure(circuit: Circuit, spec: ModelSpec): ModelFailure | null {
    const now = this.#clock.now()
    const { openUntil, probeUntil } = circuit
    if (now >= openUntil && now >= probeUntil) {
      if (openUntil > 0) circuit.probeUntil = now + callMsMax(spec)
      return null
    }
    const detail = 'The model failed too often lately and is left alone for a moment.'
    return modelFailure('model_unavailable', detail, { retryAfterMs: Math.max(0, openUntil - now) })
  }

  #note(circuit: Circuit, spec: ModelSpec, outcome: ModelOutcome): void {
    circuit.probeUntil = 0
    if (outcome.ok) {
      Object.assign(circuit, { failures: 0, openUntil: 0 })
      this.#circuits.delete(nameOf(spec))
    } else if (COUNTED.has(outcome.failure.code) && ++circuit.failures >= LIMITS.model.breakerFailuresMax) {
      circuit.openUntil = this.#clock.now() + LIMITS.model.breakerOpenMs
    }
  }
}

/** What a map has under a name, else what it then has. */
function kept<T>(map: Map<string, T>, name: string, fresh: T): T {
  const value = map.get(name) ?? fresh
  map.set(name, value)
  return value
}

function nameOf({ alias, apiUrl }: ModelSpec): string {
  return `${alias} ${apiUrl}`
}

/** A place, if there is one and nobody waits longer; null: not yet. */
function leaseFor(
  waiter: Waiter,
  service: Service,
  { max, now, spec }: { max: number; now: number; spec: ModelSpec },
): Lease | null {
  waiter.seen = now
  service.waiting = service.waiting.filter(({ seen }) => now - seen <= LIMITS.model.slotLostMs)
  for (const lease of service.running) if (lease.until <= now) service.running.delete(lease)
  if (service.waiting[0] !== waiter || service.running.size >= max) return null
  const lease = { until: now + callMsMax(spec) }
  service.running.add(lease)
  return lease
}

function busy(max: number, why: string): ModelFailure {
  const detail = `${max} calls of the model service are under way (max_concurrency), and ${why}.`
  return modelFailure('model_unavailable', detail)
}
