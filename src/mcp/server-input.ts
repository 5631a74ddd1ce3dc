import type { McpServer } from '../domain/mcp.ts'
import type { McpServerPatch, NewMcpServer } from '../domain/mcp-input.ts'
import { HEADER_MASK } from './shown.ts'

/** A server as an administrator writes it, new. */
export function serverFrom({
  name,
  url,
  headers = {},
  oauth_client: client,
  description,
  enabled = true,
  trust_hints: hints = false,
}: NewMcpServer): McpServer {
  return {
    name,
    url,
    headers,
    ...(client ? { oauthClient: { id: client.client_id, secret: client.client_secret ?? null } } : {}),
    description: description || null,
    enabled,
    trustHints: hints,
    origin: 'tenant',
    version: crypto.randomUUID(),
  }
}

/** A server with changes, which make it another version. */
export function patchedServer(server: McpServer, patch: McpServerPatch): McpServer {
  const { url, description, enabled, trust_hints: hints } = patch
  const { oauthClient: _known, ...rest } = server
  return {
    ...rest,
    url: url ?? server.url,
    ...patchedClient(server, patch),
    headers: patchedHeaders(server, patch),
    description: description === undefined ? server.description : description || null,
    enabled: enabled ?? server.enabled,
    trustHints: hints ?? server.trustHints,
    version: crypto.randomUUID(),
  }
}

/** Another client than before has no secret but its own, and another origin gets none. */
function patchedClient({ oauthClient: known, url }: McpServer, patch: McpServerPatch): Pick<McpServer, 'oauthClient'> {
  const given = patch.oauth_client
  if (given === undefined) return known && !isMoved(url, patch) ? { oauthClient: known } : {}
  if (given === null) return {}
  const { client_id: id, client_secret: secret = null } = given
  const kept = known?.id === id && !isMoved(url, patch) ? known.secret : null
  return { oauthClient: { id, secret: secret === HEADER_MASK ? kept : secret } }
}

function isMoved(from: string, { url }: McpServerPatch): boolean {
  return url !== undefined && URL.parse(url)?.origin !== URL.parse(from)?.origin
}

/** A header that came back masked stays; one that is null goes. Those of another origin do not go to a new one. */
function patchedHeaders({ headers, url }: McpServer, patch: McpServerPatch): Record<string, string> {
  const merged = { ...(isMoved(url, patch) ? {} : headers), ...withoutMasked(patch.headers ?? {}) }
  return Object.fromEntries(Object.entries(merged).flatMap(([name, value]) => (value === null ? [] : [[name, value]])))
}

function withoutMasked(headers: Record<string, string | null>): Record<string, string | null> {
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== HEADER_MASK))
}
