import type { FileChange, FileEntry, FileQuery, Files } from '../domain/file.ts'
import { LIMITS } from '../domain/limits.ts'
import { contentTypeOf } from '../lib/content-type.ts'
import type { Database, Value } from './database.ts'
import { isMade, makeForUse, schemaOf } from './migrate.ts'

/** `files`: one row a file. `file_parts`: its bytes, in parts that fit a row. */
export const FILES_SCHEMA = schemaOf([
  `
  CREATE TABLE IF NOT EXISTS files (path TEXT PRIMARY KEY, size INTEGER NOT NULL, content_type TEXT NOT NULL, sha256 TEXT NOT NULL,
    created_time INTEGER NOT NULL, updated_time INTEGER NOT NULL, created_seq INTEGER NOT NULL, untrusted INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS file_parts (path TEXT NOT NULL, part INTEGER NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (path, part)) WITHOUT ROWID;`,
])

interface FileRow {
  path: string
  size: number
  content_type: string
  sha256: string
  created_time: number
  updated_time: number
  created_seq: number
  untrusted: number
}

/** The files of a session in SQLite. `isSession`: it is there. Without tables of files there is no file, and nothing is asked. */
export function sqliteFiles(db: Database, isSession: () => boolean): Files {
  const isThere = () => isSession() && isMade(db, FILES_SCHEMA)
  return {
    list: (query) => (isThere() ? listFiles(db, query) : []),
    stat: (path) => (isThere() ? statFile(db, path) : null),
    read: (path) => (isThere() ? readFile(db, path) : null),
    total: () => (isThere() ? totalOf(db) : { files: 0, bytes: 0 }),
  }
}

/** When a change is made: the time as Unix ms, and the last seq of the log with its events. */
export interface ChangePlace {
  time: number
  seq: number
}

/** Make a change; it has been checked. */
export function changeFile(db: Database, change: FileChange, { time, seq }: ChangePlace): void {
  makeForUse(db, FILES_SCHEMA)
  db.all('DELETE FROM file_parts WHERE path = ?', change.path)
  if (change.action === 'delete') {
    db.all('DELETE FROM files WHERE path = ?', change.path)
    return
  }
  const { path, bytes, sha256, untrusted, createdTime = time, updatedTime = time, createdSeq = seq } = change
  db.all(
    `INSERT INTO files (path, size, content_type, sha256, created_time, updated_time, created_seq, untrusted) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (path) DO UPDATE SET size = excluded.size, content_type = excluded.content_type, sha256 = excluded.sha256,
       updated_time = excluded.updated_time, untrusted = excluded.untrusted`,
    path,
    bytes.byteLength,
    contentTypeOf(path, bytes),
    sha256,
    createdTime,
    updatedTime,
    createdSeq,
    untrusted ? 1 : 0,
  )
  for (const [part, slice] of partsOf(bytes).entries()) {
    db.all('INSERT INTO file_parts (path, part, bytes) VALUES (?, ?, ?)', path, part, slice)
  }
}

function partsOf(bytes: Uint8Array): Uint8Array[] {
  const { partBytesMax } = LIMITS.files
  const count = Math.ceil(bytes.byteLength / partBytesMax)
  return Array.from({ length: count }, (_, part) => bytes.subarray(part * partBytesMax, (part + 1) * partBytesMax))
}

function listFiles(db: Database, { after = '', folder, limit }: FileQuery): FileEntry[] {
  const within: Value[] = folder === undefined ? [] : [`${folder}/`, `${folder}0`]
  const rows = db.all<FileRow>(
    `SELECT * FROM files WHERE path > ? ${within.length > 0 ? 'AND path > ? AND path < ?' : ''} ORDER BY path LIMIT ?`,
    after,
    ...within,
    limit,
  )
  return rows.map(entryOf)
}

function statFile(db: Database, path: string): FileEntry | null {
  const row = db.first<FileRow>('SELECT * FROM files WHERE path = ?', path)
  return row ? entryOf(row) : null
}

function readFile(db: Database, path: string): Uint8Array | null {
  const size = db.first<{ size: number }>('SELECT size FROM files WHERE path = ?', path)?.size
  if (size === undefined) return null
  const whole = new Uint8Array(size)
  let at = 0
  for (const { bytes } of db.all<{ bytes: Uint8Array }>(
    'SELECT bytes FROM file_parts WHERE path = ? ORDER BY part',
    path,
  )) {
    whole.set(bytes, at)
    at += bytes.byteLength
  }
  return whole
}

function totalOf(db: Database): { files: number; bytes: number } {
  const row = db.first<{ files: number; bytes: number | null }>(
    'SELECT count(*) AS files, sum(size) AS bytes FROM files',
  )
  return { files: row?.files ?? 0, bytes: row?.bytes ?? 0 }
}

function entryOf(row: FileRow): FileEntry {
  return {
    path: row.path,
    size: row.size,
    contentType: row.content_type,
    sha256: row.sha256,
    createdTime: row.created_time,
    updatedTime: row.updated_time,
    createdSeq: row.created_seq,
    untrusted: row.untrusted === 1,
  }
}
