import type { McpServer } from '../domain/mcp.ts'
import type { ServerConfig } from '../domain/server-config.ts'
import { canonicalJson, fingerprint } from '../lib/hash.ts'

/** The servers that the config file names. Their hints are believed unless it says otherwise. */
export function configServers({ mcp_servers: servers = {} }: ServerConfig): McpServer[] {
  return Object.entries(servers).map(([name, given]) => ({
    name,
    url: given.url,
    headers: given.headers ?? {},
    ...(given.oauth_client === undefined ? {} : { oauthClient: clientOf(given.oauth_client) }),
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
