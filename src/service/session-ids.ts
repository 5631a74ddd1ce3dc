import { keyedSessionId, newSessionId } from '../access/marks.ts'
import type { Jurisdiction } from '../domain/place.ts'
import type { SessionKey } from './idempotency.ts'
import type { ServicePorts } from './ports.ts'

type IdPorts = Pick<ServicePorts, 'secret' | 'session' | 'now'>

/** What a session's id is made of. `sessionId`: it has one already. */
interface Wanted {
  sessionId: string | null
}

/** The ids of the sessions that an order may be for: one that it names, a new one, or those that its key makes one after the other. Each
 *  is made anew when the one before was deleted, or is older than a key is kept. */
export class SessionIds {
  readonly #ports: IdPorts
  readonly #tenant: string
  readonly #order: Wanted
  readonly #key: SessionKey
  readonly #within: Jurisdiction | null | undefined

  constructor(
    ports: IdPorts,
    tenant: string,
    order: Wanted,
    { key, within }: { key: SessionKey; within: Jurisdiction | null | undefined },
  ) {
    this.#ports = ports
    this.#tenant = tenant
    this.#order = order
    this.#key = key
    this.#within = within
  }

  /** Whether they are those of a key. */
  get areKeyed(): boolean {
    return this.#order.sessionId === null && this.#key.key !== undefined
  }

  async of(generation: number): Promise<string> {
    if (this.#order.sessionId !== null) return this.#order.sessionId
    const secret = await this.#ports.secret()
    const { key } = this.#key
    if (key !== undefined) return keyedSessionId(secret, this.#tenant, { key, generation }, this.#within)
    return newSessionId(secret, this.#tenant, { now: this.#ports.now(), within: this.#within })
  }

  /** The newest that the sessions know of. */
  async latest(): Promise<number> {
    for (let generation = 0; ;) {
      const stand = this.areKeyed
        ? await (await this.#session(generation)).keyStand({ ...this.#key, generation })
        : null
      if (stand === null || typeof stand === 'string') return generation
      generation = stand.generation
    }
  }

  /** The first of them is to know the newest, so that no request goes by way of all. */
  async note(generation: number): Promise<void> {
    await (await this.#session(0)).keepSuccessor(generation)
  }

  async #session(generation: number) {
    return this.#ports.session(this.#tenant, await this.of(generation))
  }
}
