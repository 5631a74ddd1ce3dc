import type { McpServerPatch, NewMcpServer } from '../domain/mcp-input.ts'
import { sendForJson, sendForNothing, type Connection, type Request } from './http.ts'
import type { Page, PageQuery } from './session-shapes.ts'

/** An MCP server as it is shown; values of its headers are masked. */
export interface McpServerInfo {
  name: string
  url: string
  [more: string]: unknown
}

/** The routes of MCP servers as functions. Errors: see `send` in http.ts. */
export function mcpServersOf(connection: Connection) {
  const json = <T>(request: Request) => sendForJson<T>(connection, request)
  const path = (name: string) => `/v1/mcp-servers/${encodeURIComponent(name)}`
  return {
    list: (query: PageQuery = {}) => json<Page<McpServerInfo>>({ path: '/v1/mcp-servers', query: { ...query } }),
    create: (body: NewMcpServer) => json<McpServerInfo>({ method: 'POST', path: '/v1/mcp-servers', body }),
    get: (name: string) => json<McpServerInfo>({ path: path(name) }),
    update: (name: string, body: McpServerPatch) => json<McpServerInfo>({ method: 'PATCH', path: path(name), body }),
    delete: (name: string) => sendForNothing(connection, { method: 'DELETE', path: path(name) }),
    /** Ask it for its tools anew. */
    refresh: (name: string) => json<McpServerInfo>({ method: 'POST', path: `${path(name)}/refresh` }),
  }
}
