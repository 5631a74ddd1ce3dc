import type { McpServerPatch, NewMcpServer } from '../domain/mcp-input.ts'
import { sendForJson, type Connection } from './http.ts'
import { pathsBelow, resourceOf } from './resource.ts'

/** An MCP server as it is shown; values of its headers are masked. */
export interface McpServerInfo {
  name: string
  url: string
  [more: string]: unknown
}

const BASE = '/v1/mcp-servers'

/** The routes of MCP servers as functions. Errors: see `send` in http.ts. */
export function mcpServersOf(connection: Connection) {
  const path = pathsBelow(BASE)
  return {
    ...resourceOf<McpServerInfo, NewMcpServer, McpServerPatch>(connection, BASE),
    /** Ask it for its tools anew. */
    refresh: (name: string) => sendForJson<McpServerInfo>(connection, { method: 'POST', path: path(name, '/refresh') }),
  }
}
