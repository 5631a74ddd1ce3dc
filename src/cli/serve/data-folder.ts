import { randomBytes } from 'node:crypto'
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { CommandError } from '../exit.ts'
import type { TerminalTexts } from '../texts.ts'

/** Where data is kept if no folder is named. */
export const DATA_FOLDER = '.yaa'

const SQLITE_BUSY = 5
/** READONLY, CANTOPEN: a file can be neither made nor written. */
const SQLITE_BARRED = [8, 14]
const SQLITE_FULL = 13
const LOCK_FILE = 'yaa.lock'
/** Who only looks whether the folder is held is gone again by then. */
const LOCK_WAIT_MS = 100

/** Random bytes of what the folder keeps for its server: 43 characters. */
const KEPT_BYTES = 32
const KEPT_CHARS_MIN = 32

/** A folder that is this process's alone until it is released. */
export interface FolderClaim {
  folder: string
  release: () => void
}

/** The first of the folders that no other yaa uses. Throws one clear line when there is none, or one cannot be written. */
export function claimDataFolder(folders: readonly string[], texts: TerminalTexts): FolderClaim {
  for (const folder of folders) {
    const lock = lockDataFolder(folder)
    if (lock.ok) return { folder, release: lock.release }
    if (lock.reason === 'unwritable') throw new CommandError(texts.dataUnwritable(folder, lock.detail))
  }
  throw new CommandError(texts.dataInUse(folders[0] ?? ''))
}

/** `detail`: the code of the system where it has one, else what was said. */
export type Lock = { ok: true; release: () => void } | { ok: false; reason: 'in_use' | 'unwritable'; detail: string }

/** Makes the folder and holds it for this process alone. workerd lets two processes write the same objects, so the launcher
 *  keeps a lock of SQLite's, which the system releases when the process ends, however it ends. */
export function lockDataFolder(folder: string): Lock {
  try {
    makeFolder(resolve(folder))
    // A lock that is there already is taken on a disk that is read-only, too.
    accessSync(folder, constants.W_OK)
    const database = new DatabaseSync(join(folder, LOCK_FILE), { timeout: LOCK_WAIT_MS })
    return begin(database)
  } catch (error) {
    return {
      ok: false,
      reason: 'unwritable',
      detail: existsSync(folder) && !statSync(folder).isDirectory() ? 'ENOTDIR' : whyUnwritable(error),
    }
  }
}

/** Why a folder or a file in it cannot be written: the code of the system where it has one, else what was said. */
export function whyUnwritable(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if ('errcode' in error && SQLITE_BARRED.includes(Number(error.errcode))) return 'EACCES'
  if ('errcode' in error && error.errcode === SQLITE_FULL) return 'ENOSPC'
  return 'code' in error && /^E[A-Z]+$/.test(String(error.code)) ? String(error.code) : error.message
}

/** Folder by folder: where nothing can be made, as in `/proc`, Node goes on for ever when it is to make all of them (`recursive`). */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return
  makeFolder(dirname(folder))
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    // Somebody else made it meanwhile.
    if (!existsSync(folder)) throw error
  }
}

function begin(database: DatabaseSync): Lock {
  try {
    database.exec('BEGIN EXCLUSIVE')
    return { ok: true, release: () => database.close() }
  } catch (error) {
    database.close()
    if (isBusy(error)) return { ok: false, reason: 'in_use', detail: '' }
    throw error
  }
}

/** Whether a server runs on the folder. Leaves the lock alone. */
export function isFolderHeld(folder: string): boolean {
  const file = join(folder, LOCK_FILE)
  if (!existsSync(file)) return false
  const database = new DatabaseSync(file, { timeout: 0, readOnly: true })
  try {
    database.exec('SELECT name FROM sqlite_schema')
    return false
  } catch (error) {
    if (isBusy(error)) return true
    throw error
  } finally {
    database.close()
  }
}

const isBusy = (error: unknown) => error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY

/** The text of the file `name` in a folder that this process holds, made at random when there is none. Its owner alone may read it. */
export function keptText(folder: string, name: string, texts: TerminalTexts): string {
  const file = join(folder, name)
  const text = readKept(file) ?? makeKept(file)
  if (text.length < KEPT_CHARS_MIN) throw new CommandError(texts.keptTooShort(file, KEPT_CHARS_MIN))
  return text
}

/** Null: there is no such file. */
export function readKept(file: string): string | null {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw new CommandError(error instanceof Error ? error.message : String(error))
  }
}

function makeKept(file: string): string {
  const text = randomBytes(KEPT_BYTES).toString('base64url')
  keep(file, text)
  return text
}

/** A kill leaves the whole file or none: it gets its name when it is written. */
export function keep(file: string, text: string): void {
  writeFileSync(`${file}.new`, `${text}\n`, { mode: 0o600, flush: true })
  renameSync(`${file}.new`, file)
}
