import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { client, sendOnce } from '../api.ts'
import { jsonObject } from '../../lib/json.ts'
import { texts } from '../language.ts'
import { currentRoute, go, sessionAddress } from '../route.ts'
import { readSessions, listedSessions } from '../sessions/session-store.ts'
import { useDraft, GrowingText } from '../ui/growing-text.tsx'
import { ProblemLine, useAct } from '../ui/problem.tsx'
import { inputOf, NO_CHOICES, type Choices, TaskOptions } from './task-options.tsx'

const NOTHING_CHOSEN = JSON.stringify(NO_CHOICES)

/** What was chosen before the page was left. */
const choicesOf = (kept: string): Choices => ({ ...NO_CHOICES, ...jsonObject(kept) })

/** Where a task is given. */
export function NewTask() {
  const { text: task, sent } = useDraft('new')
  const { text: kept, sent: choicesSent } = useDraft('new.options', NOTHING_CHOSEN)
  const choices = useSignal<Choices>(choicesOf(kept.value))
  useEffect(() => choices.subscribe((value) => (kept.value = JSON.stringify(value))), [])
  const { isBusy, problem, run } = useAct()
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => field.current?.focus(), [currentRoute.value.page])
  const t = texts().task
  const start = () =>
    run(async () => {
      const wanted = task.value.trim()
      if (wanted === '') return
      const input = inputOf(wanted, choices.value)
      const { session_id: id } = await sendOnce((key) => client.value.sessions.begin(input, { key }))
      sent(wanted)
      choicesSent(kept.value)
      go(sessionAddress(id))
      void readSessions()
    })
  return (
    <section class="page new-task">
      <h1>{t.title}</h1>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void start()
        }}
      >
        <div class="composer-room">
          <GrowingText
            value={task}
            room={field}
            rows={3}
            label={t.title}
            placeholder={t.placeholder}
            onSend={() => void start()}
          />
          <div class="composer-acts">
            <button type="submit" class="primary" disabled={isBusy.value || task.value.trim() === ''}>
              {t.start}
            </button>
          </div>
        </div>
        <ProblemLine text={problem.value} />
        <TaskOptions choices={choices} />
      </form>
      {listedSessions.value?.length === 0 && task.value === '' ? (
        <Hints onTake={(hint) => (task.value = hint)} />
      ) : null}
    </section>
  )
}

/** Tasks to begin with, for who has given none yet. */
function Hints({ onTake }: { onTake: (hint: string) => void }) {
  const t = texts().task
  return (
    <div class="hints">
      <p class="dim">{t.examples}</p>
      {t.hints.map((hint) => (
        <button type="button" key={hint} onClick={() => onTake(hint)}>
          {hint}
        </button>
      ))}
    </div>
  )
}
