import { IMAGE_TYPES } from '../../domain/content.ts'
import type { Language } from '../../domain/language.ts'
import type { Now } from '../../domain/ports.ts'
import type { ToolContext, OutputLimits } from '../../domain/tool.ts'
import {
  describeFailure,
  type GuardedFetch,
  type GuardedOutcome,
  type GuardedResponse,
  describeCut,
} from '../../net/outcome.ts'
import type { ReadPage } from '../../reader/page.ts'
import type { Renderer } from './render.ts'
import { readSource } from '../../reader/read-source.ts'
import { TEXTS } from './report-texts.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { PageSize } from '../../lib/paginate.ts'
import { focusOn } from '../../reader/focus.ts'
import { type KindOfText, partsOf } from '../../reader/parts.ts'
import { fence } from '../../lib/fence.ts'
import { cutText } from '../../lib/text.ts'

export interface VisitPorts {
  fetch: GuardedFetch
  now: Now
  /** Of one visit, redirects included; of one decoded body. */
  settings: { timeoutMs: number; bodyBytesMax: number }
  /** Who is asked for a page that shows nothing without its scripts; absent: nobody. */
  render?: Rendering | undefined
  /** Default: `readSource`. */
  read?: typeof readSource
}

/** A rendering service, and how long it may take. `service` gives null where its key is missing. */
export interface Rendering {
  timeoutMs: number
  service(): Promise<Renderer | null>
}

/** A page as it was read at `time` (Unix ms). `cutAtBytes`: only so much of it was read; null: all. */
export interface VisitedPage {
  finalUrl: string
  status: number
  time: number
  cutAtBytes: number | null
  page: ReadPage
  /** The bytes of what is an image; absent: it is none, or was not read whole. */
  image?: Uint8Array<ArrayBuffer>
  /** Of a page that shows nothing without its scripts: `true`, it is given as a browser elsewhere showed it; else why it is not. */
  rendered?: boolean | string | undefined
}

type PageVisit = { ok: true; visited: VisitedPage } | { ok: false; reason: string }

const USER_AGENT = 'Mozilla/5.0 (compatible; yaa)'
const ACCEPT = 'text/html,application/xhtml+xml,application/json;q=0.9,text/*;q=0.8,application/xml;q=0.8,*/*;q=0.5'
const ACCEPT_LANGUAGE: Record<Language, string> = { 'zh-CN': 'zh-CN,zh;q=0.9,en;q=0.5', en: 'en;q=0.9,*;q=0.5' }

/** Fetch an address through the guard and read what came; a failure says why in `language`. */
export async function visitPage(
  ports: VisitPorts,
  url: string,
  { language, signal, barsRedirect }: Pick<ToolContext, 'language' | 'signal' | 'barsRedirect'>,
): Promise<PageVisit> {
  const { fetch, now, settings, read = readSource } = ports
  const headers = { accept: ACCEPT, 'accept-language': ACCEPT_LANGUAGE[language], 'user-agent': USER_AGENT }
  const bars = (target: string) => barsRedirect(url, target)
  const outcome = await fetch(url, { headers, ...settings, barsRedirect: bars, signal })
  const response = readable(outcome)
  if (response === null) return { ok: false, reason: outcome.ok ? '' : describeFailure(outcome, language) }
  if (response.status >= 300) return { ok: false, reason: TEXTS[language].status(response.status) }
  const contentType = response.headers.get('content-type')
  const size = outcome.ok ? null : declaredSize(response)
  const page = await read({ bytes: response.bytes, contentType, url: response.url, size })
  const cutAtBytes = outcome.ok ? null : settings.bodyBytesMax
  const image = outcome.ok && IMAGE_TYPES.has(page.mediaType) ? { image: response.bytes } : {}
  const visited = { finalUrl: response.url, status: response.status, time: now(), cutAtBytes, page, ...image }
  if (page.type?.name !== 'shell') return { ok: true, visited }
  return { ok: true, visited: await asRendered(ports, visited, { language, signal }) }
}

/** The page as a browser elsewhere shows it, where there is one and it shows more. */
async function asRendered(
  { render: rendering, settings, read = readSource }: VisitPorts,
  visited: VisitedPage,
  { language, signal }: Pick<ToolContext, 'language' | 'signal'>,
): Promise<VisitedPage> {
  const service = (await rendering?.service()) ?? null
  if (service === null) return visited
  const { render } = await import('./render.ts')
  const rendered = await render(service, visited.finalUrl, { bodyBytesMax: settings.bodyBytesMax, language, signal })
  if (!rendered.ok) return { ...visited, rendered: rendered.reason }
  const bytes = new TextEncoder().encode(rendered.html)
  const page = await read({ bytes, contentType: 'text/html; charset=utf-8', url: visited.finalUrl })
  if (!showsMore(page, visited.page)) return { ...visited, rendered: true }
  return { ...visited, page, cutAtBytes: rendered.isCut ? settings.bodyBytesMax : null, rendered: true }
}

/** A service may show a wall or an error where the page itself had a few words. */
const MORE = 1.5

function showsMore(rendered: ReadPage, first: ReadPage): boolean {
  return rendered.text.length > first.text.length * MORE
}

/** Bytes of the whole body by its header; null where that is missing or means the packed body. */
function declaredSize({ headers }: GuardedResponse): number | null {
  const length = headers.get('content-length') ?? ''
  return headers.has('content-encoding') || !/^\d{1,15}$/.test(length) ? null : Number(length)
}

/** The answer, or as much of one as the cap let through. */
function readable(outcome: GuardedOutcome): GuardedResponse | null {
  if (outcome.ok) return outcome.response
  return outcome.code === 'too_large' ? outcome.partial : null
}

/** What is written around the text of a page is shorter. */
const AROUND = { chars: 2_000, lines: 60 }
const PAGE_SIZE_MIN = { charsMax: 500, linesMax: 20 }
const ADDRESS_CHARS_MAX = 300
const LABEL_CHARS_MAX = 150
interface ReportInput {
  url: string
  visited: VisitedPage
  /** Neither: the whole text, however long it is. */
  wanted: { focus: string | undefined; page: number | undefined }
  language: Language
  /** What a report of a part has to fit into. */
  output: OutputLimits
  /** It comes from the session's store, nothing was fetched. */
  isStored: boolean
  /** Where the image is kept that it is, and that the model is shown; absent: it is none. */
  shownAs?: string
  /** What no page can know of this call. */
  secret: string
}

export type VisitOutcome = { ok: true; text: string } | { ok: false; reason: string }

/** What the model is given of a page: a header of ours, and everything of the page's between markers that it cannot forge. */
export async function pageReport(input: ReportInput): Promise<VisitOutcome> {
  const texts = TEXTS[input.language]
  const size = pageSize(input.output)
  const { note, ...chosen } = chosenText(input, size)
  const pages = partsOf(chosen, size)
  const isWhole = givesWhole(input)
  const number = input.wanted.page ?? 1
  const body = isWhole ? chosen.markdown : pages[number - 1]
  if (body === undefined) return { ok: false, reason: texts.noSuchPage(number, pages.length) }
  const inside = [...labels(input), '', body].join('\n').trim()
  const header = [
    texts.address + cutText(input.url, ADDRESS_CHARS_MAX),
    texts.time + new Date(input.visited.time).toISOString(),
    typeLine(input.visited.page, input.language),
    isWhole ? wholeLine(pages.length, input.language) : pageLine(number, pages.length, input.language),
    ...[...remarks(input), note].map((remark) => (remark === '' ? '' : texts.note + remark)),
    texts.untrusted,
  ].filter((line) => line !== '')
  return { ok: true, text: [...header, await fence(inside, texts.begin, texts.end, input.secret)].join('\n') }
}

/** Which kind of page it is and how sure that is; nothing where it is no page. */
function typeLine({ type }: ReadPage, language: Language): string {
  return type === undefined ? '' : TEXTS[language].type(TEXTS[language].types[type.name], Math.round(100 * type.sure))
}

/** The text of a page in one result: as much as its limits let through together with what is written around it. */
function pageSize({ charsMax, linesMax, strategy }: OutputLimits): PageSize {
  const { pageOutputCharsMax, pageOutputLinesMax } = LIMITS.web
  const chars = strategy === 'none' ? pageOutputCharsMax : Math.min(charsMax, pageOutputCharsMax)
  const lines = strategy === 'none' ? pageOutputLinesMax : Math.min(linesMax, pageOutputLinesMax)
  return {
    charsMax: Math.max(chars - AROUND.chars, PAGE_SIZE_MIN.charsMax),
    linesMax: Math.max(lines - AROUND.lines, PAGE_SIZE_MIN.linesMax),
  }
}

/** Without a wish all of the text is given. What is over the limits of the tool is cut to what the task speaks of. A tool whose results are
 *  not cut gives pages. */
function givesWhole({ wanted: { focus, page }, output }: ReportInput): boolean {
  return focus === undefined && page === undefined && output.strategy !== 'none'
}

/** What else has to be said of how it was read. */
function remarks({ visited: { cutAtBytes, page, rendered }, isStored, shownAs, language }: ReportInput): string[] {
  const texts = TEXTS[language]
  const isShell = page.type?.name === 'shell'
  const cut = cutAtBytes === null ? [] : [describeCut(cutAtBytes, language)]
  const browser = rendered === true && !isShell ? [texts.rendered] : isShell ? [texts.shell(rendered)] : []
  const isUnread = page.kind === 'binary' && shownAs === undefined
  const shown = shownAs === undefined ? [] : [texts.shown(shownAs)]
  const lack = isUnread ? [texts.binary] : page.markdown === '' && !isShell ? [texts.empty] : []
  return [...(isStored ? [texts.stored] : []), ...cut, ...browser, ...shown, ...lack]
}

/** The whole text, or the sections that match the focus when it is too long for one result. */
function chosenText(
  { visited: { page }, wanted, language }: ReportInput,
  { charsMax }: PageSize,
): KindOfText & { note: string } {
  const { kind, markdown } = page
  if (wanted.focus === undefined || markdown.length <= charsMax) return { kind, markdown, note: '' }
  const texts = TEXTS[language]
  const focused = focusOn(page, wanted.focus)
  if (focused === null) return { kind, markdown, note: texts.notFocused }
  return { kind: 'text', markdown: focused.markdown, note: texts.focused(focused.kept, focused.total) }
}

function wholeLine(pages: number, language: Language): string {
  return pages === 1 ? '' : TEXTS[language].whole(pages)
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
  return values.flatMap(([label, value, max]) => (value === null ? [] : [label + cutText(value, max)]))
}

function withoutFragment(address: string): string {
  const url = URL.parse(address)
  if (url === null) return address
  url.hash = ''
  return url.href
}
