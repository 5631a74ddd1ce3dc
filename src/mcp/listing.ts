import * as z from 'zod'
import { LIMITS } from '../domain/limits.ts'
import type { McpListedTool, McpWarning } from '../domain/mcp.ts'
import type { McpConnection } from './client.ts'
import { readTool } from './listed-tool.ts'

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
  /** Tools that were not looked at, and warnings that are not told. */
  #beyond = 0
  #untold = 0

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
    else this.#untold += 1
  }

  /** `end`: why it ends before the server's does. */
  whole(end: string | null = null): McpListing {
    const limits = `at most ${toolsMax} tools and ${listCharsMax} characters of them are taken`
    const about = [
      ...(end === null ? [] : [end]),
      ...(this.#beyond > 0 ? [`${this.#beyond} or more tools are left out: ${limits}`] : []),
      ...(this.#untold > 0 ? [`${this.#untold} more warnings are not told`] : []),
    ].map((message) => ({ tool: null, message }))
    return { tools: [...this.#tools.values()], warnings: [...this.#warnings, ...about] }
  }
}
