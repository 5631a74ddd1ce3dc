import { LIMITS } from '../domain/limits.ts'
import { isMadeKey, isOver, type Principal, stillHolds } from '../service/caller.ts'
import type { Env } from './env.ts'
import { report } from './report.ts'
import { servicePorts } from './service-ports.ts'

/** Whether the keys that opened sockets still hold: looked at before something is told, and not again for a while; and whether tokens do. */
export class SocketKeys {
  readonly #env: Env
  readonly #lookedAt = new WeakMap<WebSocket, number>()
  readonly #looks = new WeakSet<WebSocket>()

  constructor(env: Env) {
    this.#env = env
  }

  /** Whether the key need not be looked at now. */
  isKnown(socket: WebSocket, principal: Principal): boolean {
    const now = Date.now()
    if (isOver(principal, now)) return false
    return !isMadeKey(principal) || now - (this.#lookedAt.get(socket) ?? 0) < LIMITS.access.keyLookMs
  }

  /** Null: nobody knows, or somebody looks already. */
  async look(socket: WebSocket, principal: Principal): Promise<boolean | null> {
    if (this.#looks.has(socket)) return null
    this.#looks.add(socket)
    const holds = await stillHolds(servicePorts(this.#env), principal).catch(report)
    this.#looks.delete(socket)
    if (holds) this.#lookedAt.set(socket, Date.now())
    return holds ?? null
  }
}
