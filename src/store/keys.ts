import type { KeyLimits, KeyPatch, MadeKey } from '../domain/access.ts'
import { LIMITS } from '../domain/limits.ts'
import type { Database } from './database.ts'
import { removeLinks } from './links.ts'
import type { Kept } from './skills.ts'

/** Keys that a tenant made. `hash`: SHA-256 of the key's text in hex; null once it was revoked. The row then stays, so that its
 *  limits hold for what it had begun. `rates`: when the bucket of a key is full again, a little ahead; times in Unix ms. */
export const KEYS_SCHEMA = `
  CREATE TABLE IF NOT EXISTS api_keys (id TEXT PRIMARY KEY, hash TEXT, name TEXT NOT NULL, prefix TEXT NOT NULL, scopes TEXT NOT NULL,
    limits TEXT NOT NULL, created INTEGER NOT NULL, expires INTEGER, last_used INTEGER, revoked INTEGER) WITHOUT ROWID;
  CREATE UNIQUE INDEX IF NOT EXISTS api_keys_by_hash ON api_keys (hash) WHERE hash IS NOT NULL;
  CREATE INDEX IF NOT EXISTS api_keys_revoked ON api_keys (revoked) WHERE revoked IS NOT NULL;
  CREATE TABLE IF NOT EXISTS rates (id TEXT PRIMARY KEY, full_at INTEGER NOT NULL) WITHOUT ROWID;`

interface KeyRow {
  id: string
  name: string
  prefix: string
  scopes: string
  limits: string
  created: number
  expires: number | null
  last_used: number | null
}

const COLUMNS = 'id, name, prefix, scopes, limits, created, expires, last_used'

/** Keep a new key. */
export function putKey(db: Database, key: MadeKey, hash: string): Kept {
  const count = db.first<{ n: number }>('SELECT count(*) AS n FROM api_keys WHERE hash IS NOT NULL')?.n ?? 0
  if (count >= LIMITS.access.keysMax) return 'too_many'
  db.all(
    'INSERT INTO api_keys (id, hash, name, prefix, scopes, limits, created, expires) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    key.id,
    hash,
    key.name,
    key.prefix,
    JSON.stringify(key.scopes),
    JSON.stringify(key.limits),
    key.createdTime,
    key.expiresTime,
  )
  return 'made'
}

/** The key that has this hash and is still valid; null: there is none. That it was used is written once in a while. */
export function useKey(db: Database, hash: string, now: number): MadeKey | null {
  const row = db.first<KeyRow>(`SELECT ${COLUMNS} FROM api_keys WHERE hash = ?`, hash)
  if (!row || (row.expires !== null && row.expires <= now)) return null
  if (now - (row.last_used ?? 0) < LIMITS.access.lastUsedMs) return keyOf(row)
  db.all('UPDATE api_keys SET last_used = ? WHERE id = ?', now, row.id)
  return keyOf({ ...row, last_used: now })
}

export function getKey(db: Database, id: string): MadeKey | null {
  const row = db.first<KeyRow>(`SELECT ${COLUMNS} FROM api_keys WHERE id = ? AND hash IS NOT NULL`, id)
  return row ? keyOf(row) : null
}

/** What a key may use, or might when it was revoked; null: there was no such key. */
export function keyLimitsOf(db: Database, id: string): KeyLimits | null {
  const row = db.first<{ limits: string }>('SELECT limits FROM api_keys WHERE id = ?', id)
  return row ? (JSON.parse(row.limits) as KeyLimits) : null
}

/** Keys, newest first: those older than `cursor`, at most `limit`. */
export function listKeys(db: Database, cursor: string | undefined, limit: number): MadeKey[] {
  const older = cursor === undefined ? '' : 'AND id < ?'
  const sql = `SELECT ${COLUMNS} FROM api_keys WHERE hash IS NOT NULL ${older} ORDER BY id DESC LIMIT ?`
  return db.all<KeyRow>(sql, ...(cursor === undefined ? [] : [cursor]), limit).map(keyOf)
}

/** The key as it is now; null: there is none. */
export function patchKey(db: Database, id: string, { name, limits, expires_time: expiry }: KeyPatch): MadeKey | null {
  const key = getKey(db, id)
  if (!key) return null
  const changed: MadeKey = {
    ...key,
    name: name ?? key.name,
    limits: limits === undefined ? key.limits : (limits ?? {}),
    expiresTime: expiry === undefined ? key.expiresTime : expiryOf(expiry),
  }
  const sql = 'UPDATE api_keys SET name = ?, limits = ?, expires = ? WHERE id = ?'
  db.all(sql, changed.name, JSON.stringify(changed.limits), changed.expiresTime, id)
  return changed
}

/** Revoke a key: it lets nobody in any more, and its links neither. False: there was none. */
export function revokeKey(db: Database, id: string, now: number): boolean {
  const sql = 'UPDATE api_keys SET hash = NULL, revoked = ? WHERE id = ? AND hash IS NOT NULL RETURNING id'
  const isRevoked = db.all(sql, now, id).length > 0
  if (!isRevoked) return false
  forgetRevoked(db)
  removeLinks(db, { createdBy: id })
  return true
}

function forgetRevoked(db: Database): void {
  const oldest = `SELECT id FROM api_keys WHERE revoked IS NOT NULL ORDER BY revoked DESC LIMIT 100 OFFSET ?`
  db.all(`DELETE FROM api_keys WHERE id IN (${oldest})`, LIMITS.access.revokedKeysMax)
  db.all("DELETE FROM rates WHERE id LIKE 'key\\_%' ESCAPE '\\' AND id NOT IN (SELECT id FROM api_keys)")
}

/** When a bucket is full again, as far as it was written; 0: nothing was. */
export function getRate(db: Database, id: string): number {
  return db.first<{ full_at: number }>('SELECT full_at FROM rates WHERE id = ?', id)?.full_at ?? 0
}

export function putRate(db: Database, id: string, fullAt: number): void {
  const sql = 'INSERT INTO rates (id, full_at) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET full_at = excluded.full_at'
  db.all(sql, id, fullAt)
}

/** Unix ms of an RFC 3339 time; null: never. */
function expiryOf(time: string | null): number | null {
  return time === null ? null : Date.parse(time)
}

function keyOf(row: KeyRow): MadeKey {
  return {
    id: row.id,
    name: row.name,
    prefix: row.prefix,
    scopes: JSON.parse(row.scopes) as MadeKey['scopes'],
    limits: JSON.parse(row.limits) as MadeKey['limits'],
    createdTime: row.created,
    expiresTime: row.expires,
    lastUsedTime: row.last_used,
  }
}
