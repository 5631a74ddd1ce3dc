import { LIMITS } from '../domain/limits.ts'
import type { ModelSpec } from '../domain/model.ts'

/** What services were found to be like, by their models: for a while, and for all sessions of an isolate. */
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
