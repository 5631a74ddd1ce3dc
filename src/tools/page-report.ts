import type { Language } from '../domain/language.ts'
import { paginate } from '../lib/paginate.ts'
import { focusOn } from '../reader/focus.ts'
import type { ReadPage } from '../reader/page.ts'
import { TEXTS } from './web-access-texts.ts'

/** Text of a page in one result; with what is written around it it stays within the output limit of a tool. */
const PAGE_SIZE = { charsMax: 6_000, linesMax: 440 }
const ADDRESS_CHARS_MAX = 300
const LABEL_CHARS_MAX = 150
const MARK_CHARS = 16

export interface ReportInput {
  url: string
  finalUrl: string
  page: ReadPage
  wanted: { focus: string | undefined; page: number }
  /** Unix ms. */
  time: number
  language: Language
  /** What else has to be said of how it was read. */
  notes: readonly string[]
  /** What no page can know of this call. */
  secret: string
}

export type Report = { ok: true; text: string } | { ok: false; reason: string }

/** What the model is given of a page: a header of ours, and everything of the page's between markers that it cannot forge. */
export async function pageReport(input: ReportInput): Promise<Report> {
  const texts = TEXTS[input.language]
  const { markdown, note } = chosenText(input)
  const pages = paginate(markdown, PAGE_SIZE)
  const body = pages[input.wanted.page - 1]
  if (body === undefined) return { ok: false, reason: texts.noSuchPage(input.wanted.page, pages.length) }
  const inside = [...labels(input), '', body].join('\n').trim()
  const mark = await unforgeableMark(input.secret, inside)
  const header = [
    texts.address + shortened(input.url, ADDRESS_CHARS_MAX),
    texts.time + new Date(input.time).toISOString(),
    pageLine(input, pages.length),
    ...[...input.notes, note].map((remark) => (remark === '' ? '' : texts.note + remark)),
    texts.untrusted,
  ].filter((line) => line !== '')
  const fenced = [`[${texts.begin} ${mark}]`, inside, `[${texts.end} ${mark}]`]
  return { ok: true, text: [...header, ...fenced].join('\n') }
}

/** The whole text, or the sections that match the focus when it is too long for one result. */
function chosenText({ page, wanted, language }: ReportInput): { markdown: string; note: string } {
  const { markdown } = page
  if (wanted.focus === undefined || markdown.length <= PAGE_SIZE.charsMax) return { markdown, note: '' }
  const focused = focusOn(markdown, wanted.focus)
  if (focused === null) return { markdown, note: TEXTS[language].notFocused }
  return { markdown: focused.markdown, note: TEXTS[language].focused(focused.kept, focused.total) }
}

function pageLine({ wanted, language }: ReportInput, pages: number): string {
  const texts = TEXTS[language]
  if (pages === 1) return ''
  return texts.page(wanted.page, pages) + (wanted.page < pages ? ` ${texts.next(wanted.page + 1)}` : '')
}

/** What the page says of itself; untrusted like its text. */
function labels({ page, url, finalUrl, language }: ReportInput): string[] {
  const texts = TEXTS[language]
  const redirected = withoutFragment(finalUrl) === withoutFragment(url) ? null : finalUrl
  const values: [string, string | null, number][] = [
    [texts.title, page.title, LABEL_CHARS_MAX],
    [texts.byline, page.byline, LABEL_CHARS_MAX],
    [texts.published, page.publishedTime, LABEL_CHARS_MAX],
    [texts.site, page.site, LABEL_CHARS_MAX],
    [texts.finalAddress, redirected, ADDRESS_CHARS_MAX],
  ]
  return values.flatMap(([label, value, max]) => (value === null ? [] : [label + shortened(value, max)]))
}

function withoutFragment(address: string): string {
  const url = URL.parse(address)
  if (url === null) return address
  url.hash = ''
  return url.href
}

function shortened(text: string, charsMax: number): string {
  return text.length <= charsMax ? text : `${text.slice(0, charsMax - 1)}…`
}

/** A mark that depends on all that stands between, so that no text can hold its own; and on what only this call knows. */
async function unforgeableMark(secret: string, inside: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(`${secret}\n${inside}`))
  const hex = [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  return hex.slice(0, MARK_CHARS)
}
