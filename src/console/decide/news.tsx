import { texts } from '../language.ts'
import { openSession } from '../session/open-session.ts'
import { waiting } from '../sessions/session-store.ts'
import { titleOf } from './decision.ts'

const NAMED_MAX = 5

/** Says to who listens instead of looking what waits for a decision: here, and in other sessions. */
export function News() {
  const t = texts()
  const head = openSession.value?.head.value
  const here = (head?.pending ?? []).map((pending) => [titleOf(pending), pending.question].filter(Boolean).join(' '))
  const others = waiting.value.filter(({ id }) => id !== head?.id).map(({ title }) => title || t.untitled)
  const told = [...here, ...others].slice(0, NAMED_MAX)
  return (
    <p class="unseen news" role="status">
      {told.length === 0 ? '' : `${t.inbox}: ${told.join(' · ')}`}
    </p>
  )
}
