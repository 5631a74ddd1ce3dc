/** Names of months by their first letters, in the languages that write them as words; no two of different months begin alike. */
const MONTHS: readonly string[] = [
  'jan|janv|ene|gen|sty|янв|ιαν|led',
  'feb|fév|fev|febr|lut|фев|φεβ|úno',
  'mar|mär|maer|mrz|mrt|maa|март|μαρ|bře',
  'apr|abr|avr|kwi|апр|απρ|dub',
  'may|mai|mei|mag|maj|мая|май|μαΐ|kvě',
  'jun|juin|giu|cze|июн|ιουν|čer',
  'jul|juil|lug|lip|июл|ιουλ|čvc',
  'aug|ago|aoû|aou|sie|авг|αυγ|srp',
  'sep|set|wrz|сен|σεπ|zář',
  'oct|okt|ott|out|paź|paz|окт|οκτ|říj',
  'nov|lis|ноя|νοε',
  'dec|dez|dic|déc|gru|дек|δεκ|pro',
]

const MONTH_OF: ReadonlyMap<string, number> = new Map(
  MONTHS.flatMap((names, index) => names.split('|').map((name) => [name, index + 1] as const)),
)
/** Words that begin like a month. */
const MONTH = String.raw`(\p{L}{3,10})\.?`
const DAY = String.raw`(\d{1,2})(?:st|nd|rd|th|\.|\xba|er)?`
const YEAR = String.raw`((?:19|20)\d{2})(?!\d)`

/** How days are written, the surest first, each with the places of year, month and day in it. */
const FORMS: readonly { form: RegExp; year: number; month: number; day: number }[] = [
  {
    form: new RegExp(String.raw`(?<!\d)((?:19|20)\d{2})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)`, 'u'),
    year: 1,
    month: 2,
    day: 3,
  },
  { form: /((?:19|20)\d{2})\s?[年년]\s?(\d{1,2})\s?[月월]\s?(\d{1,2})\s?[日일]/u, year: 1, month: 2, day: 3 },
  { form: new RegExp(String.raw`(?<![\d\p{L}])${MONTH}\s+${DAY},?\s+${YEAR}`, 'iu'), year: 3, month: 1, day: 2 },
  {
    form: new RegExp(
      String.raw`(?<![\d\p{L}])${DAY}\s*[-/]?\s*(?:de |d')?${MONTH}\s*[-/]?,?\s*(?:de |del )?${YEAR}`,
      'iu',
    ),
    year: 3,
    month: 2,
    day: 1,
  },
  { form: new RegExp(String.raw`(?<![\d.])(\d{1,2})\.\s?(\d{1,2})\.\s?${YEAR}`, 'u'), year: 3, month: 2, day: 1 },
  { form: new RegExp(String.raw`(?<![\d/])(\d{1,2})[-/](\d{1,2})[-/]${YEAR}`, 'u'), year: 3, month: 1, day: 2 },
  { form: /(?<![\d/])(\d{1,2})\/(\d{1,2})\/(\d{2})(?![\d/])/u, year: 3, month: 1, day: 2 },
]

/** What a forum says of who wrote: since when they take part. */
export const OF_MEMBERS =
  /^(?:date )?(?:joined?|join date|member since|registered|registriert|(?:mitglied|dabei) seit|beigetreten|inscrit|inscription|miembro desde|注册|註冊|加入|入会|登録日)/i

/** `day` as `YYYY-MM-DD`; where it stands in the text. */
export interface FoundDay {
  day: string
  start: number
  end: number
}

/** The first form of a day in a short text; null: there is none. Of two numbers alone the first is the month, unless only the second can be. */
export function findDay(text: string): FoundDay | null {
  YEAR_AT.lastIndex = 0
  for (let tries = 0; tries < YEARS_MAX; tries += 1) {
    const year = YEAR_AT.exec(text)
    if (year === null) return null
    const from = Math.max(0, year.index - AROUND_YEAR)
    const found = dayIn(text.slice(from, year.index + AROUND_YEAR))
    if (found !== null) return { ...found, start: from + found.start, end: from + found.end }
  }
  return null
}

/** Whether a text may tell a day, whatever parts its words. */
export function mayTellDay(text: string): boolean {
  return YEAR_ANYWHERE.test(text)
}

/** Every form has a year, or a slash before one. */
const YEAR_ANYWHERE = /(?:19|20)\d{2}|\d\/\d{2}(?!\d)/
const YEAR_AT = new RegExp(YEAR_ANYWHERE, 'g')
const YEARS_MAX = 4
/** Letters before and after a year that may tell the day. */
const AROUND_YEAR = 26

/** Whatever its form, a day has a number beside the year. */
const TWO_NUMBERS = /\d\D+\d/

function dayIn(text: string): FoundDay | null {
  if (!TWO_NUMBERS.test(text)) return null
  for (const { form, year, month, day } of FORMS) {
    const found = form.exec(text)
    if (found === null) continue
    const written = dayOf(found[year] ?? '', found[month] ?? '', found[day] ?? '')
    if (written !== null) return { day: written, start: found.index, end: found.index + found[0].length }
  }
  return null
}

function dayOf(year: string, month: string, day: string): string | null {
  const [first, second] = [monthNumber(month), Number(day)]
  const isTurned = first > 12 && second <= 12 && /^\d+$/.test(month)
  const [monthOfYear, dayOfMonth] = isTurned ? [second, first] : [first, second]
  const fullYear = year.length === 2 ? 2_000 + Number(year) : Number(year)
  const time = new Date(Date.UTC(fullYear, monthOfYear - 1, dayOfMonth))
  const isReal = monthOfYear >= 1 && time.getUTCMonth() === monthOfYear - 1 && time.getUTCDate() === dayOfMonth
  return isReal ? `${fullYear}-${twoDigits(monthOfYear)}-${twoDigits(dayOfMonth)}` : null
}

function twoDigits(number: number): string {
  return number < 10 ? `0${number}` : String(number)
}

/** 0: the word is no month. */
function monthNumber(word: string): number {
  if (/^\d+$/.test(word)) return Number(word)
  const lower = word.toLowerCase()
  return MONTH_OF.get(lower.slice(0, 4)) ?? MONTH_OF.get(lower.slice(0, 3)) ?? 0
}

const ISO_TIME = /^((?:19|20)\d{2}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2})?)(?:\.\d+)?\s?(Z|[+-]\d{2}:?\d{2})?/

/** A time that a page tells in one of its forms, as ISO 8601: the day, with the hour where it is written so. Null: no day is in it. */
export function isoTime(text: string): string | null {
  const iso = ISO_TIME.exec(text.trim().replace(/^"/, ''))
  if (iso !== null && findDay(iso[1] ?? '') !== null)
    return `${iso[1]}T${iso[2]}${(iso[3] ?? '').replace(/^(...)(\d\d)$/, '$1:$2')}`
  return findDay(text)?.day ?? null
}

const DAY_OF_ADDRESS = /\/((?:19|20)\d{2})[/-]?(\d{2})[/-]?(\d{2})(?:[/_-]|$)/
/** `2024-05-03` as a part of the last name in a path. */
const DAY_IN_NAME = /(?:^|[/_-])((?:19|20)\d{2})-(\d{2})-(\d{2})(?:[/_.+-]|$)/

/** A year; or what is no part of an address when it is parsed, and may stand within a year. */
const MAY_TELL_DAY = /(?:19|20)\d{2}|[\t\n\r]/

/** The day in the path of an address, as many sites of articles have it. */
export function dayOfAddress(url: string): string | null {
  if (!MAY_TELL_DAY.test(url)) return null
  const path = URL.parse(url)?.pathname ?? ''
  const found = DAY_OF_ADDRESS.exec(path) ?? DAY_IN_NAME.exec(path)
  return found === null ? null : dayOf(found[1] ?? '', found[2] ?? '', found[3] ?? '')
}
