import { LIMITS } from '../domain/limits.ts'
import type { McpProbe, McpListedTool, McpWarning } from '../domain/mcp.ts'
import type { Now } from '../domain/ports.ts'
import { abortable, timeLimit } from '../lib/wait.ts'
import { open, type Reachable } from './connections.ts'
import { mcpFailureOf, isUnauthorised } from './sdk-failure.ts'
import { failureKept, type McpFailure } from './failure.ts'
import * as z from 'zod'
import type { McpConnection } from './client.ts'
import { readTool } from './listed-tool.ts'

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
    const found = await abortable(toolsOf(target, limit.signal), limit.signal)
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

async function toolsOf(target: Reachable, signal: AbortSignal) {
  const connection = await open(target)
  try {
    return { manner: connection.manner, ...(await listTools(connection, signal)) }
  } finally {
    await connection.close()
  }
}

const { toolsMax, listPagesMax, listCharsMax, warningsMax } = LIMITS.mcp

const page = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().optional() })

/** What a server offers, and what of it cannot be used. */
export interface McpListing {
  tools: McpListedTool[]
  warnings: McpWarning[]
}

/** Ask a server for all that it offers. Rejects with the SDK's errors. */
export async function listTools({ client, listed }: McpConnection, signal: AbortSignal): Promise<McpListing> {
  const list = new Listing(client.getProtocolEra() === 'modern')
  if (!client.getServerCapabilities()?.tools) return list.whole()
  let cursor: string | undefined
  for (let pages = 0; pages < listPagesMax; pages++) {
    const params = cursor === undefined ? {} : { params: { cursor } }
    const options = { signal, timeout: LIMITS.mcp.probeMs }
    const { nextCursor } = await client.request({ method: 'tools/list', ...params }, page, options)
    list.add(listed())
    if (nextCursor === undefined || list.isFull) return list.whole()
    if (nextCursor === cursor) return list.whole('the list goes on with the page that was given before')
    cursor = nextCursor
  }
  return list.whole(`the list has more than ${listPagesMax} pages; those are taken`)
}

class Listing {
  readonly #sendsHeaders: boolean
  readonly #tools = new Map<string, McpListedTool>()
  readonly #warnings: McpWarning[] = []
  #chars = 0
  /** Tools that were not looked at, and warnings that are left out. */
  #beyond = 0
  #leftOut = 0

  constructor(sendsHeaders: boolean) {
    this.#sendsHeaders = sendsHeaders
  }

  /** It takes no more. */
  get isFull(): boolean {
    return this.#beyond > 0
  }

  add(tools: readonly unknown[]): void {
    for (const [index, given] of tools.entries()) {
      if (this.#tools.size < toolsMax && this.#chars < listCharsMax) this.#take(given)
      else this.#beyond = tools.length - index
      if (this.isFull) return
    }
  }

  #take(given: unknown): void {
    const { tool, warnings } = readTool(given, this.#sendsHeaders)
    for (const warning of warnings) this.#warn(warning)
    if (tool === null) return
    const { name } = tool
    if (this.#tools.has(name)) return this.#warn({ tool: name, message: 'left out: another tool has this name' })
    this.#chars += JSON.stringify(tool).length
    this.#tools.set(name, tool)
  }

  #warn(warning: McpWarning): void {
    if (this.#warnings.length < warningsMax) this.#warnings.push(warning)
    else this.#leftOut += 1
  }

  /** `end`: why it ends before the server's does. */
  whole(end: string | null = null): McpListing {
    const limits = `at most ${toolsMax} tools and ${listCharsMax} characters of them are taken`
    const about = [
      ...(end === null ? [] : [end]),
      ...(this.#beyond > 0 ? [`${this.#beyond} or more tools are left out: ${limits}`] : []),
      ...(this.#leftOut > 0 ? [`${this.#leftOut} more warnings are not told`] : []),
    ].map((message) => ({ tool: null, message }))
    return { tools: [...this.#tools.values()], warnings: [...this.#warnings, ...about] }
  }
}
