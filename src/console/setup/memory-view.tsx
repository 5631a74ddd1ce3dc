import { useSignal } from '@preact/signals'
import type { RememberedTask, Round } from '../../domain/memory.ts'
import type { Status } from '../../domain/run.ts'
import { client } from '../api.ts'
import { momentText, viewTexts, texts } from '../language.ts'
import { sessionAddress } from '../route.ts'
import { besideRow, goOnAt, openerOf, rowOf } from '../ui/form-focus.tsx'
import { StatusMark } from '../ui/marks.tsx'
import { ProblemLine, useAct } from '../ui/problem.tsx'
import { navTexts } from '../setup-parts/nav-texts.ts'

/** Shows what is remembered. */
const SHOW = 'memory'
const rowName = (key: string) => `memory.${key}`

interface Remembered {
  user: string
  preferences: { key: string; value: string }[]
  rounds: Round[]
  tasks: RememberedTask[]
}

/** What is remembered of a user, and the means to forget it. */
export function MemoryView() {
  const t = viewTexts().setup
  const user = useSignal('')
  const found = useSignal<Remembered | null>(null)
  const { isBusy, problem, run } = useAct()
  const read = (name: string) =>
    run(async () => {
      const { memory } = client.value
      const [preferences, rounds, tasks] = await Promise.all([
        memory.preferences(name),
        memory.conversations(name),
        memory.tasks(name),
      ])
      found.value = { user: name, preferences: preferences.data, rounds: rounds.data, tasks: tasks.data }
    })
  const forget = async (act: () => Promise<void>, name: string, row = '') => {
    const beside = besideRow(row)
    if ((await run(act)) && (await read(name))) goOnAt(...beside, { opener: SHOW })
  }
  return (
    <div class="resources">
      <p class="hint">{navTexts().whatFor['memory']}</p>
      <form
        class="acts"
        onSubmit={(event) => {
          event.preventDefault()
          if (user.value.trim() !== '') void read(user.value.trim())
        }}
      >
        <input
          aria-label={t.user}
          placeholder={t.user}
          value={user.value}
          onInput={(event) => (user.value = event.currentTarget.value)}
        />
        <button type="submit" {...openerOf(SHOW)} disabled={isBusy.value || user.value.trim() === ''}>
          {t.show}
        </button>
      </form>
      <ProblemLine text={problem.value} />
      {found.value === null ? null : <Found found={found.value} onForget={(...what) => void forget(...what)} />}
    </div>
  )
}

interface FoundProps {
  found: Remembered
  onForget: (act: () => Promise<void>, user: string, row?: string) => void
}

function Found({ found: { user, preferences, rounds, tasks }, onForget }: FoundProps) {
  const t = viewTexts().setup
  return (
    <>
      <h2>{t.preferences}</h2>
      {preferences.length === 0 ? <p class="dim">{t.none}</p> : null}
      {preferences.map(({ key, value }) => (
        <article class="card" key={key} {...rowOf(rowName(key))}>
          <header>
            <strong>{key}</strong> {value}
            <button
              type="button"
              class="quiet danger"
              onClick={() => onForget(() => client.value.memory.deletePreference(user, key), user, rowName(key))}
            >
              {texts().remove}
            </button>
          </header>
        </article>
      ))}
      <List
        title={t.conversations}
        entries={rounds.map((one) => ({ ...one, said: one.user_message, came: one.ai_response }))}
      />
      <List
        title={t.tasks}
        entries={tasks.map(({ task_data: { task, result, status }, ...one }) => ({
          ...one,
          said: task,
          came: result,
          status,
        }))}
      />
      <button
        type="button"
        class="danger"
        onClick={() => confirm(t.forgetAsk) && onForget(() => client.value.memory.clear(user), user)}
      >
        {t.forget}
      </button>
    </>
  )
}

/** What a user asked for in a run, and what came of it. */
interface Entry {
  session_id: string
  run_id: string
  timestamp: string
  said: string
  came: string | null
  status?: Status
}

function List({ title, entries }: { title: string; entries: readonly Entry[] }) {
  const t = viewTexts().setup
  return (
    <>
      <h2>{title}</h2>
      {entries.length === 0 ? <p class="dim">{t.none}</p> : null}
      {entries.map(({ session_id: session, run_id: run, timestamp, said, came, status }) => (
        <article class="card" key={run}>
          <header>
            <strong>{said}</strong>
            {status === undefined ? null : <StatusMark status={status} />}
          </header>
          {came === null ? null : (
            <p class="remembered" tabIndex={0} role="group" aria-label={said}>
              {came}
            </p>
          )}
          <p class="dim">
            <time dateTime={timestamp}>{momentText(timestamp)}</time> <a href={sessionAddress(session)}>{t.open}</a>
          </p>
        </article>
      ))}
    </>
  )
}
