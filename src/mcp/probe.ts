import { LIMITS } from '../domain/limits.ts'
import type { McpProbe } from '../domain/mcp.ts'
import type { Now } from '../domain/ports.ts'
import { abortable, timeLimit } from '../lib/wait.ts'
import { open, type Reachable } from './connections.ts'
import { mcpFailureOf, isUnauthorised } from './failure-of.ts'
import { failureKept, type McpFailure } from './failure.ts'
import { listTools } from './listing.ts'

/** What a server said that was asked, and why it said nothing. */
export interface Probed {
  probe: McpProbe
  failure: McpFailure | null
}

/** Ask a server what it offers; `known`: what was known of it, which stays where it cannot be reached. */
export async function probeServer(target: Reachable, known: McpProbe | null, now: Now): Promise<Probed> {
  const { version } = target.server
  const limit = timeLimit(LIMITS.mcp.probeMs)
  try {
    const found = await abortable(listed(target, limit.signal), limit.signal)
    return { probe: { version, triedTime: now(), listedTime: now(), error: null, ...found }, failure: null }
  } catch (error) {
    if (isUnauthorised(error)) await target.auth?.giveUp()
    const failure = mcpFailureOf(error)
    const { listedTime = null, manner = null, tools = [], warnings = [] } = known ?? {}
    const kept = { listedTime, manner, tools, warnings }
    return { probe: { version, triedTime: now(), ...kept, ...failureKept(failure) }, failure }
  } finally {
    limit.end()
  }
}

async function listed(target: Reachable, signal: AbortSignal) {
  const connection = await open(target)
  try {
    return { manner: connection.manner, ...(await listTools(connection, signal)) }
  } finally {
    await connection.close()
  }
}
