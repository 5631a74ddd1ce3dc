import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { TAKE_UP } from '../../domain/take-up.ts'
import { keep } from './data-folder.ts'

/** Where workerd keeps the sessions, by the key of their class in config.capnp. */
const SESSIONS = 'yaa-Session'
/** SQLite has such a file beside a database for as long as that is open, and removes it when it is closed. Source: SQLite, "Write-Ahead
 *  Logging". */
const OPEN = /^([0-9a-f]{64})\.sqlite-wal$/
/** Objects that were open when their server was asked to end: it closes all of them, also what it had not told yet. */
const NOTED = 'open-sessions'

/** The ids of the objects of sessions that were open when the last server on a folder ended, by itself or as it was asked to. To be asked before
 *  the next one starts. */
export function openSessions(folder: string): string[] {
  return [...new Set([...notedIn(folder), ...openIn(folder)])].slice(0, TAKE_UP.sessionsMax)
}

/** Note what is open before a server is asked to end. */
export function noteOpenSessions(folder: string): void {
  const open = openIn(folder)
  if (open.length > 0) keep(join(folder, NOTED), open.join('\n'))
}

/** Have the server at this address go on with sessions. Rejects where it does not say that it does. */
export async function takeUpSessions(
  url: string,
  proof: string,
  folder: string,
  objects: readonly string[],
): Promise<void> {
  if (objects.length === 0) return
  const headers = { authorization: `Bearer ${proof}`, 'content-type': 'application/json' }
  const response = await fetch(`${url}${TAKE_UP.path}`, { method: 'POST', headers, body: JSON.stringify({ objects }) })
  if (!response.ok) throw new Error(`${TAKE_UP.path} was answered with ${response.status}`)
  rmSync(join(folder, NOTED), { force: true })
}

function openIn(folder: string): string[] {
  return namesIn(join(folder, SESSIONS)).flatMap((name) => OPEN.exec(name)?.[1] ?? [])
}

function notedIn(folder: string): string[] {
  try {
    return readFileSync(join(folder, NOTED), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
  } catch {
    return []
  }
}

/** None where there is no such folder. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
