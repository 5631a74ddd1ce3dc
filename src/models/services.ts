import { LIMITS } from '../domain/limits.ts'
import type { ModelFailure, ModelOutcome, ModelSpec } from '../domain/model.ts'
import type { Now, Sleep } from '../domain/ports.ts'
import { cancelledFailure, modelFailure } from './failure.ts'

/** Leave to ask a model, with all tries that it takes. `refusal`: there is none, and why. */
export interface Slot {
  refusal: ModelOutcome | null
  /** The call is alive: its place is kept for it. */
  sign: () => void
  /** Give it back, with how the call ended; null: it broke down. Once more changes nothing. */
  leave(outcome: ModelOutcome | null): void
}

/** Milliseconds after which a call that gave no sign is over: what a model is waited for, and what is waited between two tries. */
export function silenceMsMax({ timeouts }: Pick<ModelSpec, 'timeouts'>): number {
  const { callMs, firstByteMs, idleMs } = timeouts
  return Math.max(callMs ?? 0, firstByteMs ?? 0, idleMs ?? 0) + LIMITS.model.retryDelayMsMax
}

/** A call under way. An object can be taken away in the middle of one: then its place is free after `until` (Unix ms). */
interface Lease {
  tenant: string
  until: number
}

/** A call that waits, and when it last looked (Unix ms): one that looks no more is gone. */
interface Waiter {
  tenant: string
  /** Calls that its tenant may have under way. */
  tenantMax: number
  seen: number
}

interface Service {
  running: Set<Lease>
  waiting: Waiter[]
}

/** Of one alias, for one tenant. */
interface Circuit {
  /** Of its calls in a row. */
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
 *  At most `maxConcurrency` calls of a service (origin of the address) are under way, and `tenantConcurrency` of one tenant. Others wait
 *  in line, for the model's time-out at most, and the next place is for the tenant that has fewest; who waits looks again and again, as
 *  the object of one session cannot wake that of another.
 *
 *  An alias that failed `breakerFailuresMax` times in a row for a tenant is not asked for it for `breakerOpenMs`, then by one probe; one
 *  that is open for two tenants is open for all. Only calls with the alias' own settings are counted, or are probes: others may fail by
 *  what a session asked for. Source: M. Nygard, "Release It!", Circuit Breaker. */
export class Services {
  readonly #services = new Map<string, Service>()
  /** By alias and address, then by tenant. */
  readonly #circuits = new Map<string, Map<string, Circuit>>()
  readonly #clock: { now: Now; sleep: Sleep }

  constructor(clock: { now: Now; sleep: Sleep }) {
    this.#clock = clock
  }

  /** Resolves with a place once there is one, or with why there is none. */
  async enter(spec: ModelSpec, tenant: string, signal: AbortSignal): Promise<Slot> {
    const service = this.#serviceOf(spec)
    const lease = service && (await this.#wait(service, spec, tenant, signal))
    if (lease && 'code' in lease) return { refusal: { ok: false, failure: lease }, sign: () => {}, leave: () => {} }
    const failure = this.#openFailure(spec, tenant)
    const circuit = failure || !isCounted(spec) ? null : this.#circuitOf(spec, tenant)
    const isProbe = circuit !== null && circuit.openUntil > 0
    const sign = () => {
      const now = this.#clock.now()
      if (lease) lease.until = now + silenceMsMax(spec)
      if (isProbe) circuit.probeUntil = now + silenceMsMax(spec)
    }
    let isLeft = false
    const leave = (outcome: ModelOutcome | null) => {
      if (isLeft) return
      isLeft = true
      if (circuit && outcome) this.#note(circuit, spec, tenant, outcome)
      if (service && lease) service.running.delete(lease)
    }
    sign()
    return { refusal: failure && { ok: false, failure }, sign, leave }
  }

  /** Null: its calls are not counted. One that nobody asks is forgotten. */
  #serviceOf({ maxConcurrency, provider, apiUrl }: ModelSpec): Service | null {
    if (maxConcurrency === null) return null
    for (const [name, { running, waiting }] of this.#services)
      if (running.size + waiting.length === 0) this.#services.delete(name)
    return kept(this.#services, `${provider} ${URL.parse(apiUrl)?.origin ?? ''}`, { running: new Set(), waiting: [] })
  }

  async #wait(service: Service, spec: ModelSpec, tenant: string, signal: AbortSignal): Promise<Lease | ModelFailure> {
    const { now, sleep } = this.#clock
    const max = spec.maxConcurrency ?? Infinity
    const waiter = { tenant, tenantMax: spec.tenantConcurrency ?? Infinity, seen: now() }
    const ms = spec.timeouts.callMs ?? spec.timeouts.firstByteMs ?? LIMITS.model.firstByteMs
    const end = waiter.seen + ms
    if (service.waiting.length >= LIMITS.model.waitingMax) return busy(max, 'too many wait already')
    service.waiting.push(waiter)
    try {
      while (!signal.aborted) {
        const lease = leaseFor(waiter, service, { max, now: now(), spec })
        if (lease) return lease
        if (now() >= end) return busy(max, `none ended within ${ms} ms`)
        await sleep(Math.min(LIMITS.model.slotLookMs, end - now()), signal).catch(() => {})
      }
      return cancelledFailure()
    } finally {
      service.waiting = service.waiting.filter((one) => one !== waiter)
    }
  }

  /** Only so many are remembered, the newest. */
  #circuitOf(spec: ModelSpec, tenant: string): Circuit {
    const ofTenants = bounded(this.#circuits, nameOf(spec), new Map<string, Circuit>())
    return bounded(ofTenants, tenant, { failures: 0, openUntil: 0, probeUntil: 0 })
  }

  /** Why a model is left alone; null: it may be asked, be it by a probe. */
  #openFailure(spec: ModelSpec, tenant: string): ModelFailure | null {
    const now = this.#clock.now()
    const ofTenants = isElsewhere(spec) ? undefined : this.#circuits.get(nameOf(spec))
    // A time that is further off than that was said before the clock was set back.
    const isOpen = ({ openUntil }: Circuit) => openUntil > now && openUntil <= now + LIMITS.model.breakerOpenMs
    const open = [...(ofTenants?.values() ?? [])].filter(isOpen)
    const own = ofTenants?.get(tenant)
    const isOwn = own !== undefined && isOpen(own)
    if (open.length < LIMITS.model.breakerTenants && !isOwn && (own?.probeUntil ?? 0) <= now) return null
    const until = isOwn ? own.openUntil : Math.max(0, ...open.map(({ openUntil }) => openUntil))
    const detail = 'The model failed too often lately and is left alone for a moment.'
    return modelFailure('model_unavailable', detail, { retryAfterMs: Math.max(0, until - now) })
  }

