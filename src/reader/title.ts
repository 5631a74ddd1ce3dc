import type { Resolve } from './addresses.ts'
import { shownText } from './around-title.ts'
import { attribute, collapse, type ElementNode } from './node.ts'

/** Letters of a heading that may be a title. */
const HEADING_CHARS_MAX = 400

interface TitleInput {
  /** `<title>`, white space collapsed. */
  titled: string
  site: string | null
  /** What `<meta>` and JSON-LD call the page. */
  told: readonly (string | null)[]
  headings: readonly ElementNode[]
  resolve: Resolve
}

interface Title {
  title: string | null
  /** As the head of the page tells it. */
  titleInHead: string | null
  /** The heading that says the same. */
  heading: ElementNode | null
}

/** The title of a page: its heading, where one of them says what its title says, else the title without the name of the site. */
export function chooseTitle({ titled, site, told, headings, resolve }: TitleInput): Title {
  const titles = [titled, ...told].filter((title) => title !== null && title !== '')
  const known = new Set(titles.flatMap((title) => [...wordsOf(title ?? '')]))
  const behind = lastPart(titled)
  let best: { heading: ElementNode; text: string; share: number } | null = null
  for (const heading of headings) {
    const text = collapse(shownText(heading)).replace(/\u00ad|\s*[¶#]$/gu, '')
    if (text === '' || text.length > HEADING_CHARS_MAX || isSite(text, site) || isSite(text, behind)) continue
    if (leadsHome(heading, resolve)) continue
    const share = shareOf(wordsOf(text), known)
    if (best === null || share > best.share) best = { heading, text, share }
  }
  const bare = withoutSite(told[0] ?? titled, site) || withoutSite(titled, site) || (told[1] ?? '')
  const titleInHead = bare || null
  const isSame = best !== null && (best.share >= SAME_SHARE || bare === '')
  if (best === null || !isSame) return { title: titleInHead, titleInHead, heading: null }
  const { text } = best
  const bareText = titles.find((one) => one !== null && text.endsWith(one) && LABEL.test(text.slice(0, -one.length)))
  return { title: bareText ?? withoutSite(text, site), titleInHead, heading: best.heading }
}

/** Whether a heading is a link to the first page of its site: then it is the site's name. */
function leadsHome(heading: ElementNode, resolve: Resolve): boolean {
  const around = [heading, heading.parent, heading.parent?.parent ?? null]
  const link = around.find((node) => node?.name === 'a') ?? firstLink(heading)
  const address = resolve(attribute(link?.attributes ?? [], 'href'))
  const url = address === null ? null : URL.parse(address)
  return url !== null && url.pathname === '/' && url.search === ''
}

function firstLink(node: ElementNode): ElementNode | null {
  if (node.linkChars < LINKED_SHARE_MIN * node.chars) return null
  for (const child of node.children) {
    if (typeof child === 'string') continue
    const link = child.name === 'a' ? child : firstLink(child)
    if (link !== null) return link
  }
  return null
}

const LINKED_SHARE_MIN = 0.9

/** What a heading says before the title. */
const LABEL = /^\p{L}{2,20}\s?[:：]\s*$/u
/** Share of a heading's words that the title has from which they say the same. */
const SAME_SHARE = 0.5

function shareOf(words: ReadonlySet<string>, known: ReadonlySet<string>): number {
  if (words.size === 0) return 0
  let shared = 0
  for (const word of words) if (known.has(word)) shared += 1
  return shared / words.size
}

/** Words; characters where no spaces are written. */
function wordsOf(text: string): Set<string> {
  return new Set(text.toLowerCase().match(ASCII.test(text) ? ASCII_WORDS : WORDS))
}

const WORDS = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]|[\p{L}\p{N}]+/gu
/** The same of a text without other characters, which is sooner found. */
const ASCII_WORDS = /[a-z\d]+/g
const ASCII = /^[\0-\x7f]*$/

/** Marks between the parts of a title. */
const MARKS = /\s+[|–—·»«•:›>/-]\s+|\s*[|｜]\s*|\s+::\s+|\s*[_＿](?=[^_]{2,20}$)/gu

/** A title without the name of the site before or behind it. */
function withoutSite(title: string, site: string | null): string {
  const parts = title.split(MARKS).filter((part) => part !== '')
  const marks = [...title.matchAll(MARKS)]
  if (parts.length < 2 || marks.length === 0) return title
  const [first = '', last = ''] = [parts[0], parts.at(-1)]
  const lastMark = marks.at(-1)
  const before = title.slice(0, lastMark?.index)
  if (isSite(last, site)) return withoutSite(before, site)
  if (isSite(first, site)) return title.slice((marks[0]?.index ?? 0) + (marks[0]?.[0].length ?? 0))
  const mark = lastMark?.[0].trim() ?? ''
  const isShort = wordsOf(last).size <= SITE_WORDS_MAX && wordsOf(before).size >= Math.max(2, wordsOf(last).size)
  return isShort && mark !== ':' ? before : title
}

/** What stands behind the last mark of a title of two words and more: the name of the site or of a part of it, even where that is a heading. */
function lastPart(title: string): string | null {
  const parts = title.split(MARKS)
  return parts.length > 1 && wordsOf(parts[0] ?? '').size > 1 ? (parts.at(-1) ?? null) : null
}

const SITE_WORDS_MAX = 5

function isSite(text: string, site: string | null): boolean {
  return site !== null && [...wordsOf(text)].join('') === [...wordsOf(site)].join('')
}
