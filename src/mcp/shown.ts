import type { McpListedTool, McpProbe, McpServer } from '../domain/mcp.ts'
import { LIMITS } from '../domain/limits.ts'
import { cutText } from '../lib/text.ts'
import { mcpToolId } from './tool-id.ts'

/** What is shown in the place of a header's value. */
export const HEADER_MASK = '***'

/** A server as clients see it (GET /v1/mcp-servers). `probe` null: it was not asked. */
export function shownServer(server: McpServer, probe: McpProbe | null) {
  return {
    ...shownHead(server, probe),
    tools: (probe?.tools ?? []).map((tool) => ({
      ...shownName(server, tool),
      input_schema: tool.inputSchema,
      annotations: tool.annotations ?? {},
    })),
  }
}

/** The same in a list: tools by their names alone. */
export function listedServer(server: McpServer, probe: McpProbe | null) {
  return { ...shownHead(server, probe), tools: (probe?.tools ?? []).map((tool) => shownName(server, tool)) }
}

function shownHead(server: McpServer, probe: McpProbe | null) {
  return {
    object: 'mcp_server',
    name: server.name,
    url: server.url,
    headers: Object.fromEntries(Object.keys(server.headers).map((name) => [name, HEADER_MASK])),
    oauth_client: shownClient(server),
    description: server.description,
    enabled: server.enabled,
    trust_hints: server.trustHints,
    source: server.origin,
    status: statusOf(server, probe),
    error: probe?.error ?? null,
    warnings: probe?.warnings ?? [],
    protocol_version: probe?.manner?.protocol ?? null,
    checked_time: probe === null ? null : new Date(probe.triedTime).toISOString(),
  }
}

function shownClient({ oauthClient }: McpServer) {
  if (!oauthClient) return null
  return { client_id: oauthClient.id, client_secret: oauthClient.secret === null ? null : HEADER_MASK }
}

function statusOf({ enabled }: McpServer, probe: McpProbe | null): 'ok' | 'error' | 'unknown' | 'disabled' {
  if (!enabled) return 'disabled'
  if (probe === null) return 'unknown'
  return probe.error === null ? 'ok' : 'error'
}

function shownName(server: McpServer, { name, description }: McpListedTool) {
  const text = cutText(description ?? '', LIMITS.mcp.toolDescriptionChars)
  return { id: mcpToolId(server.name, name), name, description: text }
}
