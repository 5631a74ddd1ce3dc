import type { McpServer } from '../domain/mcp.ts'
import type { McpConnection } from './client.ts'

/** A connection, whoever uses it. */
export interface Held {
  connection: Promise<McpConnection>
  uses: number
  /** It never came about. */
  failed: boolean
  timer: ReturnType<typeof setTimeout> | undefined
}

/** Connections that are open, by whose they are. Nobody uses another's: a server may keep a state for each, and the platform
 *  binds a connection to the object that opened it. */
const OPEN = new WeakMap<object, Map<string, Held>>()

export function heldOf(home: object, server: McpServer): Held | undefined {
  return OPEN.get(home)?.get(keyOf(server))
}

export function keepOpen(home: object, server: McpServer, held: Held): void {
  const all = OPEN.get(home) ?? new Map<string, Held>()
  OPEN.set(home, all.set(keyOf(server), held))
}

export function drop(home: object, server: McpServer): void {
  clearTimeout(heldOf(home, server)?.timer)
  OPEN.get(home)?.delete(keyOf(server))
}

/** Close what is open at once. */
export async function closeConnections(home: object): Promise<void> {
  const all = [...(OPEN.get(home)?.values() ?? [])]
  OPEN.delete(home)
  await Promise.allSettled(
    all.map(async ({ connection, timer }) => {
      clearTimeout(timer)
      await (await connection).close()
    }),
  )
}

function keyOf({ name, version }: McpServer): string {
  return `${name}\n${version}`
}
