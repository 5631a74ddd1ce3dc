import { signal } from '@preact/signals'
import type { SessionSummary, Status } from '../../domain/session.ts'
import { Unreachable } from '../../client/client.ts'
import { client, keyNeeded, problemText } from '../api.ts'
import { texts } from '../language.ts'

const LOOK_MS = 4_000
const PAGE = 40

/** The list beside the conversation: which sessions there are, newest first. */
export const sessions = signal<SessionSummary[] | null>(null)
export const listProblem = signal<string | null>(null)
export const nextCursor = signal<string | null>(null)
export const filter = signal<{ q: string; status: Status | '' }>({ q: '', status: '' })
/** Sessions that wait for a human; at most a page of them. */
export const waiting = signal<SessionSummary[]>([])

/** How many rows were asked for; the list is read anew as long as it is. */
let pages = 1

export async function readSessions(): Promise<void> {
  if (keyNeeded.value !== 'no') return
  const asked = filter.value
  try {
    const found: SessionSummary[] = []
    let cursor: string | null = null
    for (let page = 0; page < pages; page++) {
      const answer = await readPage(asked, cursor)
      found.push(...answer.data)
      cursor = answer.next_cursor
      if (cursor === null) break
    }
    const { data } = await client.value.sessions.list({ status: 'interrupted', limit: PAGE })
    if (asked !== filter.value) return
    sessions.value = found
    nextCursor.value = cursor
    waiting.value = data
    listProblem.value = null
  } catch (error) {
    listProblem.value = error instanceof Unreachable ? texts().problem.again : problemText(error)
  }
}

function readPage({ q, status }: { q: string; status: Status | '' }, cursor: string | null) {
  return client.value.sessions.list({
    limit: PAGE,
    ...(q.trim() === '' ? {} : { q: q.trim() }),
    ...(status === '' ? {} : { status }),
    ...(cursor === null ? {} : { cursor }),
  })
}

/** Reads one page more from here on. */
export async function readMore(): Promise<void> {
  if (nextCursor.value === null) return
  pages += 1
  await readSessions()
}

export function look(wanted: Partial<typeof filter.value>): void {
  pages = 1
  filter.value = { ...filter.value, ...wanted }
  void readSessions()
}

/** Keeps the list fresh while the page is looked at. */
export function watchSessions(): void {
  let isReading = false
  const read = async () => {
    if (document.hidden || isReading) return
    isReading = true
    await readSessions()
    isReading = false
  }
  setInterval(() => void read(), LOOK_MS)
  document.addEventListener('visibilitychange', () => void read())
  void read()
}
