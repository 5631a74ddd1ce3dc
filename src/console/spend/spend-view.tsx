import { useSignal } from '@preact/signals'
import type { Page } from '../../client/client.ts'
import type { Money, Usage } from '../../domain/usage.ts'
import { client } from '../api.ts'
import { moneyText, numberText, texts } from '../language.ts'
import { useLoaded } from '../ui/loaded.ts'
import { ProblemLine } from '../ui/problem.tsx'
import { Bars, type Bar } from './bars.tsx'
import { Budgets, type Budget } from './budgets.tsx'

const BY = ['day', 'model', 'user', 'session'] as const
const DAY_MS = 86_400_000
const DAYS = 30

interface Row extends Omit<Usage, 'cost'> {
  key: string | null
  cost: Money | Money[] | null
}

interface UsagePage extends Page<Row> {
  budgets?: Budget[]
}

/** What was spent: tokens and money by day, model, user or session. */
export function SpendView() {
  const t = texts().spendView
  const by = useSignal<(typeof BY)[number]>('day')
  const from = useSignal(new Date(Date.now() - DAYS * DAY_MS).toISOString().slice(0, 10))
  const query = { by: by.value, from: from.value, limit: 100 }
  const rows = useLoaded(() => client.value.json<UsagePage>({ path: '/v1/usage', query }), [by.value, from.value])
  const { data: found = [], budgets = [] } = rows.value.value ?? {}
  const bars = (of: (row: Row) => number) => found.map((row): Bar => ({ name: row.key ?? '—', value: of(row) }))
  return (
    <section class="page spend">
      <h1>{t.title}</h1>
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
      <ProblemLine text={rows.problem.value} />
      {budgets.length === 0 ? null : <Budgets budgets={budgets} />}
      {rows.value.value !== null && found.length === 0 ? <p class="empty">{t.empty}</p> : null}
      {found.length === 0 ? null : (
        <>
          <Bars title={t.tokens} bars={bars((row) => row.total_tokens)} text={numberText} />
          {found.some((row) => amounts(row).length > 0) ? (
            <Bars title={t.cost} bars={bars(amountOf)} text={numberText} />
          ) : null}
          <Table rows={found} first={t[by.value]} />
        </>
      )}
    </section>
  )
}

const amounts = ({ cost }: Row): Money[] => (cost === null ? [] : Array.isArray(cost) ? cost : [cost])
/** Of the first currency: a chart has one unit. */
const amountOf = (row: Row) => amounts(row)[0]?.amount ?? 0

function Table({ rows, first }: { rows: readonly Row[]; first: string }) {
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
              <td>{row.key ?? '—'}</td>
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