  #note(circuit: Circuit, spec: ModelSpec, tenant: string, outcome: ModelOutcome): void {
    circuit.probeUntil = 0
    if (outcome.ok) {
      Object.assign(circuit, { failures: 0, openUntil: 0 })
      this.#circuits.get(nameOf(spec))?.delete(tenant)
    } else if (COUNTED.has(outcome.failure.code) && ++circuit.failures >= LIMITS.model.breakerFailuresMax) {
      circuit.openUntil = this.#clock.now() + LIMITS.model.breakerOpenMs
    }
  }
}

/** Whether its outcome says something of the alias: nothing of what is asked was changed by a session. */
function isCounted({ base, origin }: ModelSpec): boolean {
  return base === null && origin === 'server'
}

/** Whether it is another model, or is asked by another key, than the alias of its name: the breaker of that says nothing of it. */
function isElsewhere({ base, origin, model, apiKey }: ModelSpec): boolean {
  return origin === 'client' || (base !== null && (base.model !== model || base.apiKey !== apiKey))
}

/** What a map has under a name, else what it then has. */
function kept<T>(map: Map<string, T>, name: string, fresh: T): T {
  const value = map.get(name) ?? fresh
  map.set(name, value)
  return value
}

/** The same of a map that keeps the newest names alone. */
function bounded<T>(map: Map<string, T>, name: string, fresh: T): T {
  const value = kept(map, name, fresh)
  const [oldest] = map.keys()
  if (map.size > LIMITS.model.circuitsMax && oldest !== undefined) map.delete(oldest)
  return value
}

function nameOf({ alias, apiUrl }: ModelSpec): string {
  return `${alias} ${apiUrl}`
}

/** A place, if there is one and it is this one's turn; null: not yet. */
function leaseFor(
  waiter: Waiter,
  service: Service,
  { max, now, spec }: { max: number; now: number; spec: ModelSpec },
): Lease | null {
  waiter.seen = now
  service.waiting = service.waiting.filter(({ seen }) => now - seen <= LIMITS.model.slotLostMs)
  for (const lease of service.running) if (lease.until <= now) service.running.delete(lease)
  if (service.running.size >= max || nextOf(service) !== waiter) return null
  const lease = { tenant: waiter.tenant, until: now + silenceMsMax(spec) }
  service.running.add(lease)
  return lease
}

/** Whose turn it is: of the tenants that may have one more, the one that has fewest; of its own, who came first. */
function nextOf({ running, waiting }: Service): Waiter | undefined {
  const had = new Map<string, number>()
  for (const { tenant } of running) had.set(tenant, (had.get(tenant) ?? 0) + 1)
  const has = ({ tenant }: Waiter) => had.get(tenant) ?? 0
  const may = waiting.filter((one) => has(one) < one.tenantMax)
  const fewest = Math.min(...may.map(has))
  return may.find((one) => has(one) === fewest)
}

function busy(max: number, why: string): ModelFailure {
  const detail = `${max} calls of the model service are under way (max_concurrency), and ${why}.`
  return modelFailure('model_unavailable', detail)
}
