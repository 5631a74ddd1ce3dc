import { ACCESS_LIMITS } from '../domain/access-limits.ts'
import {
  type CountedConnection,
  keepConnection,
  removeConnections,
  renewSockets,
  renewStream,
  silentSockets,
} from '../store/connections.ts'
import type { lazyDatabase } from './storage.ts'

interface ConnectionPorts {
  db: ReturnType<typeof lazyDatabase>
  /** The sockets that a session has. */
  socketsOf: (session: string) => Promise<readonly string[]>
  report: (error: unknown) => void
}

/** Streams and sockets that a tenant has open, each with a row from before it opens. Whoever serves a stream says now and then that it is still there. A socket sleeps with its
 *  session: that is asked when there seem to be as many as there may be. */
export class Connections {
  readonly #ports: ConnectionPorts
  /** By kind: there are as many as there may be, which is not looked at again before this time (Unix ms). */
  readonly #fullUntil = new Map<CountedConnection['kind'], number>()

  constructor(ports: ConnectionPorts) {
    this.#ports = ports
  }

  /** False: there are `max` of its kind. */
  async open(connection: CountedConnection, max: number): Promise<boolean> {
    const { kind } = connection
    if (connection.isAhead) return this.#keep(connection, max)
    if (Date.now() < (this.#fullUntil.get(kind) ?? 0)) return false
    if (this.#keep(connection, max)) return true
    if (kind === 'socket') {
      await this.#forgetLost()
      if (this.#keep(connection, max)) return true
    }
    this.#fullUntil.set(kind, Date.now() + ACCESS_LIMITS.fullKeptMs)
    return false
  }

  /** Of a stream. */
  renew(id: string): void {
    renewStream(this.#ports.db, id, Date.now() + ACCESS_LIMITS.streamHeardMs)
  }

  close(id: string): void {
    removeConnections(this.#ports.db, [id])
    this.#fullUntil.clear()
  }

  #keep(connection: CountedConnection, max: number): boolean {
    const now = Date.now()
    const heldMs = connection.kind === 'stream' ? ACCESS_LIMITS.streamHeardMs : ACCESS_LIMITS.socketTrustedMs
    return keepConnection(this.#ports.db, connection, { max, now, until: now + heldMs })
  }

  /** Sockets whose process died, or whose end nobody told of. */
  async #forgetLost(): Promise<void> {
    const { db, socketsOf, report } = this.#ports
    const asked = silentSockets(db, Date.now(), ACCESS_LIMITS.socketSessionsAskedMax)
    const found = await Promise.all(
      asked.map(async ({ session, ids }) => {
        const open = await socketsOf(session).catch(report)
        return open
          ? { open: ids.filter((id) => open.includes(id)), lost: ids.filter((id) => !open.includes(id)) }
          : null
      }),
    )
    removeConnections(
      db,
      found.flatMap((one) => one?.lost ?? []),
    )
    renewSockets(
      db,
      found.flatMap((one) => one?.open ?? []),
      Date.now() + ACCESS_LIMITS.socketTrustedMs,
    )
  }
}
