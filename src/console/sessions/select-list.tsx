import { useSignal } from '@preact/signals'
import type { SessionSummary } from '../../domain/session.ts'
import { viewTexts, texts, timeText } from '../language.ts'
import { StatusMark } from '../ui/marks.tsx'
import { OpenedForm } from '../ui/form-focus.tsx'
import { ProblemLine, useAct } from '../ui/problem.tsx'
import { removeSessions } from './remove.ts'
import { ForkLine } from './forks.tsx'
import { isPinned, pin, SELECT } from './session-store.ts'

interface Props {
  sessions: readonly SessionSummary[]
  onDone: () => void
}

/** The same sessions to be ticked, and what can be done with all that are. */
export function SelectList({ sessions, onDone }: Props) {
  const { select: t } = viewTexts()
  const chosen = useSignal<ReadonlySet<string>>(new Set())
  const { isBusy, problem, run } = useAct()
  const those = sessions.filter(({ id }) => chosen.value.has(id))
  const isAll = those.length === sessions.length
  const areAbove = those.length > 0 && those.every(isPinned)
  const choose = (id: string, isChosen: boolean) => {
    const others = [...chosen.value].filter((one) => one !== id)
    chosen.value = new Set(isChosen ? [...others, id] : others)
  }
  const pinAll = () =>
    run(async () => {
      for (const { id } of those) await pin(id, !areAbove)
      onDone()
    })
  const remove = () =>
    run(async () => {
      await removeSessions(those)
      onDone()
    })
  return (
    <OpenedForm name={SELECT} onLeave={onDone}>
      <div class="select-bar" role="group" aria-label={texts().select}>
        <label class="check">
          <input
            type="checkbox"
            checked={isAll}
            onChange={() => (chosen.value = new Set(isAll ? [] : sessions.map(({ id }) => id)))}
          />
          {those.length === 0 ? t.all : t.count(those.length)}
        </label>
        <button type="button" class="quiet" onClick={onDone}>
          {t.done}
        </button>
        <button type="button" disabled={those.length === 0 || isBusy.value} onClick={() => void pinAll()}>
          {areAbove ? texts().chat.unpin : texts().chat.pin}
        </button>
        <button
          type="button"
          class="danger"
          disabled={those.length === 0 || isBusy.value}
          onClick={() => void remove()}
        >
          {texts().remove}
        </button>
      </div>
      <ProblemLine text={problem.value} />
      <ul>
        {sessions.map((session) => (
          <li key={session.id}>
            <label class="select-entry">
              <input
                type="checkbox"
                checked={chosen.value.has(session.id)}
                onChange={(event) => choose(session.id, event.currentTarget.checked)}
              />
              <span class="entry-words">
                <span class="entry-title">{session.title || texts().untitled}</span>
                <ForkLine session={session} />
                <span class="entry-line">
                  <StatusMark status={session.status} />
                  <time dateTime={session.updated_time}>{timeText(session.updated_time)}</time>
                </span>
              </span>
            </label>
          </li>
        ))}
      </ul>
    </OpenedForm>
  )
}
