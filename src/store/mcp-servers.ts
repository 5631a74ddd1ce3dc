import { LIMITS } from '../domain/limits.ts'
import type { McpProbe, McpServer } from '../domain/mcp.ts'
import type { Database } from './database.ts'
import type { Kept } from './skills.ts'

/** MCP servers of a tenant as JSON, and what was last found of those and of the config's. The tools stand apart: lists of
 *  servers do not need them. */
export const MCP_SERVERS_SCHEMA = `CREATE TABLE IF NOT EXISTS mcp_servers (name TEXT PRIMARY KEY, server TEXT NOT NULL) WITHOUT ROWID;
   CREATE TABLE IF NOT EXISTS mcp_probes (name TEXT PRIMARY KEY, probe TEXT NOT NULL, tools TEXT NOT NULL) WITHOUT ROWID;`

/** By name. */
export function listMcpServers(db: Database): McpServer[] {
  return db
    .all<{ server: string }>('SELECT server FROM mcp_servers ORDER BY name')
    .map(({ server }) => JSON.parse(server) as McpServer)
}

/** Keep a server. One of its name is replaced if that `mayReplace`; else it is `known`, and nothing changes. */
export function putMcpServer(db: Database, server: McpServer, mayReplace: boolean): Kept {
  const isKnown = db.first('SELECT 1 FROM mcp_servers WHERE name = ?', server.name) !== undefined
  if (isKnown && !mayReplace) return 'known'
  const { count = 0 } = db.first<{ count: number }>('SELECT count(*) AS count FROM mcp_servers') ?? {}
  if (!isKnown && count >= LIMITS.mcp.serversMax) return 'too_many'
  db.all(
    'INSERT INTO mcp_servers (name, server) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET server = excluded.server',
    server.name,
    JSON.stringify(server),
  )
  return isKnown ? 'replaced' : 'made'
}

/** Forget a server and what was found of it. False: there was none. */
export function removeMcpServer(db: Database, name: string): boolean {
  db.all('DELETE FROM mcp_probes WHERE name = ?', name)
  return db.all('DELETE FROM mcp_servers WHERE name = ? RETURNING name', name).length > 0
}

export function getMcpProbe(db: Database, name: string): McpProbe | null {
  const row = db.first<{ probe: string; tools: string }>('SELECT probe, tools FROM mcp_probes WHERE name = ?', name)
  return row ? { ...(JSON.parse(row.probe) as McpProbe), tools: JSON.parse(row.tools) as McpProbe['tools'] } : null
}

/** Keep what was found of a server. */
export function keepMcpProbe(db: Database, name: string, { tools, ...probe }: McpProbe): void {
  const written = JSON.stringify(tools)
  db.all(
    `INSERT INTO mcp_probes (name, probe, tools) VALUES (?, ?, ?)
     ON CONFLICT (name) DO UPDATE SET probe = excluded.probe, tools = excluded.tools`,
    name,
    JSON.stringify(probe),
    written,
  )
}
