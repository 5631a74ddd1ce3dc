import { once } from 'node:events'
import type { Server } from 'node:http'

export interface OnLoopback {
  url: string
  /** `host:port`. */
  host: string
  /** Cuts what is open. */
  close: () => Promise<void>
}

/** Node closes idle connections after 5 s: on a busy machine just when a client uses one again. */
const KEEP_ALIVE_MS = 120_000

/** Listen on a free port of loopback. */
export async function onLoopback(server: Server): Promise<OnLoopback> {
  server.keepAliveTimeout = KEEP_ALIVE_MS
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a port was expected')
  const host = `127.0.0.1:${address.port}`
  return {
    url: `http://${host}`,
    host,
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
