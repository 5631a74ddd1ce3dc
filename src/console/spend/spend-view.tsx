import { useSignal, type Signal } from '@preact/signals'
import type { UsageSum } from '../../client/client.ts'
import { saveAs } from '../api.ts'
import { viewTexts, moneyText, numberText, texts } from '../language.ts'
import { sessionAddress } from '../route.ts'
import { useLoaded } from '../ui/loaded.tsx'
import { ProblemLine } from '../ui/problem.tsx'
import { Budgets } from './budgets.tsx'
import { Columns, Lines } from './charts.tsx'
import { readSums } from './sums.ts'
import { sumIn, sumAmounts, type By, spendCsv, currenciesOf, moneyTotals, withEmptyDays } from './sums-text.ts'

const BY = ['day', 'model', 'user', 'skill', 'session'] as const satisfies readonly By[]
const DAY_MS = 86_400_000
const RANGES = [7, 30, 90] as const

const dayBefore = (days: number) => new Date(Date.now() - (days - 1) * DAY_MS).toISOString().slice(0, 10)

/** What was spent: tokens and money by day, model, user, skill or session. */
export function SpendView() {
  const t = viewTexts().spendView
  const by = useSignal<By>('day')
  const from = useSignal(dayBefore(30))
  const found = useLoaded(
    async () => ({ by: by.value, from: from.value, ...(await readSums(by.value, from.value)) }),
    [by.value, from.value],
  )
  const loaded = found.value.value
  const sums = loaded?.sums ?? []
  return (
    <section class="page spend">
      <header class="part-head">
        <h1>{t.title}</h1>
        {sums.length === 0 ? null : (
          <button type="button" onClick={() => download(by.value, sums)}>
            {t.download}
          </button>
        )}
      </header>
      <Choice by={by} from={from} />
      <ProblemLine text={found.problem.value} />
      {loaded && loaded.budgets.length > 0 ? <Budgets budgets={loaded.budgets} /> : null}
      {loaded && sums.length === 0 ? (
        <div class="card first-act">
          <p>{t.empty}</p>
          <a class="button primary" href="#/new">
            {t.firstTask}
          </a>
        </div>
      ) : null}
      {loaded === null || sums.length === 0 ? null : <Sums {...loaded} />}
    </section>
  )
}

function download(by: By, sums: readonly UsageSum[]): void {
  const named = sums.map((sum) => ({ ...sum, key: sum.key ?? viewTexts().spendView.nobody[by] }))
  saveAs(new Blob([spendCsv(by, named)], { type: 'text/csv;charset=utf-8' }), `usage-by-${by}.csv`)
}

function Choice({ by, from }: { by: Signal<By>; from: Signal<string> }) {
  const t = viewTexts().spendView
  return (
    <div class="acts spend-choice">
      <div class="switch" role="group" aria-label={t.by}>
        {BY.map((one) => (
          <button type="button" key={one} aria-pressed={one === by.value} onClick={() => (by.value = one)}>
            {t[one]}
          </button>
        ))}
      </div>
      <div class="switch" role="group" aria-label={t.range}>
        {RANGES.map((days) => (
          <button
            type="button"
            key={days}
            aria-pressed={from.value === dayBefore(days)}
            onClick={() => (from.value = dayBefore(days))}
          >
            {t.days(days)}
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

interface SumsProps {
  sums: readonly UsageSum[]
  by: By
  from: string
  /** Of sessions, by their ids. */
  titles: ReadonlyMap<string, string>
}

/** What a sum is of; a session without a title is named by its id. */
const nameOf = ({ key }: UsageSum, { by, titles }: Pick<SumsProps, 'by' | 'titles'>): string =>
  key === null ? viewTexts().spendView.nobody[by] : (titles.get(key) ?? key)

function Sums({ sums, by, from, titles }: SumsProps) {
  const t = viewTexts().spendView
  const Chart = by === 'day' ? Columns : Lines
  const shown = by === 'day' ? withEmptyDays(sums, from) : sums
  const bars = (of: (sum: UsageSum) => number) =>
    shown.map((sum) => ({ name: nameOf(sum, { by, titles }), value: of(sum) }))
  const tokens = sums.reduce((all, sum) => all + sum.total_tokens, 0)
  const calls = sums.reduce((all, sum) => all + sum.model_calls, 0)
  const totals = moneyTotals(sums)
  return (
    <>
      <dl class="totals">
        <div>
          <dt>{t.cost}</dt>
          <dd>{totals.map(moneyText).join(' + ') || t.unpriced}</dd>
        </div>
        <div>
          <dt>{t.tokens}</dt>
          <dd>{numberText(tokens)}</dd>
        </div>
        <div>
          <dt>{t.calls}</dt>
          <dd>{numberText(calls)}</dd>
        </div>
      </dl>
      {currenciesOf(sums).map((currency) => (
        <Chart
          key={currency}
          title={texts().aside(t.cost, currency)}
          bars={bars((sum) => sumIn(sum, currency))}
          text={(amount) => moneyText({ amount, currency })}
        />
      ))}
      <Chart title={t.tokens} bars={bars((sum) => sum.total_tokens)} text={numberText} />
      <Table sums={sums} by={by} titles={titles} />
    </>
  )
}

function Table({ sums, by, titles }: Omit<SumsProps, 'from'>) {
  const t = viewTexts().spendView
  return (
    <div class="table-room" tabIndex={0} role="region" aria-label={t.title}>
      <table>
        <thead>
          <tr>
            {[t[by], t.cost, t.tokens, t.calls, t.toolCalls].map((name) => (
              <th key={name}>{name}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {sums.map((sum) => (
            <tr key={sum.key}>
              <td class="key">
                {by === 'session' && sum.key !== null ? (
                  <a href={sessionAddress(sum.key)}>{nameOf(sum, { by, titles })}</a>
                ) : (
                  nameOf(sum, { by, titles })
                )}
              </td>
              <td>{sumAmounts(sum).map(moneyText).join(' + ') || (sum.unpriced_models ? t.unpriced : '—')}</td>
              <td>{numberText(sum.total_tokens)}</td>
              <td>{numberText(sum.model_calls)}</td>
              <td>{numberText(sum.tool_calls)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
