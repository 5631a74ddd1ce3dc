import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { client, once } from '../api.ts'
import { texts } from '../language.ts'
import { go, sessionAddress } from '../route.ts'
import { readSessions } from '../sessions/session-store.ts'
import { useDraft } from '../ui/draft.ts'
import { GrowingText } from '../ui/growing-text.tsx'
import { ProblemLine, useAct } from '../ui/problem.tsx'
import { inputOf, NO_CHOICES, type Choices } from './choices.ts'
import { TaskOptions } from './task-options.tsx'

/** Where a task is given. */
export function NewTask() {
  const { text: task, sent } = useDraft('new')
  const choices = useSignal<Choices>(NO_CHOICES)
  const { isBusy, problem, run } = useAct()
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => field.current?.focus(), [])
  const t = texts().task
  const start = () =>
    run(async () => {
      const wanted = task.value.trim()
      if (wanted === '') return
      const input = inputOf(wanted, choices.value)
      const { session_id: id } = await once((key) => client.value.sessions.begin(input, { key }))
      sent(wanted)
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
    </section>
  )
}
