import { LIMITS } from '../domain/limits.ts'
import type { ModelFailure, ModelSpec, RequestFields } from '../domain/model.ts'
import type { Now, Sleep } from '../domain/ports.ts'
import type { Roles } from './roles.ts'
import { Services } from './services.ts'

/** What an isolate remembers of model services, for all sessions in it. */
export interface ModelMemory {
  /** Which keys are not to be used for now. */
  keys: KeyRing
  /** Models that want other roles for the messages of a request. */
  roles: Findings<Roles>
  /** Models that take other fields beside these. */
  fields: Findings<RequestFields>
  /** Models that take no schema for their replies, or none in a request with tools. */
  schemas: Findings<'any' | 'beside_tools'>
  /** How many requests each service may get at once, and which services are left alone. */
  services: Services
}

export function modelMemory(ports: { now: Now; sleep: Sleep }): ModelMemory {
  return {
    keys: new KeyRing(),
    roles: new Findings(),
    fields: new Findings(),
    schemas: new Findings(),
    services: new Services(ports),
  }
}

/** What was found out about models, each finding for `LIMITS.model.findingsMs`. */
export class Findings<What> {
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

/** Answers that say something of the key: unknown, without money, not allowed. */
const REFUSED: ReadonlySet<number | null> = new Set([401, 402, 403])
const OVER_RATE = 429

/** Chooses among the keys of a service: a key that was refused, or is over its rate, rests for a while. */
export class KeyRing {
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
