import { LIMITS } from '../domain/limits.ts'
import type { ModelFailure, ModelOutcome, ModelSpec } from '../domain/model.ts'
import type { Now, Sleep } from '../domain/ports.ts'
import { failureOf, thrownFailure } from './failure.ts'

interface Clock {
  now: Now
  sleep: Sleep
}

/** Leave to ask a model, with all tries that it takes. `refusal`: there is none, and why. */
export interface Place {
  refusal: ModelOutcome | null
  /** Give it back, with how the call ended; null: it broke down. Once more changes nothing. */
  leave(outcome: ModelOutcome | null): void
}

/** Which models may be asked now, for all sessions of an isolate: a service takes so many calls at a time (`max_concurrency`), and a
 *  model that fails again and again is left alone. */
export class Services {
  readonly #slots: Slots
  readonly #breakers: Breakers

  constructor(clock: Clock) {
    this.#slots = new Slots(clock)
    this.#breakers = new Breakers(clock.now)
  }

  /** Resolves with a place once there is one, or with why there is none. */
  async enter(spec: ModelSpec, signal: AbortSignal): Promise<Place> {
    const leaveSlot = await this.#slots.enter(spec, signal)
    if (typeof leaveSlot !== 'function') return { refusal: { ok: false, failure: leaveSlot }, leave: () => {} }
    const circuit = this.#breakers.enter(spec)
    if ('code' in circuit) return { refusal: { ok: false, failure: circuit }, leave: leaveSlot }
    let isLeft = false
    const leave = (outcome: ModelOutcome | null) => {
      if (isLeft) return
      isLeft = true
      if (outcome) this.#breakers.note(spec, circuit, outcome)
      leaveSlot()
    }
    return { refusal: null, leave }
  }
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

/** At most `maxConcurrency` calls a service (origin of the address) are under way. Others wait in line, for the model's time-out
 *  at most. Models without such a limit are not counted. Who waits looks again and again: the object of one session cannot wake
 *  that of another. */
class Slots {
  readonly #services = new Map<string, Service>()
  readonly #clock: Clock

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Resolves with the way out of a place once there is one, or with why there is none. */
  async enter(spec: ModelSpec, signal: AbortSignal): Promise<(() => void) | ModelFailure> {
    const { maxConcurrency: max, provider, apiUrl } = spec
    if (max === null) return () => {}
    const name = `${provider} ${URL.parse(apiUrl)?.origin ?? ''}`
    const service = this.#services.get(name) ?? { running: new Set(), waiting: [] }
    this.#services.set(name, service)
    const lease = await this.#wait(service, max, spec, signal)
    if ('code' in lease) return lease
    return () => {
      service.running.delete(lease)
      if (service.running.size + service.waiting.length === 0 && this.#services.get(name) === service)
        this.#services.delete(name)
    }
  }

  async #wait(service: Service, max: number, spec: ModelSpec, signal: AbortSignal): Promise<Lease | ModelFailure> {
    const { now, sleep } = this.#clock
    const waiter = { seen: now() }
    const end = waiter.seen + spec.timeoutMs
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
  return failureOf('model_unavailable', detail)
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

/** A circuit breaker a model, by alias and address: after `breakerFailuresMax` failures in a row it is not asked for
 *  `breakerOpenMs`, then by one probe. Source: M. Nygard, "Release It!", Circuit Breaker. */
class Breakers {
  readonly #circuits = new Map<string, Circuit>()
  readonly #now: Now

  constructor(now: Now) {
    this.#now = now
  }

  /** The circuit of a model that may be asked, else why it may not. */
  enter(spec: ModelSpec): Circuit | ModelFailure {
    const now = this.#now()
    const circuit = this.#circuits.get(nameOf(spec)) ?? { failures: 0, openUntil: 0, probeUntil: 0 }
    this.#keep(nameOf(spec), circuit)
    const { openUntil, probeUntil } = circuit
    if (now < openUntil || now < probeUntil) {
      const detail = 'The model failed too often lately and is left alone for a moment.'
      return failureOf('model_unavailable', detail, { retryAfterMs: Math.max(0, openUntil - now) })
    }
    if (openUntil > 0) circuit.probeUntil = now + callMsMax(spec)
    return circuit
  }

  /** How a call of it ended. */
  note(spec: ModelSpec, circuit: Circuit, outcome: ModelOutcome): void {
    circuit.probeUntil = 0
    if (outcome.ok) Object.assign(circuit, { failures: 0, openUntil: 0 })
    if (outcome.ok) this.#circuits.delete(nameOf(spec))
    if (outcome.ok || !COUNTED.has(outcome.failure.code)) return
    circuit.failures++
    const { breakerFailuresMax, breakerOpenMs } = LIMITS.model
    if (circuit.failures >= breakerFailuresMax) circuit.openUntil = this.#now() + breakerOpenMs
  }

  /** Clients bring addresses of their own: only so many are remembered, the newest. */
  #keep(name: string, circuit: Circuit): void {
    this.#circuits.set(name, circuit)
    const [oldest] = this.#circuits.keys()
    if (this.#circuits.size > LIMITS.model.circuitsMax && oldest !== undefined) this.#circuits.delete(oldest)
  }
}

function nameOf({ alias, apiUrl }: ModelSpec): string {
  return `${alias} ${apiUrl}`
}
