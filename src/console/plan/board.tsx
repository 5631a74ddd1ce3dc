import type { PlanTask, TaskStatus, TaskTeam } from '../../domain/plan.ts'
import { client, may, sendOnce } from '../api.ts'
import { durationText, listText, viewTexts, moneyText, texts } from '../language.ts'
import type { Followed } from '../sessions/followed.ts'
import { Markdown } from '../markdown/markdown.tsx'
import { ProblemLine, useAct } from '../ui/problem.tsx'
import { StatusMark, workerText } from '../ui/marks.tsx'

type Column = 'open' | 'running' | 'done' | 'failed' | 'left'

const COLUMNS: Record<TaskStatus, Column> = {
  pending: 'open',
  running: 'running',
  waiting: 'running',
  completed: 'done',
  failed: 'failed',
  skipped: 'left',
  cancelled: 'left',
}

/** The plan of a session: its sub-tasks by how they stand. */
export function Board({ session }: { session: Followed }) {
  const t = viewTexts().board
  const plan = session.head.value?.plan
  const { isBusy, problem, run } = useAct()
  if (!plan) return <p class="empty">{t.empty}</p>
  const act = (task: PlanTask, what: 'retry' | 'cancel') =>
    void run(async () => {
      const path = `/v1/sessions/${session.id}/tasks/${encodeURIComponent(task.id)}/${what}`
      const headers = { prefer: 'respond-async' }
      await sendOnce((key) =>
        client.value.json({ method: 'POST', path, headers: { ...headers, 'idempotency-key': key } }),
      )
      await session.refresh()
    })
  const isLeft = plan.tasks.some(({ status }) => COLUMNS[status] === 'left')
  const columns: readonly Column[] = ['open', 'running', 'done', 'failed', ...(isLeft ? (['left'] as const) : [])]
  return (
    <div class="board-room">
      <p class="board-head">
        {texts().chat.round(plan.round)} <StatusMark status={plan.status} />
      </p>
      <ProblemLine text={problem.value} />
      <div class="board">
        {columns.map((column) => {
          const tasks = plan.tasks.filter(({ status }) => COLUMNS[status] === column)
          return (
            <section key={column} aria-label={t.columns[column]}>
              <h2>
                {t.columns[column]} <span class="dim">{tasks.length}</span>
              </h2>
              {tasks.map((task) => (
                <Task key={task.id} task={task} all={plan.tasks} isBusy={isBusy.value} onAct={act} />
              ))}
            </section>
          )
        })}
      </div>
    </div>
  )
}

interface TaskProps {
  task: PlanTask
  all: readonly PlanTask[]
  isBusy: boolean
  onAct: (task: PlanTask, what: 'retry' | 'cancel') => void
}

function Task({ task, all, isBusy, onAct }: TaskProps) {
  const t = viewTexts().board
  const canRetry = task.status === 'failed' || task.status === 'cancelled'
  const canCancel = task.status === 'pending' || task.status === 'running' || task.status === 'waiting'
  return (
    <article class="card task" data-task={task.id}>
      <header>
        <span class="dim">{workerText(task)}</span>
        <StatusMark status={task.status} />
      </header>
      <h3>{task.description}</h3>
      <Facts task={task} all={all} />
      {task.team === undefined ? null : <AtWork team={task.team} />}
      {task.error === null ? null : <p class="problem">{viewTexts().failure.told(task.error)}</p>}
      {task.result === null ? null : (
        <details class="fold">
          <summary>{t.result}</summary>
          <Markdown text={task.result} />
        </details>
      )}
      {(canRetry || canCancel) && may('run') ? (
        <button type="button" disabled={isBusy} onClick={() => onAct(task, canRetry ? 'retry' : 'cancel')}>
          {canRetry ? t.retry : t.cancel}
        </button>
      ) : null}
    </article>
  )
}

/** The team that works at a task: its round, what it spent, and where its roles stand. */
function AtWork({ team }: { team: TaskTeam }) {
  const t = viewTexts().teams
  const money = team.spent === null ? '' : ` · ${t.spent} ${moneyText(team.spent)}`
  return (
    <p class="dim facts">
      {t.rounds} {team.round}/{team.n_round}
      {money}
      {team.roles.map(({ name, state }) => (
        <span key={name}>
          {' '}
          · {name} <span class="tag">{t.states[state] ?? state}</span>
        </span>
      ))}
    </p>
  )
}

function Facts({ task, all }: Pick<TaskProps, 'task' | 'all'>) {
  const t = viewTexts().board
  const { round, cost, started_time: started, ended_time: ended, depends_on: dependsOn = [] } = task
  const before = dependsOn.map((id) => all.findIndex((one) => one.id === id) + 1)
  const facts = [
    texts().chat.round(round),
    ...(started !== null && ended !== null ? [durationText(Date.parse(ended) - Date.parse(started))] : []),
    ...(cost === null ? [] : [moneyText(cost)]),
    ...(before.length === 0 ? [] : [`${t.dependsOn} ${listText(before.map((number) => `#${number}`))}`]),
  ]
  return (
    <p class="dim facts">
      #{all.indexOf(task) + 1} · {facts.join(' · ')}
    </p>
  )
}
