import { useSignal } from '@preact/signals'
import type { Page } from '../../client/http.ts'
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
/** All that a user may have. */
const PREFERENCES_MAX = 100

interface Remembered {
  user: string
  preferences: { key: string; value: string }[]
  rounds: Page<Round>
  tasks: Page<RememberedTask>
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
        memory.preferences(name, { limit: PREFERENCES_MAX }),
        memory.conversations(name),
        memory.tasks(name),
      ])
      found.value = { user: name, preferences: preferences.data, rounds, tasks }
    })
  const readOn = (next: () => Promise<Remembered>) => void run(async () => void (found.value = await next()))
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
      {found.value === null ? null : (
        <Found found={found.value} onForget={(...what) => void forget(...what)} onMore={readOn} />
      )}
    </div>
  )
}

interface FoundProps {
  found: Remembered
  onForget: (act: () => Promise<void>, user: string, row?: string) => void
  onMore: (next: () => Promise<Remembered>) => void
}

function Found({ found, onForget, onMore }: FoundProps) {
  const t = viewTexts().setup
  const { user, preferences, rounds, tasks } = found
  const { memory } = client.value
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
        entries={rounds.data.map((one) => ({ ...one, said: one.user_message, came: one.ai_response }))}
        onMore={afterPage(rounds, (cursor) =>
          onMore(async () => ({ ...found, rounds: joined(rounds, await memory.conversations(user, { cursor })) })),
        )}
      />
      <List
        title={t.tasks}
        entries={tasks.data.map(({ task_data: { task, result, status }, ...one }) => ({
          ...one,
          said: task,
          came: result,
          status,
        }))}
        onMore={afterPage(tasks, (cursor) =>
          onMore(async () => ({ ...found, tasks: joined(tasks, await memory.tasks(user, { cursor })) })),
        )}
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

const joined = <T,>(before: Page<T>, next: Page<T>): Page<T> => ({ ...next, data: [...before.data, ...next.data] })

/** What reads on behind a page; null: it is the last. */
const afterPage = ({ next_cursor: cursor }: Page<unknown>, read: (cursor: string) => void) =>
  cursor === null ? null : () => read(cursor)

/** What a user asked for in a run, and what came of it. */
interface Entry {
  session_id: string
  run_id: string
  timestamp: string
  said: string
  came: string | null
  status?: Status
}

interface ListProps {
  title: string
  entries: readonly Entry[]
  onMore: (() => void) | null
}

function List({ title, entries, onMore }: ListProps) {
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
      {onMore === null ? null : (
        <button type="button" onClick={onMore}>
          {texts().more}
        </button>
      )}
    </>
  )
}
