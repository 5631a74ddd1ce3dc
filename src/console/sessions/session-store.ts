import type { Status } from '../../domain/run.ts'
import { batch, computed, effect, signal } from '@preact/signals'
import type { SessionData, SessionSummary } from '../../domain/session.ts'
import { Unreachable } from '../../client/client.ts'
import { client, isUnreached, keyNeeded, errorText, retryAfterMs } from '../api.ts'
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
/** The list of the server has what was made here by then. */
const LISTED_MS = 10_000

/** Sessions that were deleted here: shown nowhere, whether or not the server knows yet. */
export const hiddenSessions = signal<ReadonlySet<string>>(new Set())
/** The list beside the conversation: which sessions there are, newest first. */
const known = signal<SessionSummary[] | null>(null)
/** Without those that were deleted here. */
export const listedSessions = computed(() => known.value?.filter(isThere) ?? null)
const pinned = signal<SessionSummary[]>([])
/** Those that are to stand above all others. */
export const pinnedSessions = computed(() => pinned.value.filter(isThere))
export const listProblem = signal<string | null>(null)
export const nextCursor = signal<string | null>(null)
export const filter = signal<{ q: string; status: Status | '' }>({ q: '', status: '' })
/** Sessions that wait for a human; at most a page of them. */
export const waiting = computed(() => interruptedSessions.value.filter(isThere))
const interruptedSessions = signal<SessionSummary[]>([])
/** Whether there are more than those. */
export const areMoreWaiting = signal(false)

/** The row of a session in the list, and the button that has many ticked, for the focus to find. */
export const sessionRow = (id: string) => `session.${id}`
export const SELECT = 'select'

const isThere = ({ id }: SessionSummary) => !hiddenSessions.value.has(id)

/** What was made so lately that the list of the server may not have it yet, and until when it is waited for. */
let made: { row: SessionSummary; until: number }[] = []

let timer = 0
let isWatching = false
let reads = 0
let readAt = 0
let restUntil = 0
let soon: number[] = []
/** They are read when the page is opened and after they were changed here: a list that changes little. */
let arePinsDue = true
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
    const [first, interrupted, above] = await Promise.all([
      readPage(asked, null),
      client.value.sessions.list({ status: 'interrupted', limit: PAGE }),
      arePinsDue ? client.value.sessions.list({ pinned: 'true', limit: PAGE }) : null,
    ])
    if (read === reads) show(asked, first, { interrupted, above: above?.data ?? null })
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

function show(
  asked: typeof shownFor,
  { data, next_cursor: cursor }: SessionPage,
  { interrupted, above }: { interrupted: SessionPage; above: SessionSummary[] | null },
): void {
  const last = data.at(-1)?.id ?? ''
  const rows = cursor === null || asked !== shownFor ? [] : (known.value ?? [])
  const older = rows.filter(({ id }) => id < last)
  shownFor = asked
  if (above) arePinsDue = false
  batch(() => {
    known.value = withMade([...data, ...older])
    if (older.length === 0) nextCursor.value = cursor
    interruptedSessions.value = interrupted.data
    areMoreWaiting.value = interrupted.next_cursor !== null
    pinned.value = above ?? pinned.value.map((row) => data.find(({ id }) => id === row.id) ?? row)
    listProblem.value = null
  })
}

/** Says what is wrong, and how long is waited, in ms. */
function afterFailure(error: unknown): number {
  const isCut = error instanceof Unreachable
  listProblem.value = isCut ? texts().problem.again : errorText(error)
  if (isCut) return UNREACHED_MS
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

export const isPinned = ({ metadata }: Pick<SessionSummary, 'metadata'>): boolean => metadata['pinned'] === true

/** Has it stand above all others, or no longer. */
export async function pin(id: string, wanted: boolean): Promise<void> {
  await client.value.sessions.patch(id, { metadata: { pinned: wanted || null } })
  arePinsDue = true
  await readAfterAct()
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
        known.value = [...(known.value ?? []), ...data]
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

/** Whether some are looked for. */
export const isFiltered = (): boolean => filter.value.q !== '' || filter.value.status !== ''

/** All of them again. */
export function clearFilter(): void {
  if (isFiltered()) filterSessions({ q: '', status: '' })
}

/** Shows in the list what is known of a session that is looked at: one that is newer than all that are listed was just made. */
export function noteSession(session: SessionData): void {
  const { id, title, status, updated_time } = session
  const noted = (row: SessionSummary) => (row.id === id ? { ...row, title, status, updated_time } : row)
  const rows = known.value
  const isNew = rows?.every((row) => row.id !== id && row.start_time <= session.start_time) ?? false
  if (isNew) made = [...made, { row: session, until: Date.now() + LISTED_MS }]
  made = made.map(({ row, until }) => ({ row: noted(row), until }))
  batch(() => {
    if (isNew) known.value = withMade(rows ?? [])
    known.value = known.value?.map(noted) ?? null
    pinned.value = pinned.value.map(noted)
  })
  if (isNew) void readAfterAct()
}

/** With what was made here and is not listed yet; who searches sees what is found. */
function withMade(rows: readonly SessionSummary[]): SessionSummary[] {
  const isSearched = filter.value.q !== '' || filter.value.status !== ''
  made = made.filter(({ row, until }) => until > Date.now() && !rows.some(({ id }) => id === row.id))
  return isSearched ? [...rows] : [...made.map(({ row }) => row).toReversed(), ...rows]
}

/** Keeps the list fresh while the page is looked at. */
export function watchSessions(): void {
  isWatching = true
  addEventListener('focus', lookAgain)
  document.addEventListener('visibilitychange', lookAgain)
  // Whichever request it was that got no answer: from then on it is looked whether the server is back.
  effect(() => {
    if (isUnreached.value) lookAgain()
  })
  void readSessions()
}

/** For somebody who comes to look. */
export function lookAgain(): void {
  if (!document.hidden) lookIn(Math.max(0, readAt + FRESH_MS - Date.now(), restUntil - Date.now()))
}

let isReadHidden = false

/** Whether the list is read while the page is hidden, too: for who wants to be told of what it says. */
export function readWhileHidden(isWanted: boolean): void {
  isReadHidden = isWanted
}

/** Nobody looks at a hidden page: it is read when it is shown again. */
function lookIn(ms: number): void {
  clearTimeout(timer)
  if (isWatching)
    timer = setTimeout(() => (document.hidden && !isReadHidden ? lookIn(LOOK_MS) : void readSessions()), ms)
}
