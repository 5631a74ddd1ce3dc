import type {
  ListedMcpServer,
  McpListedTool,
  McpProbe,
  McpServer,
  McpServerInfo,
  McpServerPatch,
  NewMcpServer,
} from '../domain/mcp.ts'
import type { ServerConfig } from '../domain/server-config.ts'
import { shownAddress, withKnownSecrets } from '../lib/addresses.ts'
import { canonicalJson, fingerprint } from '../lib/hash.ts'
import { withServerIds } from '../domain/tool-id.ts'
import { LIMITS } from '../domain/limits.ts'
import { cutText, SECRET_MASK } from '../lib/text.ts'

/** The servers that the config file names. Their hints are believed unless it says otherwise. */
export function configServers({ mcp_servers: servers = {} }: ServerConfig): McpServer[] {
  return Object.entries(servers).map(([name, given]) => ({
    name,
    url: given.url,
    headers: given.headers ?? {},
    ...(given.oauth_client === undefined ? {} : { oauthClient: clientOf(given.oauth_client) }),
    ...(given.oauth_grants === 'user' ? { grants: 'user' as const } : {}),
    description: given.description?.trim() || null,
    enabled: given.enabled ?? true,
    trustHints: given.trust_hints ?? true,
    origin: 'config',
    version: `config:${fingerprint(canonicalJson(given))}`,
  }))
}

function clientOf({ client_id: id, client_secret: secret }: { client_id: string; client_secret?: string | undefined }) {
  return { id, secret: secret ?? null }
}

/** Whether its own headers say who we are, or cannot be opened and may: then nobody is sent away to be authorised, and all who use it see the same. */
export function isNamedBy({ headers, sealed }: Pick<McpServer, 'headers' | 'sealed'>): boolean {
  return sealed !== undefined || Object.keys(headers).some((name) => name.toLowerCase() === 'authorization')
}

/** A server as an administrator writes it, new. */
export function serverFrom({
  name,
  url,
  headers = {},
  oauth_client: client,
  description,
  enabled = true,
  trust_hints: hints = false,
  oauth_grants: grants,
}: NewMcpServer): McpServer {
  return {
    name,
    url,
    headers,
    ...(client ? { oauthClient: { id: client.client_id, secret: client.client_secret ?? null } } : {}),
    ...(grants === 'user' ? { grants } : {}),
    description: description || null,
    enabled,
    trustHints: hints,
    origin: 'tenant',
    version: crypto.randomUUID(),
  }
}

/** A server with changes, which make it another version. */
export function patchedServer(server: McpServer, patch: McpServerPatch): McpServer {
  const { url, description, enabled, trust_hints: hints, oauth_grants: grants = server.grants } = patch
  const { oauthClient: _client, grants: _grants, sealed, ...rest } = server
  const isGivenAnew = isMoved(server.url, patch) || patch.headers !== undefined || patch.oauth_client !== undefined
  return {
    ...rest,
    ...(sealed === undefined || isGivenAnew ? {} : { sealed }),
    url: url === undefined ? server.url : withKnownSecrets(url, server.url),
    ...patchedClient(server, patch),
    ...(grants === 'user' ? { grants } : {}),
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
  return { oauthClient: { id, secret: secret === SECRET_MASK ? kept : secret } }
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
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== SECRET_MASK))
}

/** A server as clients see it (GET /v1/mcp-servers). `probe` null: it was not asked. */
export function serverView(server: McpServer, probe: McpProbe | null): McpServerInfo {
  return {
    ...headView(server, probe),
    tools: withServerIds(server.name, probe?.tools ?? []).map(({ id, tool }) => ({
      ...toolNamesView(id, tool),
      input_schema: tool.inputSchema,
      annotations: { ...tool.annotations },
    })),
  }
}

/** The same in a list: tools by their names alone. */
export function serverListView(server: McpServer, probe: McpProbe | null): ListedMcpServer {
  const tools = withServerIds(server.name, probe?.tools ?? []).map(({ id, tool }) => toolNamesView(id, tool))
  return { ...headView(server, probe), tools }
}

function headView(server: McpServer, probe: McpProbe | null): Omit<ListedMcpServer, 'tools'> {
  return {
    object: 'mcp_server',
    name: server.name,
    url: shownAddress(server.url),
    headers: Object.fromEntries(Object.keys(server.headers).map((name) => [name, SECRET_MASK])),
    oauth_client: clientView(server),
    oauth_grants: server.grants ?? 'tenant',
    description: server.description,
    enabled: server.enabled,
    trust_hints: server.trustHints,
    source: server.origin,
    status: statusOf(server, probe),
    error: probe?.error ?? null,
    warnings: [...(probe?.warnings ?? [])],
    protocol_version: probe?.manner?.protocol ?? null,
    checked_time: probe === null ? null : new Date(probe.triedTime).toISOString(),
  }
}

function clientView({ oauthClient }: McpServer): ListedMcpServer['oauth_client'] {
  if (!oauthClient) return null
  return { client_id: oauthClient.id, client_secret: oauthClient.secret === null ? null : SECRET_MASK }
}

function statusOf({ enabled }: McpServer, probe: McpProbe | null): ListedMcpServer['status'] {
  if (!enabled) return 'disabled'
  if (probe === null) return 'unknown'
  return probe.error === null ? 'ok' : 'error'
}

function toolNamesView(id: string, { name, description }: McpListedTool) {
  const text = cutText(description ?? '', LIMITS.mcp.toolDescriptionChars)
  return { id, name, description: text }
}
