import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { CommandError } from '../exit.ts'
import type { TerminalTexts } from '../texts.ts'

const SQLITE_BUSY = 5

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

export type Lock = { ok: true; release: () => void } | { ok: false; reason: 'in_use' | 'unwritable'; detail: string }

/** Makes the folder and holds it for this process alone. workerd lets two processes write the same objects, so the launcher
 *  keeps a lock of SQLite's, which the system releases when the process ends, however it ends. */
export function lockDataFolder(folder: string): Lock {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const database = new DatabaseSync(join(folder, 'yaa.lock'), { timeout: 0 })
    return begin(database)
  } catch (error) {
    return { ok: false, reason: 'unwritable', detail: error instanceof Error ? error.message : String(error) }
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

const isBusy = (error: unknown) => error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY
