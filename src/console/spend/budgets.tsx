import type { BudgetInfo } from '../../client/client.ts'
import { viewTexts, moneyText, numberText } from '../language.ts'

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
  const t = viewTexts().spendView
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
  const t = viewTexts().spendView
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
