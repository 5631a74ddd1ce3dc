import { LIMITS } from '../domain/limits.ts'
import type { KeptConnection } from '../domain/connection.ts'
import type { Database } from './database.ts'
import { isMade, makeForUse, schemaOf } from './migrate.ts'
import type { Kept } from './skills.ts'

/** Secrets that the few tenants with any have given, encrypted. */
const KEPT_CONNECTIONS_SCHEMA = schemaOf([
  'CREATE TABLE IF NOT EXISTS kept_connections (name TEXT PRIMARY KEY, connection TEXT NOT NULL) WITHOUT ROWID;',
])
/** Those of their users. */
const USER_CONNECTIONS_SCHEMA = schemaOf([
  'CREATE TABLE IF NOT EXISTS user_connections (user TEXT NOT NULL, name TEXT NOT NULL, connection TEXT NOT NULL, PRIMARY KEY (user, name)) WITHOUT ROWID;',
])

interface Row extends Record<string, string> {
  connection: string
}

const connectionIn = ({ connection }: Row) => JSON.parse(connection) as KeptConnection

/** By name: the tenant's, or a user's. */
export function listConnections(db: Database, user: string | null): KeptConnection[] {
  if (user === null)
    return isMade(db, KEPT_CONNECTIONS_SCHEMA)
      ? db.all<Row>('SELECT connection FROM kept_connections ORDER BY name').map(connectionIn)
      : []
  return isMade(db, USER_CONNECTIONS_SCHEMA)
    ? db.all<Row>('SELECT connection FROM user_connections WHERE user = ? ORDER BY name', user).map(connectionIn)
    : []
}

/** Whether any user ever had one. */
export function hasUserConnections(db: Database): boolean {
  return isMade(db, USER_CONNECTIONS_SCHEMA)
}

/** Keep a connection. One of its name is replaced if that `mayReplace`; else it is `known`, and nothing changes. */
export function putConnection(db: Database, connection: KeptConnection, mayReplace: boolean): Kept {
  const { name, user = null } = connection
  makeForUse(db, user === null ? KEPT_CONNECTIONS_SCHEMA : USER_CONNECTIONS_SCHEMA)
  const known = listConnections(db, user)
  const isKnown = known.some((one) => one.name === name)
  if (isKnown && !mayReplace) return 'known'
  if (!isKnown && known.length >= LIMITS.settings.connectionsMax) return 'too_many'
  if (!isKnown && user !== null && countOfUsers(db) >= LIMITS.settings.userConnectionsMax) return 'too_many'
  const text = JSON.stringify(connection)
  if (user === null) db.all('INSERT OR REPLACE INTO kept_connections (name, connection) VALUES (?, ?)', name, text)
  else db.all('INSERT OR REPLACE INTO user_connections (user, name, connection) VALUES (?, ?, ?)', user, name, text)
  return isKnown ? 'replaced' : 'made'
}

function countOfUsers(db: Database): number {
  return db.first<{ count: number }>('SELECT count(*) AS count FROM user_connections')?.count ?? 0
}

/** False: there was none. */
export function removeConnection(db: Database, name: string, user: string | null): boolean {
  if (user !== null) {
    if (!isMade(db, USER_CONNECTIONS_SCHEMA)) return false
    return db.all('DELETE FROM user_connections WHERE user = ? AND name = ? RETURNING name', user, name).length > 0
  }
  if (!isMade(db, KEPT_CONNECTIONS_SCHEMA)) return false
  return db.all('DELETE FROM kept_connections WHERE name = ? RETURNING name', name).length > 0
}

/** The user is gone, and so is what they gave. */
export function removeConnectionsOf(db: Database, user: string): void {
  if (isMade(db, USER_CONNECTIONS_SCHEMA)) db.all('DELETE FROM user_connections WHERE user = ?', user)
}
