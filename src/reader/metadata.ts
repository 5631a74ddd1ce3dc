import type { Resolve } from './addresses.ts'
import { type Around, PageLook, shownText } from './around-title.ts'
import type { Tree } from './build-tree.ts'
import { cleanName, isHandle, isNameAlone, isNameOnly, nameSaid, SEAM, toldName } from './bylines.ts'
import { dayOfAddress, findDay, isoTime, mayTellDay, OF_MEMBERS } from './dates.ts'
import { type LinkedData, readLinkedData } from './linked-data.ts'
import { attribute, collapse, type ElementNode } from './node.ts'
import type { PageMetadata } from './page.ts'
import { chooseTitle } from './title.ts'

const CHARS_MAX = 500
const TITLE_CHARS_MAX = 2_000
/** Share of running text from which whoever is named anywhere, or any day, may be that of the page. */
const PROSE_SHARE_MIN = 0.2

interface ReadMetadata extends PageMetadata {
  titleInHead: string | null
  /** The element that says the title. */
  heading: ElementNode | null
  articleBody: string | null
  product: LinkedData['product']
  /** Types of JSON-LD, and texts in it. */
  types: readonly string[]
  innerTypes: readonly string[]
  texts: readonly string[]
}

/** What a page tells of itself in JSON-LD, in `<meta>`, by what its elements mean and by what it shows around its title. */
export function readMetadata({ head, root, headings }: Tree, resolve: Resolve, url = ''): ReadMetadata {
  const { meta } = head
  const titled = clean(head.title?.slice(0, TITLE_CHARS_MAX)) ?? ''
  const said = readLinkedData(head.jsonLd, titled)
  const site = clean(meta.get('site') ?? said.site)
  const told = [meta.get('title'), said.title].map(clean)
  const { title, titleInHead, heading } = chooseTitle({ titled, site, told, headings, resolve })
  const canonicalUrl = resolve(head.canonical) ?? resolve(meta.get('canonicalUrl'))
  const look = new PageLook(root)
  const page: Page = {
    near: heading === null ? look.whole() : look.around(heading),
    whole: () => (heading !== null && root.prose >= PROSE_SHARE_MIN * root.chars ? look.whole() : null),
    said,
    site,
  }
  return {
    title,
    titleInHead,
    heading,
    byline: bylineOf(page, toldName(meta.get('byline'))),
    publishedTime: timeOf(page, [meta.get('publishedTime'), said.publishedTime], [url, canonicalUrl ?? '']),
    language: clean(head.language ?? said.language ?? meta.get('language')?.replace('_', '-')),
    site,
    articleBody: said.articleBody,
    product: said.product,
    types: said.types,
    innerTypes: said.innerTypes,
    texts: said.texts,
    canonicalUrl,
  }
}

interface Page {
  /** What it shows around its title. */
  near: Around
  /** All that it shows; null: that was `near`, or it has hardly any running text, and what is shown anywhere speaks of something else. */
  whole: () => Around | null
  said: LinkedData
  site: string | null
}

/** Who is said to have written by the page as it is shown, then by what only machines read, then whoever is named near the title, then anywhere. */
function bylineOf({ near, whole, said, site }: Page, told: string | null): string | null {
  const linked = toldName(said.byline)
  const isPerson = (name: string | null) =>
    name !== null && name.toLowerCase() !== site?.toLowerCase() && !isHandle(name)
  if (said.isThread && linked !== null) return linked
  const shown = nameInLines(near.lines)
  if (shown !== null)
    return firstOf([linked, told], (name) => (isBegun(shown, name) || goesOn(shown, name) ? name : null)) ?? shown
  if (isPerson(linked) && !said.isByNobody) return linked
  const named = firstOf(near.authors, nameIn)
  if (named !== null) return named
  if (isPerson(told)) return told
  return aloneByDay(near.lines) ?? linked ?? told ?? namedIn(whole())
}

/** Whether more than a name is shown, such as what somebody does. */
function isBegun(shown: string, name: string | null): boolean {
  return name !== null && shown.length > name.length && shown.startsWith(name)
}

/** Whether others are told behind the one that is shown first. */
function goesOn(shown: string, name: string | null): boolean {
  return name?.startsWith(`${shown}, `) === true
}

/** The first name that a line says, or the line below one that says that it follows. */
function nameInLines(lines: readonly string[]): string | null {
  return firstOf(lines, (line, index) => {
    const said = nameSaid(line)
    if (said !== '') return said
    const below = lines[index + 1] ?? ''
    return isNameOnly(below) ? below : null
  })
}

/** A name alone on its line, with a day on a line next to it. */
function aloneByDay(lines: readonly string[]): string | null {
  const isByDay = (index: number) => [-2, -1, 1, 2].some((step) => dayOfLine(lines[index + step] ?? '') !== null)
  return lines.find((line, index) => isNameAlone(line) && isByDay(index)) ?? null
}

function namedIn(around: Around | null): string | null {
  if (around === null) return null
  return firstOf(around.authors, nameIn) ?? firstOf(around.lines, (line) => nameSaid(line) || null)
}

/** The name in an element that names an author: of what it marks as one within it, or all that it says. */
function nameIn(node: ElementNode): string | null {
  const text = collapse(shownText(node, SEAM))
  const said = nameSaid(text)
  if (said !== null && said !== '') return said
  const inner = innerName(node)
  return cleanName(inner === null ? text : collapse(shownText(inner, SEAM)))
}

/** The innermost of the first elements within that are links or called names; one letter is a picture of somebody. */
function innerName(node: ElementNode): ElementNode | null {
  for (const child of node.children) {
    if (typeof child === 'string' || child.chars < 2) continue
    const inner = innerName(child)
    if (inner !== null) return inner
    const { name, attributes } = child
    if (name === 'a' || attribute(attributes, 'itemprop') === 'name') return child
    if (/name|author/i.test(attribute(attributes, 'class') ?? '')) return child
  }
  return null
}

/** When the page is said to have been published, as ISO 8601. The day in an address is that of the place where it was written. */
function timeOf({ near, whole, said }: Page, told: readonly (string | null)[], urls: readonly string[]): string | null {
  const day = firstOf(urls, dayOfAddress)
  const written = firstOf(told, (text) => (text === null ? null : isoTime(text)))
  if (written !== null) return day !== null && isNextDay(day, written) ? day : written
  return (
    day ??
    firstOf(near.days, (node) => (isPublishing(node) ? dayIn(node) : null)) ??
    firstOf(near.lines, dayOfLine) ??
    firstOf(near.days, dayIn) ??
    dayAnywhere(whole()) ??
    (said.modifiedTime === null ? null : isoTime(said.modifiedTime))
  )
}

function dayAnywhere(around: Around | null): string | null {
  if (around === null) return null
  const times = around.days.filter(({ name }) => name === 'time')
  return firstOf(times, dayIn) ?? firstOf(around.lines, (line) => (isMostlyDay(line) ? dayOfLine(line) : null))
}

/** Letters of a line that tells a day; a longer one is of the text. */
const DAY_LINE_CHARS_MAX = 160
/** Letters of a line that tells hardly anything else, and the share of the day in it. */
const DAY_ALONE_CHARS_MAX = 60
const DAY_ALONE_SHARE = 0.4

function dayOfLine(line: string): string | null {
  if (line.length > DAY_LINE_CHARS_MAX || !mayTellDay(line) || OF_MEMBERS.test(line)) return null
  return findDay(line.replaceAll(SEAM, ' '))?.day ?? null
}

function isMostlyDay(line: string): boolean {
  const day = line.length <= DAY_ALONE_CHARS_MAX ? findDay(line) : null
  return day !== null && day.end - day.start >= DAY_ALONE_SHARE * line.length
}

function isPublishing({ attributes }: ElementNode): boolean {
  return /^date(?:Published|Created)$/.test(attribute(attributes, 'itemprop') ?? '')
}

function dayIn(node: ElementNode): string | null {
  const machine = attribute(node.attributes, 'datetime') ?? attribute(node.attributes, 'content')
  return isoTime(machine ?? '') ?? isoTime(collapse(shownText(node)))
}

const DAY_MS = 24 * 3_600_000

/** The same moment is one day here and the next in Greenwich. */
function isNextDay(day: string, time: string): boolean {
  return Math.abs(Date.parse(time.slice(0, 10)) - Date.parse(day)) === DAY_MS
}

function firstOf<T, R>(values: readonly T[], of: (value: T, index: number) => R | null): R | null {
  let index = 0
  for (const value of values) {
    const found = of(value, index)
    if (found !== null) return found
    index += 1
  }
  return null
}

function clean(text: string | null | undefined): string | null {
  return (text && collapse(text.slice(0, CHARS_MAX).replaceAll('\u00ad', ''))) || null
}
