import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { client, may, sendOnce } from '../api.ts'
import { jsonObject } from '../../lib/json.ts'
import { texts } from '../language.ts'
import { currentRoute, go, sessionAddress } from '../route.ts'
import { clearFilter, isFiltered, readSessions, listedSessions } from '../sessions/session-store.ts'
import { draftFiles, withFiles } from '../ui/attaching.tsx'
import { ComposeRoom } from '../ui/compose-room.tsx'
import { isTouched, useDraft } from '../ui/growing-text.tsx'
import { defaultModel, useOffers } from '../ui/offers.ts'
import { Later } from '../ui/loaded.tsx'
import { ProblemLine, useAct } from '../ui/problem.tsx'
import { type Choices, hasOptions, keptChoices, NO_CHOICES, begunTaskInput } from './choices.ts'
import { TaskChips } from './task-chips.tsx'
import type { InputsCheck } from './workflow-inputs.tsx'

const NOTHING_CHOSEN = JSON.stringify(NO_CHOICES)

/** What was chosen before the page was left. */
const choicesOf = (kept: string): Choices => ({ ...NO_CHOICES, ...jsonObject(kept) })

/** Where a task is given. */
export function NewTask() {
  const { text: task, sent } = useDraft('new')
  const { text: kept } = useDraft('new.options', NOTHING_CHOSEN)
  const choices = useSignal<Choices>(choicesOf(kept.value))
  useEffect(() => choices.subscribe((value) => (kept.value = JSON.stringify(value))), [])
  const { isBusy, problem, run } = useAct()
  const field = useRef<HTMLTextAreaElement>(null)
  // On a phone the keyboard would hide the sessions below.
  const { page } = currentRoute.value
  useEffect(() => {
    // Nor is it taken from who has just deleted a session, and may want it back.
    const isElsewhere = document.activeElement?.closest('.toast') != null
    if (!isElsewhere && !(isTouched && page === 'home')) field.current?.focus()
  }, [page])
  // Who begins something new has found what was looked for, or has not.
  useEffect(() => (page === 'new' ? clearFilter() : undefined), [page])
  const models = useOffers()?.models ?? []
  const model = models.find(({ id }) => id === (choices.value.model || defaultModel(models)))
  const isBuiltIn = model?.provider === 'built-in'
  /** Here, since the page was opened. */
  const isConnected = useSignal(false)
  const isFirst = listedSessions.value?.length === 0 && !isFiltered()
  const attached = draftFiles('new')
  const t = texts().task
  const { workflow } = choices.value
  const isEmpty = task.value.trim() === '' && attached.files.value.length === 0 && workflow === ''
  /** What is set is in sight. */
  const isOpen = useSignal(hasOptions(choices.value))
  const mayRun = may('run')
  const check = useRef<InputsCheck>(null)
  const begin = async () => {
    const wanted = task.value.trim()
    const files = attached.files.value
    if (isEmpty || !mayRun || check.current?.isWhole(wanted) === false) return
    const input = begunTaskInput(await withFiles(wanted, files), choices.value, isBuiltIn ? 'task' : 'model')
    const { session_id: id } = await sendOnce((key) => client.value.sessions.begin(input, { key }))
    sent(wanted)
    attached.remove(files)
    choices.value = keptChoices(choices.value)
    go(sessionAddress(id))
    void readSessions()
  }
  /** What is wrong with inputs stands at their fields. */
  const start = () =>
    run(() =>
      begin().catch((error: unknown) => {
        if (!check.current?.takes(error)) throw error
      }),
    )
  // What was written before that was known is not taken away.
  if (!mayRun && isEmpty)
    return (
      <section class="page new-task">
        <h1>{t.title}</h1>
        <p class="notice">{texts().key.runsNot}</p>
      </section>
    )
  return (
    <section class="page new-task">
      <h1>{t.title}</h1>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void start()
        }}
      >
        <ComposeRoom
          text={task}
          attached={attached}
          field={field}
          rows={3}
          label={t.title}
          placeholder={workflow === '' ? t.placeholder : t.placeholderWorkflow}
          onSend={() => field.current?.form?.requestSubmit()}
          chips={<TaskChips choices={choices} />}
          acts={
            <button type="submit" class="primary" disabled={isBusy.value || isEmpty || !mayRun}>
              {t.start}
            </button>
          }
        />
        {mayRun ? <ProblemLine text={problem.value} /> : <p class="notice">{texts().key.runsNot}</p>}
        {workflow === '' ? null : (
          <Later load={async () => (await import('./workflow-inputs.tsx')).WorkflowInputs} props={{ choices, check }} />
        )}
        <details
          class="options-fold"
          open={isOpen.value}
          onToggle={(event) => (isOpen.value ||= event.currentTarget.open)}
          // The browser shows what is wrong with a number only where it is in sight.
          onInvalidCapture={({ currentTarget }) => (currentTarget.open = true)}
        >
          <summary>{t.options}</summary>
          {isOpen.value ? (
            <Later load={async () => (await import('./task-options.tsx')).TaskOptions} props={{ choices }} />
          ) : null}
        </details>
      </form>
      {isEmpty && model && listedSessions.value && (isFirst || isBuiltIn || isConnected.value) ? (
        <Later
          load={async () => (await import('./first-minute.tsx')).FirstMinute}
          props={{ isBuiltIn, isFirst, isConnected, onTake: (hint: string) => (task.value = hint) }}
        />
      ) : null}
    </section>
  )
}
