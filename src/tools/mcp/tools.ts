import type { McpListedTool, McpServer } from '../../domain/mcp.ts'
import type { Tool } from '../../domain/tool.ts'
import { mcpToolId } from '../../mcp/servers.ts'
import { mcpTool, type McpCaller } from './tool.ts'

/** Tools by the list that they are made of, so that a list that stays is converted once. */
const MADE = new WeakMap<readonly McpListedTool[], { key: string; tools: readonly Tool[] }>()

/** The tools of a server. Two whose names only differ in what an id cannot hold have ids of their own. `isShared`: ids of
 *  another server begin alike. */
export function mcpTools(
  server: McpServer,
  listed: readonly McpListedTool[],
  caller: McpCaller,
  isShared = false,
): readonly Tool[] {
  const key = `${server.name}\n${server.version}\n${isShared}`
  const known = MADE.get(listed)
  if (known?.key === key) return known.tools
  const ids = new Set<string>()
  const tools = listed.map((one) => {
    const id = mcpToolId(server.name, one.name, (taken) => isShared || ids.has(taken))
    ids.add(id)
    return mcpTool(id, server, one, caller)
  })
  MADE.set(listed, { key, tools })
  return tools
}
