import { useSignal } from '@preact/signals'
import type { Status } from '../../domain/run.ts'
import { Fragment } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { SessionSummary } from '../../domain/session.ts'
import { may } from '../api.ts'
import { monthText, texts, timeText } from '../language.ts'
import { currentRoute, sessionAddress } from '../route.ts'
import { openerOf } from '../ui/form-focus.tsx'
import { ProblemLine } from '../ui/problem.tsx'
import { StatusMark } from '../ui/marks.tsx'
import { Later } from '../ui/loaded.tsx'
import { groupedByDay } from './days.ts'
import { ForkLine } from './forks.tsx'
import {
  clearFilter,
  filter,
  listProblem,
  filterSessions,
  isFiltered,
  nextCursor,
  pinnedSessions,
  readMore,
  listedSessions,
  SELECT,
  sessionRow,
} from './session-store.ts'

const STATUSES: readonly Status[] = ['in_progress', 'interrupted', 'completed', 'failed', 'cancelled', 'idle']
const SEARCH_MS = 250

/** All sessions: search, filter, and as many as one scrolls to. */
export function SessionList() {
  const t = texts()
  const isSelecting = useSignal(false)
  const all = listedSessions.value
  return (
    <section class="sessions" aria-label={t.sessions}>
      <Filter />
      <ProblemLine text={listProblem.value} />
      {isSelecting.value && all ? (
        <Later
          load={async () => (await import('./select-list.tsx')).SelectList}
          props={{ sessions: shownSessions(all).flat(), onDone: () => (isSelecting.value = false) }}
        />
      ) : (
        <Groups all={all ?? []} onSelect={() => (isSelecting.value = true)} />
      )}
      {all === null && listProblem.value === null ? <p class="empty">{t.loading}</p> : null}
      {all?.length !== 0 ? null : isFiltered() ? <NothingFound /> : <p class="empty">{t.noSessions}</p>}
      <End />
    </section>
  )
}

/** Those that stand above, and the others; who searches sees all in one. */
function shownSessions(all: readonly SessionSummary[]): [SessionSummary[], SessionSummary[]] {
  if (isFiltered()) return [[], [...all]]
  const above = pinnedSessions.value
  return [above, all.filter(({ id }) => !above.some((one) => one.id === id))]
}

/** The sessions under the days of their begin. */
function Groups({ all, onSelect }: { all: readonly SessionSummary[]; onSelect: () => void }) {
  const t = texts()
  const [above, others] = shownSessions(all)
  const groups = [
    ...(above.length === 0 ? [] : [{ heading: t.pinned, entries: above }]),
    ...groupedByDay(others, new Date(), { words: t.ages, monthText }),
  ]
  return (
    <>
      {groups.map(({ heading, entries }, index) => (
        <Fragment key={heading}>
          <h2 class="group">
            {heading}
            {index === 0 && may('run') ? (
              <button type="button" class="quiet" {...openerOf(SELECT)} onClick={onSelect}>
                {t.select}
              </button>
            ) : null}
          </h2>
          <ul>
            {entries.map((session) => (
              <Entry key={session.id} session={session} />
            ))}
          </ul>
        </Fragment>
      ))}
    </>
  )
}

/** Says what was looked at, and leads back to all. */
function NothingFound() {
  const t = texts()
  const words = filter.value.q.trim()
  return (
    <div class="empty" role="status">
      <p>{words === '' ? t.nothingFound : t.noneHas(words)}</p>
      <button type="button" onClick={clearFilter}>
        {t.showAll}
      </button>
    </div>
  )
}

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
  const link = useRef<HTMLAnchorElement>(null)
  // It may have been found elsewhere than in the list.
  useEffect(() => (here ? link.current?.scrollIntoView({ block: 'nearest' }) : undefined), [here])
  return (
    <li>
      <a
        ref={link}
        href={sessionAddress(session.id)}
        data-row={sessionRow(session.id)}
        aria-current={here ? 'page' : undefined}
      >
        <span class="entry-title" title={session.title}>
          {session.title || texts().untitled}
        </span>
        <ForkLine session={session} />
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
