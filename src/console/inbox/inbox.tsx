import { useEffect } from 'preact/hooks'
import type { PendingInput } from '../../domain/session-input.ts'
import type { Pending } from '../../domain/pending.ts'
import type { SessionData, SessionSummary } from '../../domain/session.ts'
import { client } from '../api.ts'
import { sendDecision } from '../decide/decision.ts'
import { PendingCard } from '../decide/pending-card.tsx'
import { texts, timeText } from '../language.ts'
import { sessionAddress } from '../route.ts'
import {
  areMoreWaiting,
  filterSessions,
  listProblem,
  lookAgain,
  readAfterAct,
  listedSessions,
  waiting,
} from '../sessions/session-store.ts'
import { useLoaded } from '../ui/loaded.tsx'
import { ProblemLine } from '../ui/problem.tsx'

/** Whatever waits for a human, in all sessions. */
export function Inbox() {
  useEffect(lookAgain, [])
  const t = texts()
  return (
    <section class="page inbox">
      <h1 tabIndex={-1}>{t.inbox}</h1>
      {waiting.value.length === 0 ? <Nothing /> : null}
      {waiting.value.map((session) => (
        <Waiting key={session.id} session={session} />
      ))}
      {areMoreWaiting.value ? (
        <a class="button" href="#/" onClick={() => filterSessions({ q: '', status: 'interrupted' })}>
          {t.more}
        </a>
      ) : null}
    </section>
  )
}

/** Nothing waits; unless it is not known yet. */
function Nothing() {
  const t = texts()
  if (listedSessions.value !== null) return <p class="empty">{t.inboxEmpty}</p>
  return listProblem.value === null ? <p class="empty">{t.loading}</p> : <ProblemLine text={listProblem.value} />
}

function Waiting({ session }: { session: SessionSummary }) {
  const {
    value: whole,
    problem,
    reload,
  } = useLoaded<SessionData>(
    () => client.value.sessions.get(session.id, { messages: 'none' }),
    [session.id, session.updated_time],
  )
  const onDecide = (pending: Pending) => async (decision: PendingInput) => {
    try {
      await sendDecision(session.id, pending, decision)
    } finally {
      await reload()
      await readAfterAct()
    }
  }
  const pending = whole.value?.pending ?? []
  return (
    <article class="waiting">
      <header>
        <h2>
          <a href={sessionAddress(session.id)}>{session.title || texts().untitled}</a>
        </h2>
        <time class="dim" dateTime={session.updated_time}>
          {timeText(session.updated_time)}
        </time>
      </header>
      <ProblemLine text={problem.value} />
      {pending.map((item) => (
        <PendingCard key={item.id} pending={item} onDecide={onDecide(item)} />
      ))}
    </article>
  )
}
