import type { Link } from '../domain/link.ts'
import { LIMITS } from '../domain/limits.ts'
import type { Database } from './database.ts'
import type { Kept } from './skills.ts'

/** Links of a tenant, and the secret that signs them. Times in Unix ms. */
export const LINKS_SCHEMA = `
  CREATE TABLE IF NOT EXISTS links (id TEXT PRIMARY KEY, scope TEXT NOT NULL, session TEXT NOT NULL, pending TEXT, created_by TEXT NOT NULL,
    created INTEGER NOT NULL, expires INTEGER NOT NULL) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS links_by_session ON links (session, id);
  CREATE INDEX IF NOT EXISTS links_by_expiry ON links (expires);
  CREATE INDEX IF NOT EXISTS links_by_maker ON links (created_by);
  CREATE TABLE IF NOT EXISTS link_secret (one INTEGER PRIMARY KEY CHECK (one = 1), secret TEXT NOT NULL);`

/** What a link may do beside what was there first. */
export const LINK_EDITS_SCHEMA = 'ALTER TABLE links ADD COLUMN allow_edit INTEGER NOT NULL DEFAULT 0;'

interface LinkRow {
  id: string
  scope: Link['scope']
  session: string
  pending: string | null
  allow_edit: number
  created_by: string
  created: number
  expires: number
}

/** The secret of the tenant's links; null: none was made yet. */
export function getLinkSecret(db: Database): string | null {
  return db.first<{ secret: string }>('SELECT secret FROM link_secret')?.secret ?? null
}

export function putLinkSecret(db: Database, secret: string): void {
  db.all(
    'INSERT INTO link_secret (one, secret) VALUES (1, ?) ON CONFLICT (one) DO UPDATE SET secret = excluded.secret',
    secret,
  )
}

/** Sign with another secret. What was signed with the one before opens nothing, so it stands in no list and takes no room. */
export function replaceLinkSecret(db: Database, secret: string): void {
  db.transaction(() => {
    putLinkSecret(db, secret)
    db.all('DELETE FROM links')
  })
}

/** Keep a new link; those that are long over go. */
export function putLink(db: Database, link: Link, now: number): Kept {
  db.all('DELETE FROM links WHERE expires < ?', now - LIMITS.access.linkOverMs)
  const counts = db.first<{ n: number; of: number }>(
    'SELECT count(*) AS n, count(*) FILTER (WHERE session = ?) AS of FROM links WHERE expires > ?',
    link.sessionId,
    now,
  )
  const { linksMax, linksPerSessionMax } = LIMITS.access
  if ((counts?.n ?? 0) >= linksMax || (counts?.of ?? 0) >= linksPerSessionMax) return 'too_many'
  db.all(
    'INSERT INTO links (id, scope, session, pending, allow_edit, created_by, created, expires) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    link.id,
    link.scope,
    link.sessionId,
    link.pendingId,
    link.allowEdit ? 1 : 0,
    link.createdBy,
    link.createdTime,
    link.expiresTime,
  )
  return 'made'
}

export function getLink(db: Database, id: string): Link | null {
  const row = db.first<LinkRow & Record<string, string | number | null>>('SELECT * FROM links WHERE id = ?', id)
  return row ? linkOf(row) : null
}

/** Links of a session that are not over, newest first: those older than `cursor`, at most `limit`. */
export function listLinks(db: Database, sessionId: string, { now, cursor, limit }: LinkQuery): Link[] {
  const older = cursor === undefined ? '' : 'AND id < ?'
  const sql = `SELECT * FROM links WHERE session = ? AND expires > ? ${older} ORDER BY id DESC LIMIT ?`
  return db.all<LinkRow>(sql, sessionId, now, ...(cursor === undefined ? [] : [cursor]), limit).map(linkOf)
}

export interface LinkQuery {
  now: number
  cursor?: string | undefined
  limit: number
}

/** False: the session has no such link. */
export function removeLink(db: Database, sessionId: string, id: string): boolean {
  return db.all('DELETE FROM links WHERE id = ? AND session = ? RETURNING id', id, sessionId).length > 0
}

/** The session is gone, or who made them. Gives how many there were. */
export function removeLinks(db: Database, of: { sessionId: string } | { createdBy: string }): number {
  const [column, value] = 'sessionId' in of ? ['session', of.sessionId] : ['created_by', of.createdBy]
  return db.all(`DELETE FROM links WHERE ${column} = ? RETURNING id`, value).length
}

function linkOf(row: LinkRow): Link {
  return {
    id: row.id,
    scope: row.scope,
    sessionId: row.session,
    pendingId: row.pending,
    allowEdit: row.allow_edit === 1,
    createdBy: row.created_by,
    createdTime: row.created,
    expiresTime: row.expires,
  }
}
