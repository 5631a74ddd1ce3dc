import { LIMITS } from '../domain/limits.ts'
import type { McpManner, McpServer } from '../domain/mcp.ts'
import type { Fetch } from '../domain/ports.ts'
import { timeLimit } from '../lib/wait.ts'
import { openConnection, type McpConnection } from './client.ts'
import { isSessionGone, isUnauthorised } from './sdk-failure.ts'
import type { ServerHeaders } from './server-headers.ts'
import type { OAuthProvider } from './oauth-provider.ts'
import { drop, type Held, heldOf, keepOpen } from './open-connections.ts'

/** A server and the way to it. */
export interface Reachable {
  server: McpServer
  manner: McpManner | null
  fetch: Fetch
  headers: ServerHeaders
  auth: OAuthProvider | null
  /** The server says that its tools have changed. */
  readonly toolsChanged: () => void
}

/**
 * Do `work` over the connection that `home` has to a server, opened if there is none. A server that has forgotten the session
 * that it gave is asked for a new one, and the work is done again. It is closed when nobody has used it for a while.
 */
export async function withConnection<T>(
  home: object,
  target: Reachable,
  work: (connection: McpConnection) => Promise<T>,
): Promise<T> {
  try {
    return await use(home, target, work)
  } catch (error) {
    if (!isSessionGone(error)) throw error
    drop(home, target.server)
    return use(home, target, work)
  }
}

async function use<T>(home: object, target: Reachable, work: (connection: McpConnection) => Promise<T>): Promise<T> {
  const held = heldFor(home, target)
  held.uses += 1
  clearTimeout(held.timer)
  try {
    return await work(await held.connection)
  } finally {
    held.uses -= 1
    if (held.uses === 0 && !held.failed)
      held.timer = setTimeout(() => void close(home, target.server, held), LIMITS.mcp.idleMs)
  }
}

function heldFor(home: object, target: Reachable): Held {
  const { server } = target
  const known = heldOf(home, server)
  if (known) return known
  const held: Held = { connection: open(target), uses: 0, failed: false, timer: undefined }
  keepOpen(home, server, held)
  held.connection.catch(() => {
    held.failed = true
    if (heldOf(home, server) === held) drop(home, server)
  })
  return held
}

/** Reach a server as it was reached before, else from the start. */
export async function open({ server, manner, fetch, headers, auth, toolsChanged }: Reachable): Promise<McpConnection> {
  const limit = timeLimit(LIMITS.mcp.probeMs)
  try {
    return await openConnection(server, { fetch, headers, auth, manner, toolsChanged, signal: limit.signal })
  } catch (error) {
    if (manner === null || limit.signal.aborted || isUnauthorised(error)) throw error
    return await openConnection(server, { fetch, headers, auth, manner: null, toolsChanged, signal: limit.signal })
  } finally {
    limit.end()
  }
}

async function close(home: object, server: McpServer, held: Held): Promise<void> {
  if (held.uses > 0) return
  if (heldOf(home, server) === held) drop(home, server)
  await (await held.connection).close()
}
