import { batch, signal } from '@preact/signals'
import { randomKey } from '../../lib/random-key.ts'
import { client, errorText, retryAfterMs } from '../api.ts'
import { currentRoute, go } from '../route.ts'
import { goOnAt } from '../ui/form-focus.tsx'
import { hiddenSessions, readAfterAct, SELECT, sessionRow } from './session-store.ts'

/** So long what was deleted can be had back: then it is sent. */
const UNDO_MS = 8_000

/** Sessions that were deleted at once. */
export interface Removal {
  key: string
  ids: readonly string[]
  /** Of the first of them. */
  title: string
  /** The page of that of them which was looked at; null: none was. */
  from: string | null
  /** Why it did not go, in words; null: it waits, or is being sent. */
  problem: string | null
}

/** Those that can still be had back, or that did not go. */
export const removals = signal<readonly Removal[]>([])
const timers = new Map<string, number>()

/** As `removeSessions` says. Who leaves the page does not undo it. */
export function removeAll(sessions: readonly { id: string; title: string }[]): void {
  const [first] = sessions
  if (!first) return
  const ids = sessions.map(({ id }) => id)
  const here = currentRoute.peek()
  const from = here.page === 'session' && ids.includes(here.id) ? location.hash : null
  const removal = { key: randomKey(), ids, title: first.title, from, problem: null }
  batch(() => {
    hide(removal.ids, true)
    removals.value = [...removals.value, removal]
  })
  timers.set(
    removal.key,
    setTimeout(() => void sendRemoval(removal), UNDO_MS),
  )
  if (from !== null) go('#/')
}

/** They are there again: nothing was sent. Who looked at one of them, and went nowhere since, is back at it. */
export function undoRemoval({ key, ids, from }: Removal): void {
  clearTimeout(timers.get(key))
  timers.delete(key)
  batch(() => {
    hide(ids, false)
    forgetRemoval(key)
  })
  if (from !== null && currentRoute.peek().page === 'home') go(from)
  goOnAt({ row: sessionRow(ids[0] ?? '') }, { opener: SELECT }, document.getElementById('main'))
}

export function forgetRemoval(key: string): void {
  removals.value = removals.value.filter((one) => one.key !== key)
}

async function sendRemoval({ key, ids, title, from }: Removal): Promise<void> {
  if (!timers.delete(key)) return
  forgetRemoval(key)
  const left: string[] = []
  let problem = ''
  for (const id of ids) {
    try {
      await removed(id)
    } catch (error) {
      left.push(id)
      problem = errorText(error)
    }
  }
  if (left.length > 0)
    batch(() => {
      hide(left, false)
      removals.value = [...removals.value, { key, ids: left, title, from, problem }]
    })
  await readAfterAct()
}

/** Once more when the server says to wait. */
async function removed(id: string): Promise<void> {
  try {
    await client.value.sessions.delete(id)
  } catch (error) {
    const rest = retryAfterMs(error)
    if (rest === 0) throw error
    await new Promise((done) => setTimeout(done, rest))
    await client.value.sessions.delete(id)
  }
}

function hide(ids: readonly string[], isHidden: boolean): void {
  const others = [...hiddenSessions.value].filter((id) => !ids.includes(id))
  hiddenSessions.value = new Set(isHidden ? [...others, ...ids] : others)
}

/** Whoever leaves the page wanted them gone. All are sent at once: nothing runs on here that could wait for the first. */
addEventListener('pagehide', () => {
  for (const { key, ids } of removals.value) {
    if (!timers.delete(key)) continue
    for (const id of ids) void client.value.sessions.delete(id).catch(() => {})
    forgetRemoval(key)
  }
})
