import type { AuditActor } from '../domain/audit.ts'
import { LIMITS } from '../domain/limits.ts'
import { isId } from '../lib/id.ts'
import { directoryObject, type Env } from './env.ts'
import { report } from './report.ts'

interface Holder {
  tenant: string
  actor: AuditActor
  expires_time: number | null
}

/** Whether what somebody showed does not hold any more. `time`: Unix ms; null: it does not end by itself. */
export function isOver(time: number | null): boolean {
  return time !== null && Date.now() >= time
}

/** Whether the keys that opened sockets still hold: looked at before something is told, and not again for a while; and whether tokens do. */
export class SocketKeys {
  readonly #env: Env
  readonly #lookedAt = new WeakMap<WebSocket, number>()
  readonly #looks = new WeakSet<WebSocket>()

  constructor(env: Env) {
    this.#env = env
  }

  /** Whether the key need not be looked at now. */
  isKnown(socket: WebSocket, { actor, expires_time: end }: Holder): boolean {
    if (isOver(end)) return false
    const isMade = actor.kind === 'key' && isId('key', actor.id)
    return !isMade || Date.now() - (this.#lookedAt.get(socket) ?? 0) < LIMITS.access.keyLookMs
  }

  /** Null: nobody knows, or somebody looks already. */
  async look(socket: WebSocket, { tenant, actor, expires_time: end }: Holder): Promise<boolean | null> {
    if (isOver(end)) return false
    if (this.#looks.has(socket)) return null
    this.#looks.add(socket)
    const holds = await directoryObject(this.#env, tenant).holdsKey(actor.id).catch(report)
    this.#looks.delete(socket)
    if (holds) this.#lookedAt.set(socket, Date.now())
    return holds ?? null
  }
}
