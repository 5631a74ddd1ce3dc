import type { Status } from '../../domain/run.ts'
import { useEffect, useRef } from 'preact/hooks'
import type { SessionSummary } from '../../domain/session.ts'
import { texts, timeText } from '../language.ts'
import { currentRoute, sessionAddress } from '../route.ts'
import { ProblemLine } from '../ui/problem.tsx'
import { StatusMark } from '../ui/marks.tsx'
import { filter, listProblem, filterSessions, nextCursor, readMore, listedSessions } from './session-store.ts'

const STATUSES: readonly Status[] = ['in_progress', 'interrupted', 'completed', 'failed', 'cancelled', 'idle']
const SEARCH_MS = 250

/** All sessions: search, filter, and as many as one scrolls to. */
export function SessionList() {
  const t = texts()
  return (
    <section class="sessions" aria-label={t.sessions}>
      <Filter />
      <ProblemLine text={listProblem.value} />
      <ul>
        {listedSessions.value?.map((session) => (
          <Entry key={session.id} session={session} />
        ))}
      </ul>
      {listedSessions.value === null && listProblem.value === null ? <p class="empty">{t.loading}</p> : null}
      {listedSessions.value?.length === 0 ? <p class="empty">{isFiltered() ? t.nothingFound : t.noSessions}</p> : null}
      <End />
    </section>
  )
}

const isFiltered = () => filter.value.q !== '' || filter.value.status !== ''

function Filter() {
  const timer = useRef(0)
  const t = texts()
  const search = (q: string) => {
    clearTimeout(timer.current)
    timer.current = setTimeout(() => filterSessions({ q }), SEARCH_MS)
  }
  return (
    <div class="filter" role="search">
      <input
        type="search"
        aria-label={t.search}
        placeholder={t.searchShort}
        value={filter.value.q}
        maxLength={200}
        onInput={(event) => search(event.currentTarget.value)}
      />
      <select
        aria-label={t.anyStatus}
        value={filter.value.status}
        onChange={(event) =>
          filterSessions({ status: STATUSES.find((one) => one === event.currentTarget.value) ?? '' })
        }
      >
        <option value="">{t.anyStatus}</option>
        {STATUSES.map((status) => (
          <option key={status} value={status}>
            {t.status[status]}
          </option>
        ))}
      </select>
    </div>
  )
}

function Entry({ session }: { session: SessionSummary }) {
  const here = currentRoute.value.page === 'session' && currentRoute.value.id === session.id
  return (
    <li>
      <a href={sessionAddress(session.id)} aria-current={here ? 'page' : undefined}>
        <span class="entry-title">{session.title || texts().untitled}</span>
        <span class="entry-line">
          <StatusMark status={session.status} />
          <time dateTime={session.updated_time}>{timeText(session.updated_time)}</time>
        </span>
      </a>
    </li>
  )
}

/** The next page is read when the end comes into sight. */
function End() {
  const end = useRef<HTMLButtonElement>(null)
  const cursor = nextCursor.value
  useEffect(() => {
    if (!end.current) return
    const seen = new IntersectionObserver(([entry]) => {
      if (entry?.isIntersecting) void readMore()
    })
    seen.observe(end.current)
    return () => seen.disconnect()
  }, [cursor])
  return cursor === null ? null : (
    <button type="button" class="quiet" ref={end} onClick={() => void readMore()}>
      {texts().more}
    </button>
  )
}
