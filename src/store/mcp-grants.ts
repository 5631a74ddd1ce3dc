import { LIMITS } from '../domain/limits.ts'
import {
  grantOfSession,
  grantOfUser,
  type McpGrantChange,
  type McpRedirect,
  type McpReturnProof,
} from '../domain/mcp.ts'
import type { Database } from './database.ts'

/** What authorisation servers gave for a tenant's MCP servers, and who was sent to one and is not back. Secret. */
export const MCP_GRANTS_SCHEMA = `CREATE TABLE IF NOT EXISTS mcp_grants (server TEXT PRIMARY KEY, text TEXT NOT NULL, refreshing INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID;
   CREATE TABLE IF NOT EXISTS mcp_redirects (state TEXT PRIMARY KEY, server TEXT NOT NULL, session TEXT, text TEXT NOT NULL, until INTEGER NOT NULL) WITHOUT ROWID;
   CREATE INDEX IF NOT EXISTS mcp_redirects_by_until ON mcp_redirects (until);`

export function getMcpGrant(db: Database, server: string): string | null {
  return db.first<{ text: string }>('SELECT text FROM mcp_grants WHERE server = ?', server)?.text ?? null
}

/** Keep a grant, unless it is no more the one that it was made from. False: it is not. */
export function keepMcpGrant(db: Database, server: string, { from, to }: McpGrantChange): boolean {
  if (getMcpGrant(db, server) !== from) return false
  db.all(
    `INSERT INTO mcp_grants (server, text) VALUES (?, ?)
     ON CONFLICT (server) DO UPDATE SET text = excluded.text, refreshing = 0`,
    server,
    to,
  )
  return true
}

/** Whether the grant is still `from` and nobody else refreshes it at the moment; then the caller does. */
export function leaseMcpGrant(db: Database, server: string, from: string, now: number): boolean {
  const since = now - LIMITS.mcp.refreshLeaseMs
  const sql = 'UPDATE mcp_grants SET refreshing = ? WHERE server = ? AND text = ? AND refreshing < ? RETURNING server'
  return db.all(sql, now, server, from, since).length > 0
}

/** Remember who was sent away; the oldest are forgotten when there are too many. */
export function keepMcpRedirect(db: Database, { state, server, session, text, until }: McpRedirect, now: number): void {
  db.all('DELETE FROM mcp_redirects WHERE until <= ?', now)
  db.all(
    'DELETE FROM mcp_redirects WHERE state IN (SELECT state FROM mcp_redirects ORDER BY until DESC LIMIT -1 OFFSET ?)',
    LIMITS.mcp.redirectsMax - 1,
  )
  db.all(
    'INSERT INTO mcp_redirects (state, server, session, text, until) VALUES (?, ?, ?, ?, ?)',
    state,
    server,
    session,
    text,
    until,
  )
}

/** Who comes back with a state; it counts once. Null: nobody, or too late. `other`: it was begun by another, who still may come. */
export function takeMcpRedirect(
  db: Database,
  state: string,
  proof: McpReturnProof,
  now: number,
): McpRedirect | 'other' | null {
  return db.transaction(() => {
    const sql = "SELECT json_extract(text, '$.by') AS begun FROM mcp_redirects WHERE state = ? AND until > ?"
    const known = db.first<{ begun: string | null }>(sql, state, now)
    if (!known) return null
    if (!isBeginner(known.begun, proof)) return 'other'
    const taking = 'DELETE FROM mcp_redirects WHERE state = ? RETURNING state, server, session, text, until'
    return db.first<McpRedirect & Record<string, string | number | null>>(taking, state) ?? null
  })
}

/** What no key or token began, as a trigger did, is confirmed by whoever may decide. */
function isBeginner(begun: string | null, proof: McpReturnProof): boolean {
  return proof.type === 'cookie' || (begun === null ? proof.mayDecide : proof.account === begun)
}

/** The server has changed or is gone: so are the grants of all who use it. */
export function removeMcpGrant(db: Database, server: string): void {
  db.all("DELETE FROM mcp_grants WHERE server = ? OR instr(server, ? || '#') = 1", server, server)
  db.all('DELETE FROM mcp_redirects WHERE server = ?', server)
}

/** The grants of a server, some of very many. `holder` empty: the tenant's. */
export function listMcpGrants(db: Database, server: string): { holder: string; text: string }[] {
  return db.all<{ holder: string; text: string }>(
    `SELECT substr(server, length(?) + 1) AS holder, text FROM mcp_grants WHERE (server = ? OR instr(server, ? || '#') = 1) AND text <> ''
     LIMIT ?`,
    server,
    server,
    server,
    LIMITS.settings.revokedMax,
  )
}

/** The grants of one holder, a user or a session, that is gone. */
function removeMcpGrantsOf(db: Database, holder: string): void {
  db.all("DELETE FROM mcp_grants WHERE instr(server, '#') > 0 AND substr(server, instr(server, '#')) = ?", holder)
}

/** What a user granted to one server is gone, and nobody comes back with a grant of theirs that was begun before. */
export function removeMcpGrantOfUser(db: Database, server: string, user: string): void {
  db.all('DELETE FROM mcp_grants WHERE server = ?', `${server}${grantOfUser(user)}`)
  db.all("DELETE FROM mcp_redirects WHERE server = ? AND json_extract(text, '$.user') = ?", server, user)
}

/** The same of all servers: the user is gone. What a session of theirs began goes with the session. */
export function removeMcpGrantsOfUser(db: Database, user: string): void {
  removeMcpGrantsOf(db, grantOfUser(user))
  db.all("DELETE FROM mcp_redirects WHERE json_extract(text, '$.user') = ?", user)
}

/** Nobody comes back for a session that is gone, and what it was given is not used any more. */
export function removeMcpRedirects(db: Database, session: string): void {
  db.all('DELETE FROM mcp_redirects WHERE session = ?', session)
  removeMcpGrantsOf(db, grantOfSession(session))
}
