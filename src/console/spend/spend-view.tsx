import { useSignal, type Signal } from '@preact/signals'
import type { UsageSum, BudgetInfo } from '../../client/client.ts'
import type { Money } from '../../domain/usage.ts'
import { client } from '../api.ts'
import { moneyText, numberText, texts } from '../language.ts'
import { useLoaded } from '../ui/loaded.tsx'
import { ProblemLine } from '../ui/problem.tsx'

const BY = ['day', 'model', 'user', 'skill', 'session'] as const
type By = (typeof BY)[number]
const DAY_MS = 86_400_000
const DAYS = 30

/** What was spent: tokens and money by day, model, user, skill or session. */
export function SpendView() {
  const t = texts().spendView
  const by = useSignal<By>('day')
  const from = useSignal(new Date(Date.now() - DAYS * DAY_MS).toISOString().slice(0, 10))
  const rows = useLoaded(
    async () => ({ by: by.value, ...(await client.value.usage({ by: by.value, from: from.value, limit: 100 })) }),
    [by.value, from.value],
  )
  const { data: found = [], budgets = [], by: shown = by.value } = rows.value.value ?? {}
  return (
    <section class="page spend">
      <h1>{t.title}</h1>
      <Choice by={by} from={from} />
      <ProblemLine text={rows.problem.value} />
      {budgets.length === 0 ? null : <Budgets budgets={budgets} />}
      {rows.value.value !== null && found.length === 0 ? <p class="empty">{t.empty}</p> : null}
      {found.length === 0 ? null : <Sums rows={found} first={t[shown]} />}
    </section>
  )
}

function Choice({ by, from }: { by: Signal<By>; from: Signal<string> }) {
  const t = texts().spendView
  return (
    <div class="acts">
      <div class="switch" role="group" aria-label={t.by}>
        {BY.map((one) => (
          <button type="button" key={one} aria-pressed={one === by.value} onClick={() => (by.value = one)}>
            {t[one]}
          </button>
        ))}
      </div>
      <label>
        {t.from}{' '}
        <input
          type="date"
          value={from.value}
          onChange={(event) => event.currentTarget.value && (from.value = event.currentTarget.value)}
        />
      </label>
    </div>
  )
}

const amounts = ({ cost }: UsageSum): Money[] => (cost === null ? [] : Array.isArray(cost) ? cost : [cost])
/** Of the first currency: a chart has one unit. */
const amountOf = (row: UsageSum) => amounts(row)[0]?.amount ?? 0

function Sums({ rows, first }: { rows: readonly UsageSum[]; first: string }) {
  const t = texts().spendView
  const bars = (of: (row: UsageSum) => number) => rows.map((row): Bar => ({ name: row.key ?? '—', value: of(row) }))
  const isPriced = rows.some((row) => amounts(row).length > 0)
  return (
    <>
      <Bars title={t.tokens} bars={bars((row) => row.total_tokens)} text={numberText} />
      {isPriced ? <Bars title={t.cost} bars={bars(amountOf)} text={numberText} /> : null}
      <Table rows={rows} first={first} />
    </>
  )
}

function Table({ rows, first }: { rows: readonly UsageSum[]; first: string }) {
  const t = texts().spendView
  return (
    <div class="table-room" tabIndex={0} role="region" aria-label={t.title}>
      <table>
        <thead>
          <tr>
            {[first, t.cost, t.tokens, t.calls, t.toolCalls].map((name) => (
              <th key={name}>{name}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.key}>
              <td class="key">{row.key ?? '—'}</td>
              <td>{amounts(row).map(moneyText).join(' + ') || (row.unpriced_models ? t.unpriced : '—')}</td>
              <td>{numberText(row.total_tokens)}</td>
              <td>{numberText(row.model_calls)}</td>
              <td>{numberText(row.tool_calls)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** One bound of a budget. `left` and `max` in tokens or in money; `text` says so. */
interface Line {
  name: string
  left: number
  max: number
  text: string
}

const PERIODS = ['day', 'month'] as const

/** What may be spent, and what is left of it. */
export function Budgets({ budgets }: { budgets: readonly BudgetInfo[] }) {
  const t = texts().spendView
  return (
    <section class="budgets" aria-label={t.budgets}>
      <h2>{t.budgets}</h2>
      {budgets.flatMap(linesOf).map(({ name, left, max, text }) => (
        <div key={name} class="budget">
          <span>{name}</span>
          <meter min={0} max={max} low={max / 5} optimum={max} value={left} aria-label={name} />
          <span class="facts">{text}</span>
        </div>
      ))}
    </section>
  )
}

function linesOf(budget: BudgetInfo): Line[] {
  const t = texts().spendView
  return PERIODS.flatMap((period) => {
    const { max_total_tokens: tokens, max_cost: cost } = budget.limits[period] ?? {}
    const left = budget.remaining[period]
    const name = `${t.budgetOf[budget.of]} · ${t.period[period]}`
    const lines: Line[] = []
    if (tokens !== undefined) {
      const rest = left?.max_total_tokens ?? tokens
      const text = t.leftOf(numberText(rest), numberText(tokens))
      lines.push({ name: `${name} · ${t.tokens}`, left: rest, max: tokens, text })
    }
    if (cost) {
      const rest = left?.max_cost ?? cost
      const text = t.leftOf(moneyText(rest), moneyText(cost))
      lines.push({ name: `${name} · ${t.cost}`, left: rest.amount, max: cost.amount, text })
    }
    return lines
  })
}

export interface Bar {
  name: string
  value: number
}

const WIDTH = 720
const HEIGHT = 140
const GAP = 3
const BARS_MAX = 60

/** A bar for each value, the highest as high as the chart. The table below it says the same in words. */
export function Bars({ title, bars, text }: { title: string; bars: readonly Bar[]; text: (value: number) => string }) {
  const shown = bars.slice(0, BARS_MAX)
  const highest = Math.max(...shown.map(({ value }) => value), Number.MIN_VALUE)
  const step = Math.min(48, WIDTH / shown.length)
  return (
    <figure class="bars">
      <figcaption>{title}</figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={title}>
        {shown.map(({ name, value }, index) => {
          const height = (value / highest) * (HEIGHT - 4)
          return (
            <rect
              key={name}
              x={index * step}
              y={HEIGHT - height}
              width={Math.max(1, step - GAP)}
              height={height}
              rx={2}
            >
              <title>{`${name}: ${text(value)}`}</title>
            </rect>
          )
        })}
      </svg>
    </figure>
  )
}
