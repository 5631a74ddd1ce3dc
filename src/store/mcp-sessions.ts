import { LIMITS } from '../domain/limits.ts'
import type { ClientCall, McpClient, McpPlace, NewClientCall, RpcId } from '../domain/mcp-session.ts'
import type { Database } from './database.ts'
import { schemaOf } from './migrate.ts'

/** A session of an MCP client, and the calls of it that began runs: the newest, by number. Times: Unix ms. */
export const MCP_SESSION_SCHEMA = schemaOf([
  `CREATE TABLE IF NOT EXISTS client (
     id INTEGER PRIMARY KEY CHECK (id = 1), owner TEXT NOT NULL, facts TEXT NOT NULL, expires INTEGER NOT NULL
   );
   CREATE TABLE IF NOT EXISTS calls (
     n INTEGER PRIMARY KEY AUTOINCREMENT, rpc TEXT NOT NULL, tool TEXT NOT NULL, token TEXT, place TEXT, word TEXT
   );
   CREATE INDEX IF NOT EXISTS calls_by_rpc ON calls (rpc);`,
])

interface ClientRow {
  owner: string
  facts: string
  expires: number
}

interface CallRow {
  n: number
  rpc: string
  tool: string
  token: string | null
  place: string | null
  /** What its client said of it since: `cancelled`, or `put_off`: its user decided nothing. */
  word: string | null
}

/** Begins the session; gives when it ends. */
export function openMcpSession(db: Database, owner: string, client: McpClient, now: number): number {
  const expires = now + LIMITS.mcpDoor.sessionMs
  const facts = JSON.stringify(client)
  db.all('INSERT OR REPLACE INTO client (id, owner, facts, expires) VALUES (1, ?, ?, ?)', owner, facts, expires)
  return expires
}

/** Finds the session of its owner, and numbers the call that comes. Null: there is none, or it is another's. How long it is kept is written once in a
 *  while. */
export function enterMcpSession(
  db: Database,
  owner: string,
  call: NewClientCall | null,
  now: number,
): { client: McpClient; call: number | null } | null {
  return db.transaction(() => {
    const row = db.first<ClientRow>('SELECT owner, facts, expires FROM client')
    if (!row || row.owner !== owner || row.expires <= now) return null
    const { sessionMs } = LIMITS.mcpDoor
    if (row.expires - now < sessionMs / 2) db.all('UPDATE client SET expires = ?', now + sessionMs)
    return { client: JSON.parse(row.facts) as McpClient, call: call && addCall(db, call) }
  })
}

function addCall(db: Database, { rpc, tool, token }: NewClientCall): number {
  const [row] = db.all<{ n: number }>(
    'INSERT INTO calls (rpc, tool, token) VALUES (?, ?, ?) RETURNING n',
    JSON.stringify(rpc),
    tool,
    token === null ? null : JSON.stringify(token),
  )
  const n = row?.n ?? 0
  db.all('DELETE FROM calls WHERE n <= ?', n - LIMITS.mcpDoor.callsMax)
  return n
}

/** Notes which run a call began; true: it was taken back before. */
export function placeMcpCall(db: Database, n: number, place: McpPlace): boolean {
  db.all('UPDATE calls SET place = ? WHERE n = ?', JSON.stringify(place), n)
  return db.first<CallRow>('SELECT word FROM calls WHERE n = ?', n)?.word === 'cancelled'
}

/** Notes what a client said of a call. */
export function noteMcpCall(db: Database, n: number, word: 'cancelled' | 'put_off'): void {
  db.all('UPDATE calls SET word = ? WHERE n = ?', word, n)
}

/** A call by its number, or the newest with an id of the client; null: none that is kept. */
export function mcpCall(db: Database, by: { n: number } | { rpc: RpcId }): ClientCall | null {
  const row =
    'n' in by
      ? db.first<CallRow>('SELECT * FROM calls WHERE n = ?', by.n)
      : db.first<CallRow>('SELECT * FROM calls WHERE rpc = ? ORDER BY n DESC LIMIT 1', JSON.stringify(by.rpc))
  if (!row) return null
  const { n, rpc, tool, token, place, word } = row
  return {
    n,
    rpc: JSON.parse(rpc) as RpcId,
    tool,
    token: token === null ? null : (JSON.parse(token) as RpcId),
    place: place === null ? null : (JSON.parse(place) as McpPlace),
    isPutOff: word === 'put_off',
  }
}

/** When the session ends; null: there is none. */
export function mcpSessionExpiry(db: Database): number | null {
  return db.first<ClientRow>('SELECT expires FROM client')?.expires ?? null
}
