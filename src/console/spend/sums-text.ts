import type { UsageSum } from '../../client/client.ts'
import type { Money, UsageKey } from '../../domain/usage.ts'

export type By = UsageKey

const DAY_MS = 86_400_000
/** So many days are drawn at most. */
const DAYS_MAX = 366

export const sumAmounts = ({ cost }: UsageSum): Money[] => (cost === null ? [] : Array.isArray(cost) ? cost : [cost])

/** What of a sum is in a currency. */
export const sumIn = (sum: UsageSum, currency: string): number =>
  sumAmounts(sum).find((one) => one.currency === currency)?.amount ?? 0

export const currenciesOf = (sums: readonly UsageSum[]): string[] => [
  ...new Set(sums.flatMap((sum) => sumAmounts(sum).map(({ currency }) => currency))),
]

export const moneyTotals = (sums: readonly UsageSum[]): Money[] =>
  currenciesOf(sums).map((currency) => ({
    currency,
    amount: sums.reduce((all, sum) => all + sumIn(sum, currency), 0),
  }))

const NOTHING = { total_tokens: 0, model_calls: 0, tool_calls: 0, cost: null }
type DaySum = Pick<UsageSum, 'key' | keyof typeof NOTHING>

/** Each day from one until `until`, in order, those on which nothing was spent too. */
export function withEmptyDays(sums: readonly UsageSum[], from: string, until = Date.now()): UsageSum[] {
  const known = new Map(sums.map((sum) => [sum.key, sum]))
  const [template] = sums
  if (!template) return []
  const last = Math.floor(until / DAY_MS) * DAY_MS
  const first = Math.max(Date.parse(from), last - (DAYS_MAX - 1) * DAY_MS)
  const days: UsageSum[] = []
  for (let time = first; time <= last; time += DAY_MS) {
    const key = new Date(time).toISOString().slice(0, 10)
    const empty: DaySum = { ...NOTHING, key }
    days.push(known.get(key) ?? { ...template, ...empty })
  }
  return days
}

/** The end of an axis: the next of 1, 2, 4 and 8 times a power of ten, which four parts divide well. */
export function niceTop(highest: number): number {
  if (highest <= 0) return 1
  const power = 10 ** Math.floor(Math.log10(highest))
  return ([1, 2, 4, 8].find((step) => step * power >= highest) ?? 10) * power
}

const COUNTS = [
  'total_tokens',
  'prompt_tokens',
  'completion_tokens',
  'cached_tokens',
  'model_calls',
  'tool_calls',
] as const

/** The sums as RFC 4180 has them: a column for each count, and one for each currency. */
export function spendCsv(by: By, sums: readonly UsageSum[]): string {
  const currencies = currenciesOf(sums)
  const head = [by, ...COUNTS, ...currencies.map((currency) => `cost_${currency.toLowerCase()}`)]
  const rows = sums.map((sum) => [
    cell(sum.key ?? ''),
    ...COUNTS.map((name) => String(sum[name])),
    ...currencies.map((currency) => String(sumIn(sum, currency))),
  ])
  return [head, ...rows].map((row) => `${row.join(',')}\r\n`).join('')
}

/** A text in quotes where it needs them. What a spreadsheet would take for a formula is made a text. */
function cell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
