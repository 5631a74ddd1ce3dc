import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { TAKE_UP } from '../../domain/take-up.ts'
import { keep } from './data-folder.ts'

/** Where workerd keeps the sessions, by the key of their class in config.capnp. */
const SESSIONS = 'yaa-Session'
/** A database is named by the id of its object. SQLite has a second file beside it for as long as it is open, and removes that when it is
 *  closed. Source: SQLite, "Write-Ahead Logging". */
const FILE = /^([0-9a-f]{64})\.sqlite(-wal)?$/
const ID = /^[0-9a-f]{64}$/
/** Objects that are to be taken up, until they are: a server that is killed before it has woken all leaves the others to the next. */
const NOTED = 'open-sessions'
/** Written to when sessions are taken up. */
export const TAKEN_UP = 'taken-up'
/** A server that ends again so soon after it took sessions up may be ended by one of them, and each time counts as a try of all. So the next
 *  waits, for what ends it again in that time costs none of them a try; but no longer than that runs go on within five seconds of its start. */
const SOON_MS = 60_000
const WAIT_MS = 3_000
/** workerd closes an object that rests for longer. */
const OPEN_MS = 10_000

/** The ids of the objects of sessions that were open when the last server on a folder ended, however it did. They stay noted until they are
 *  taken up. To be asked before the next one starts. */
export function openSessions(folder: string): string[] {
  const open = [...new Set([...notedIn(folder), ...openIn(join(folder, SESSIONS))])]
  if (open.length > 0) note(folder, NOTED, open.join('\n'))
  return open
}

/** Have the server at this address go on with sessions. Rejects where it does not say that it does, or ends before it is asked (`ended`). */
export async function takeUpSessions(
  url: string,
  proof: string,
  folder: string,
  open: readonly string[],
  ended: AbortSignal,
): Promise<void> {
  if (open.length === 0) return
  const isSoon = Date.now() - changedIn(join(folder, TAKEN_UP)) < SOON_MS
  await sleep(isSoon ? WAIT_MS : 0, null, { ref: false, signal: ended })
  note(folder, TAKEN_UP, '')
  const headers = { authorization: `Bearer ${proof}`, 'content-type': 'application/json' }
  for (let from = 0; from < open.length; from += TAKE_UP.sessionsMax) {
    const body = JSON.stringify({ objects: open.slice(from, from + TAKE_UP.sessionsMax) })
    const response = await fetch(`${url}${TAKE_UP.path}`, { method: 'POST', headers, body, signal: ended })
    if (!response.ok) throw new Error(`${TAKE_UP.path} was answered with ${response.status}`)
  }
  rmSync(join(folder, NOTED), { force: true })
}

/** Have the server at this address write what it has not written yet, before it is asked to end. One that does not answer is ended as it is: what it
 *  has not written is told again when its sessions are taken up. */
export async function settleReports(url: string, proof: string): Promise<void> {
  const headers = { authorization: `Bearer ${proof}` }
  const signal = AbortSignal.timeout(TAKE_UP.settleMs)
  await fetch(`${url}${TAKE_UP.settlePath}`, { method: 'POST', headers, signal }).catch(() => null)
}

/** A server that is killed leaves SQLite's second files behind. One that is asked to end closes all databases, also of sessions that began
 *  meanwhile: what their second files held is written to them, and that these are removed is the last that happens to the folder. */
function openIn(folder: string): string[] {
  const since = changedIn(folder) - OPEN_MS
  return namesIn(folder).flatMap((name) => {
    const [, id, isOpen] = FILE.exec(name) ?? []
    return id !== undefined && (isOpen !== undefined || changedIn(join(folder, name)) >= since) ? [id] : []
  })
}

/** A full disk keeps no server from its start. */
function note(folder: string, name: string, text: string): void {
  try {
    keep(join(folder, name), text)
  } catch {
    // They are taken up all the same, unless this server is killed before it has.
  }
}

function notedIn(folder: string): string[] {
  try {
    return readFileSync(join(folder, NOTED), 'utf8')
      .split('\n')
      .filter((line) => ID.test(line))
  } catch {
    return []
  }
}

/** Unix ms; 0 where there is no such file. */
function changedIn(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
}

/** None where there is no such folder. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
