import type { Language } from '../domain/language.ts'
import { paginate } from '../lib/paginate.ts'
import { describeCut } from '../net/failure-texts.ts'
import { chooseBy, type Focused, focusOn, taskWords } from '../reader/focus.ts'
import { fence, shortened } from './fence.ts'
import type { VisitedPage } from './visit-page.ts'
import { TEXTS } from './web-access-texts.ts'

/** Text of a page in one result; with what is written around it it stays within the output limit of a tool. */
const PAGE_SIZE = { charsMax: 6_000, linesMax: 440 }
const ADDRESS_CHARS_MAX = 300
const LABEL_CHARS_MAX = 150
/** What the task's words choose has to be at least this long, else the text is given as it is. */
const CHOSEN_CHARS_MIN = 800

export interface ReportInput {
  url: string
  visited: VisitedPage
  /** `task`: the user's words, which choose from a long text when neither focus nor page is wanted. */
  wanted: { focus: string | undefined; page: number | undefined; task: string }
  language: Language
  /** It comes from the session's store, nothing was fetched. */
  isStored: boolean
  /** What no page can know of this call. */
  secret: string
}

export type Report = { ok: true; text: string } | { ok: false; reason: string }

/** What the model is given of a page: a header of ours, and everything of the page's between markers that it cannot forge. */
export async function pageReport(input: ReportInput): Promise<Report> {
  const texts = TEXTS[input.language]
  const { markdown, note } = chosenText(input)
  const pages = paginate(markdown, PAGE_SIZE)
  const number = input.wanted.page ?? 1
  const body = pages[number - 1]
  if (body === undefined) return { ok: false, reason: texts.noSuchPage(number, pages.length) }
  const inside = [...labels(input), '', body].join('\n').trim()
  const header = [
    texts.address + shortened(input.url, ADDRESS_CHARS_MAX),
    texts.time + new Date(input.visited.time).toISOString(),
    pageLine(number, pages.length, input.language),
    ...[...remarks(input), note].map((remark) => (remark === '' ? '' : texts.note + remark)),
    texts.untrusted,
  ].filter((line) => line !== '')
  return { ok: true, text: [...header, await fence(inside, texts.begin, texts.end, input.secret)].join('\n') }
}

/** What else has to be said of how it was read. */
function remarks({ visited: { cutAtBytes, page }, isStored, language }: ReportInput): string[] {
  const texts = TEXTS[language]
  const cut = cutAtBytes === null ? [] : [describeCut(cutAtBytes, language)]
  const lack = page.kind === 'binary' ? [texts.binary] : page.markdown === '' ? [texts.empty] : []
  return [...(isStored ? [texts.stored] : []), ...cut, ...lack]
}

/** The whole text, or the sections that match the focus, else the task, when it is too long for one result. */
function chosenText({ visited: { page }, wanted, language }: ReportInput): { markdown: string; note: string } {
  const { markdown } = page
  const whole = { markdown, note: '' }
  if (markdown.length <= PAGE_SIZE.charsMax) return whole
  const texts = TEXTS[language]
  if (wanted.focus !== undefined) {
    const focused = focusOn(markdown, wanted.focus)
    if (focused === null) return { markdown, note: texts.notFocused }
    return { markdown: focused.markdown, note: texts.focused(focused.kept, focused.total) }
  }
  const chosen = wanted.page === undefined ? chosenByTask(markdown, wanted.task) : null
  if (chosen === null) return whole
  return { markdown: chosen.markdown, note: texts.chosen(chosen.kept, chosen.total) }
}

/** One result's worth of what the task speaks of. Null: the task says too little, or the text too little about it. */
function chosenByTask(markdown: string, task: string): Focused | null {
  const words = taskWords(task)
  const chosen = words.length === 0 ? null : chooseBy(markdown, words, PAGE_SIZE.charsMax)
  return chosen === null || chosen.markdown.length < CHOSEN_CHARS_MIN ? null : chosen
}

function pageLine(page: number, pages: number, language: Language): string {
  const texts = TEXTS[language]
  if (pages === 1) return ''
  return texts.page(page, pages) + (page < pages ? ` ${texts.next(page + 1)}` : '')
}

/** What the page says of itself; untrusted like its text. */
function labels({ url, visited: { page, finalUrl }, language }: ReportInput): string[] {
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
