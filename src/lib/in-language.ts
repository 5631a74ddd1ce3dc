/** Amounts and words beside each other as a person reads them, by the numbers, units and signs of a language. */

/** Chinese has full-width signs of its own; all others take those of English. */
const isChinese = (language: string) => language.startsWith('zh')

const UNITS = {
  en: { ms: 'ms', s: 's', min: 'min' },
  zh: { ms: '毫秒', s: '秒', min: '分钟' },
} as const

/** A count, with a sign between thousands. */
export const countIn = (language: string, count: number): string => new Intl.NumberFormat(language).format(count)

/** A duration in ms: `340 ms`, `2.4 s`, `3 min`. */
export function durationIn(language: string, ms: number): string {
  const units = UNITS[isChinese(language) ? 'zh' : 'en']
  if (ms < 1_000) return `${ms} ${units.ms}`
  return ms < 60_000 ? `${(ms / 1_000).toFixed(1)} ${units.s}` : `${Math.round(ms / 60_000)} ${units.min}`
}

/** What has gone by so far, in whole seconds. */
export const secondsIn = (language: string, seconds: number): string =>
  `${seconds} ${UNITS[isChinese(language) ? 'zh' : 'en'].s}`

/** Money with the sign of its currency, or its name; less than a hundredth with the digits that say something. */
export function moneyIn(language: string, { amount, currency }: { amount: number; currency: string }): string {
  const isTiny = amount !== 0 && Math.abs(amount) < 0.01
  const digits = isTiny ? { maximumSignificantDigits: 2 } : { maximumFractionDigits: 2 }
  // In English CN¥ is a sign that few know, and ¥ that of the yen: the name of the currency says which it is.
  const currencyDisplay = language === 'en' && currency !== 'USD' ? 'code' : 'symbol'
  return new Intl.NumberFormat(language, { style: 'currency', currency, currencyDisplay, ...digits }).format(amount)
}

/** Names in a row. */
export const listIn = (language: string, names: readonly string[]): string =>
  names.join(isChinese(language) ? '、' : ', ')

/** What could each be a sentence, in a row. */
export const clausesIn = (language: string, clauses: readonly string[]): string =>
  clauses.join(isChinese(language) ? '；' : '; ')

/** Words about a thing, behind it. */
export const toldIn = (language: string, what: string, words: string): string =>
  isChinese(language) ? `${what}：${words}` : `${what}: ${words}`

/** The same in brackets. */
export const asideIn = (language: string, what: string, words: string): string =>
  isChinese(language) ? `${what}（${words}）` : `${what} (${words})`
