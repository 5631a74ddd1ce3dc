import { firstWithin, within, type XmlElement } from './xml.ts'

/** How a cell of a sheet shows its number: as a day or time, in hundredths, or with a sign of a currency before or behind it. */
export type NumberFormat = 'day' | 'percent' | { before: string; behind: string }

// Source: ECMA-376 part 1, 18.8.30: built-in formats of numbers that show days or times, and percents.
const BUILT_IN_DAYS: readonly (readonly [number, number])[] = [
  [14, 22],
  [27, 36],
  [45, 45],
  [47, 47],
  [50, 58],
]
const BUILT_IN_PERCENTS: ReadonlySet<number> = new Set([9, 10])

/** Text, colours and conditions, and what fills a cell or is as wide as a letter. */
const NO_CODE = /"[^"]*"|\\.|\[[^\]]*\]|[_*]./g
/** Time that has passed: hours beyond a day. */
const ELAPSED = /\[(?:h+|m+|s+)\]/i
/** A sign of a currency, by itself or with its country: `[$€-407]`. */
const CURRENCY = /\[\$([^\]-]{1,8})[^\]]*\]|([$€£¥₹₩])/

/** A country without a sign of its currency: `[$-409]`. */
const COUNTRY_ALONE = /\[\$-[^\]]*\]/g

/** The formats of a book by the number of the style of a cell; styles that show numbers as they are have none. */
export function formatsOf(styles: XmlElement | null): Map<number, NumberFormat> {
  const formats = new Map<number, NumberFormat>()
  if (styles === null) return formats
  const own = new Map<number, NumberFormat | null>()
  for (const { attributes } of within(styles, 'numFmt'))
    own.set(Number(attributes['numFmtId']), formatOf(attributes['formatCode'] ?? ''))
  for (const [index, { attributes }] of [...within(firstWithin(styles, 'cellXfs') ?? styles, 'xf')].entries()) {
    const id = Number(attributes['numFmtId'])
    const format = own.has(id) ? own.get(id) : builtIn(id)
    if (format) formats.set(index, format)
  }
  return formats
}

function builtIn(id: number): NumberFormat | null {
  if (BUILT_IN_PERCENTS.has(id)) return 'percent'
  return BUILT_IN_DAYS.some(([from, to]) => id >= from && id <= to) ? 'day' : null
}

/** `code`: as a book writes it, such as `0.0%`, `yyyy-mm-dd` or `#,##0.00 "€"`; what is behind a semicolon is for negative numbers. */
function formatOf(code: string): NumberFormat | null {
  const bare = code.replace(NO_CODE, '')
  if (/^general/i.test(bare)) return null
  if (/[ymdh]/i.test(bare)) return ELAPSED.test(code) ? null : 'day'
  if (bare.includes('%')) return 'percent'
  const [first = ''] = code.replace(COUNTRY_ALONE, '').split(';')
  const currency = CURRENCY.exec(first)
  const digits = first.replace(/\[[^\]]*\]/g, (part) => ' '.repeat(part.length)).search(/[0#?]/)
  if (currency === null || digits < 0) return null
  const sign = (currency[1] ?? currency[2] ?? '').trim()
  return currency.index < digits ? { before: sign, behind: '' } : { before: '', behind: ` ${sign}` }
}

/** `value`: as the cell has it; what is no number stays as it is. */
export function cellNumber(value: string, format: NumberFormat, from1904: boolean): string {
  const number = Number(value)
  if (value.trim() === '' || !Number.isFinite(number)) return value
  if (format === 'day') return dayText(number, from1904) ?? value
  if (format === 'percent') return `${Number((100 * number).toPrecision(DIGITS))}%`
  return number < 0
    ? `-${format.before}${value.replace('-', '')}${format.behind}`
    : format.before + value + format.behind
}

/** Digits of a number that programs show: what is behind them comes of counting in binary. Source: Excel's "Specifications and limits". */
const DIGITS = 15

const DAY_MS = 86_400_000
/** Between 1899-12-30, from which days are counted, or 1904-01-01, and 1970. */
const DAYS_BEFORE_1970 = 25_569
const DAYS_1904 = 1_462

function dayText(days: number, from1904: boolean): string | null {
  const time = new Date(Math.round((days + (from1904 ? DAYS_1904 : 0) - DAYS_BEFORE_1970) * DAY_MS))
  if (Number.isNaN(time.getTime())) return null
  const [day = '', clock = ''] = time.toISOString().slice(0, 16).split('T')
  if (days < 1) return clock
  return clock === '00:00' ? day : `${day} ${clock}`
}
