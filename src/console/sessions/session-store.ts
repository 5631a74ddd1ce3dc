import type { Status } from '../../domain/run.ts'
import { batch, signal } from '@preact/signals'
import type { SessionData, SessionSummary } from '../../domain/session.ts'
import { Unreachable } from '../../client/client.ts'
import { client, keyNeeded, errorText, retryAfterMs } from '../api.ts'
import { texts } from '../language.ts'

/** The list is looked at so often by itself; beside it after own acts, and when somebody comes back to the page. */
const LOOK_MS = 15_000
/** So soon again when the server could not be reached: who cannot be reached counts no requests. */
const UNREACHED_MS = 4_000
/** After an own act its effects on other lists come a little later than its answer. */
const AFTER_ACT_MS = [1_500, 4_000]
/** At least so long between two readings of somebody who comes and goes. */
const FRESH_MS = 2_000
const PAGE = 40

/** The list beside the conversation: which sessions there are, newest first. */
export const listedSessions = signal<SessionSummary[] | null>(null)
export const listProblem = signal<string | null>(null)
export const nextCursor = signal<string | null>(null)
export const filter = signal<{ q: string; status: Status | '' }>({ q: '', status: '' })
/** Sessions that wait for a human; at most a page of them. */
export const waiting = signal<SessionSummary[]>([])

let timer = 0
let isWatching = false
let reads = 0
let readAt = 0
let restUntil = 0
let soon: number[] = []
/** By which the rows that are shown were looked for. */
let shownFor = filter.value

/** Reads the newest page anew; what was read behind it stays. */
export async function readSessions(): Promise<void> {
  if (keyNeeded.value !== 'no' || Date.now() < restUntil) return
  reads += 1
  const read = reads
  const asked = filter.value
  let again = LOOK_MS
  try {
    const [first, interrupted] = await Promise.all([
      readPage(asked, null),
      client.value.sessions.list({ status: 'interrupted', limit: PAGE }),
    ])
    if (read === reads) show(asked, first, interrupted.data)
  } catch (error) {
    again = afterFailure(error)
  }
  readAt = Date.now()
  lookIn(again === LOOK_MS ? (soon.shift() ?? LOOK_MS) : again)
}

export async function readAfterAct(): Promise<void> {
  soon = [...AFTER_ACT_MS]
  await readSessions()
}

type SessionPage = Awaited<ReturnType<typeof readPage>>

function show(asked: typeof shownFor, { data, next_cursor: cursor }: SessionPage, interrupted: SessionSummary[]): void {
  const last = data.at(-1)?.id ?? ''
  const rows = cursor === null || asked !== shownFor ? [] : (listedSessions.value ?? [])
  const older = rows.filter(({ id }) => id < last)
  shownFor = asked
  batch(() => {
    listedSessions.value = [...data, ...older]
    if (older.length === 0) nextCursor.value = cursor
    waiting.value = interrupted
    listProblem.value = null
  })
}

/** Says what is wrong, and how long is waited, in ms. */
function afterFailure(error: unknown): number {
  const isUnreached = error instanceof Unreachable
  listProblem.value = isUnreached ? texts().problem.again : errorText(error)
  if (isUnreached) return UNREACHED_MS
  const rest = retryAfterMs(error)
  restUntil = Date.now() + rest
  return Math.max(LOOK_MS, rest)
}

function readPage({ q, status }: { q: string; status: Status | '' }, cursor: string | null) {
  return client.value.sessions.list({
    limit: PAGE,
    ...(q.trim() === '' ? {} : { q: q.trim() }),
    ...(status === '' ? {} : { status }),
    ...(cursor === null ? {} : { cursor }),
  })
}

let isReadingMore = false

/** Reads one page more. */
export async function readMore(): Promise<void> {
  const cursor = nextCursor.value
  if (cursor === null || isReadingMore || Date.now() < restUntil) return
  isReadingMore = true
  const asked = filter.value
  try {
    const { data, next_cursor: next } = await readPage(asked, cursor)
    if (asked === filter.value && cursor === nextCursor.value)
      batch(() => {
        listedSessions.value = [...(listedSessions.value ?? []), ...data]
        nextCursor.value = next
      })
  } catch (error) {
    afterFailure(error)
  }
  isReadingMore = false
}

export function filterSessions(wanted: Partial<typeof filter.value>): void {
  filter.value = { ...filter.value, ...wanted }
  nextCursor.value = null
  void readSessions()
}

/** Shows in the list what is known of a session that is looked at. */
export function noteSession({ id, title, status, updated_time }: SessionData): void {
  listedSessions.value = (listedSessions.value ?? []).map((row) =>
    row.id === id ? { ...row, title, status, updated_time } : row,
  )
}

/** Keeps the list fresh while the page is looked at. */
export function watchSessions(): void {
  isWatching = true
  addEventListener('focus', lookAgain)
  document.addEventListener('visibilitychange', lookAgain)
  void readSessions()
}

/** For somebody who comes to look. */
export function lookAgain(): void {
  if (!document.hidden) lookIn(Math.max(0, readAt + FRESH_MS - Date.now(), restUntil - Date.now()))
}

/** Nobody looks at a hidden page: it is read when it is shown again. */
function lookIn(ms: number): void {
  clearTimeout(timer)
  if (isWatching) timer = setTimeout(() => (document.hidden ? lookIn(LOOK_MS) : void readSessions()), ms)
}
