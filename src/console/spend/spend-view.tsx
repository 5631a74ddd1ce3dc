import { useSignal, type Signal } from '@preact/signals'
import type { UsageSum } from '../../client/client.ts'
import type { Money } from '../../domain/usage.ts'
import { client } from '../api.ts'
import { moneyText, numberText, texts } from '../language.ts'
import { useLoaded } from '../ui/loaded.tsx'
import { ProblemLine } from '../ui/problem.tsx'
import { type Bar, Bars } from './bars.tsx'
import { Budgets } from './budgets.tsx'

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
