import type { Resolve } from './addresses.ts'
import { markdownOf } from './markdown.ts'
import { attribute, type ElementNode, type PageNode } from './node.ts'
import type { PageType } from './page-type.ts'
import { plainText } from './plain-text.ts'
import { SIGN } from './signs.ts'
import { keepShape } from './shapes.ts'
import { SignReader } from './sign-reader.ts'
import { TAG } from './tags.ts'

/** Elements behind a title that are looked at, and letters of others that may stand before what introduces its text: who wrote it and when. */
const ELEMENTS_MAX = 60
const BETWEEN_CHARS_MAX = 250
const CHARS_MIN = 20
const CHARS_MAX = 700
/** Of the text of a question. */
const QUESTION_CHARS_MAX = 6_000
const LINK_SHARE_MAX = 0.3

/** What authors of pages call the lines below a title that say what its text is about. */
const NAMED =
  /(?:^|-)(?:sub-?titles?|sub-?headlines?|sub-?heading|stand-?first|strap-?line|dec?k|lede?|lead-?(?:text|in|paragraph)?|teaser(?:-?text)?|chapo|chapeau|vorspann|anrei(?:ss|ß)er|entradilla|bajada|excerpt|summary|intro(?:duction)?|dachzeile|kicker-?text|description|alternative-?headline|sommario|occhiello|ingress)(?:$|-)/
/** Names of what is no text of its author, and of parts of the words above. */
const OTHERS =
  /(?:^|-)(?:images?|img|photos?|pictures?|videos?|audio|media|captions?|figure|forms?|authors?|bylines?|bio|meta|share|sharing|social|newsletter|ad|ads|promo|related|comments?|date|time|tags?|category|breadcrumbs?|nav|menu|gallery|rating|price|button|cta|player|podcast|toc)(?:$|-)/
const OF_QUESTION = /(?:^|-)question-(?:[a-z]+-)*(?:details?|text|content|body|description)(?:$|-)/

const NOT_SHOWN = SIGN.hidden | SIGN.consent | SIGN.boilerplate | SIGN.pagination
const NO_LINES: ReadonlySet<string> = new Set('h1 h2 h3 h4 h5 h6 img table ul ol dl figure form time'.split(' '))
const ELSEWHERE: ReadonlySet<string> = new Set(['figure', 'form', 'table'])

/** Where it is sought: behind the title of a page, on a page of the kind that it is. */
interface Sought {
  signs: SignReader
  type: PageType['name']
  byline: string | null
}

/** Kinds of pages whose text may be introduced so: below the name of a product or of a listing stand other things. */
const KINDS: ReadonlySet<PageType['name']> = new Set(['article', 'documentation', 'forum', 'service'])

/** Looks for what introduces the text of a page right below its title, or says more of the question that a thread asks. */
class Search {
  readonly #signs: SignReader
  readonly #isThread: boolean
  #elements = 0
  #between = 0

  constructor({ signs, type }: Sought) {
    this.#signs = signs
    this.#isThread = type === 'forum'
  }

  get #isOver(): boolean {
    return this.#elements > ELEMENTS_MAX || this.#between > BETWEEN_CHARS_MAX
  }

  behind(heading: ElementNode): ElementNode | null {
    for (let at = heading; at.parent !== null && at.name !== 'main' && !this.#isOver; at = at.parent) {
      const { children } = at.parent
      const found = this.#among(children, children.indexOf(at) + 1)
      if (found !== null) return found
    }
    return null
  }

  #among(nodes: readonly PageNode[], from: number): ElementNode | null {
    for (let index = from; index < nodes.length && !this.#isOver; index += 1) {
      const node = nodes[index]
      const found = node === undefined || typeof node === 'string' ? null : this.#visit(node)
      if (found !== null) return found
    }
    return null
  }

  #visit(node: ElementNode): ElementNode | null {
    this.#elements += 1
    if (node.chars === 0 || (this.#signs.readNames(node) & SIGN.hidden) !== 0) return null
    const names = node.attributes.length > 0 ? namesOf(node) : ''
    const isBeside = (node.signs & NOT_SHOWN) !== 0 || (node.bits & TAG.boilerplate) !== 0 || ELSEWHERE.has(node.name)
    if (!isBeside && isStandfirst(node, names, this.#isThread)) return node
    const isOther = isBeside || OTHERS.test(names)
    const found = isOther ? null : this.#among(node.children, 0)
    this.#between += isOther ? node.chars : node.ownChars
    return found
  }
}

function isStandfirst(node: ElementNode, names: string, isThread: boolean): boolean {
  const { chars, linkChars, parent, controls } = node
  const isOfQuestion = isThread && OF_QUESTION.test(names)
  const isUnderHeading = parent?.name === 'hgroup'
  if (!isOfQuestion && !isUnderHeading && !NAMED.test(names)) return false
  if (!isOfQuestion && OTHERS.test(names)) return false
  if (chars < CHARS_MIN || chars > (isOfQuestion ? QUESTION_CHARS_MAX : CHARS_MAX)) return false
  return controls === 0 && linkChars <= LINK_SHARE_MAX * chars && (isOfQuestion || isLines(node))
}

/** Whether it holds text alone. */
function isLines({ children }: ElementNode): boolean {
  return children.every((child) => typeof child === 'string' || (!NO_LINES.has(child.name) && isLines(child)))
}

/** Class and property of an element, its words apart by dashes. */
function namesOf({ attributes }: ElementNode): string {
  const written = `${attribute(attributes, 'class') ?? ''} ${attribute(attributes, 'itemprop') ?? ''}`
  return written
    .replace(/([a-z\d])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replace(/[^\p{L}\d]+/gu, '-')
}

/** Letters by which a line is known in the text of the page. */
const KNOWN_CHARS = 40

/** What a page says right below its title: its lines, and its Markdown. */
export interface Standfirst {
  lines: readonly string[]
  markdown: string
}

/** Read before anything is left out of the tree. */
export function readStandfirst(heading: ElementNode, sought: Sought, resolve: Resolve): Standfirst | null {
  const node = KINDS.has(sought.type) ? new Search(sought).behind(heading) : null
  if (node === null) return null
  const lines = plainText(node).split('\n')
  return isOfAuthor(lines[0] ?? '', sought.byline) ? null : { lines, markdown: markdownOf(node, resolve) }
}

/** Whether it says who the author is, whose name stands above it. */
function isOfAuthor(line: string, byline: string | null): boolean {
  const [given = ''] = (byline ?? '').split(' ')
  return given !== '' && line.startsWith(`${given} `)
}

/** The Markdown of a page with its standfirst before it, where none of it is read yet; one that is cut is the beginning of the text. */
export function withStandfirst(markdown: string, standfirst: Standfirst | null, text: string): string {
  if (standfirst === null || /(?:\.{3}|…|\[…\])$/.test(standfirst.lines.at(-1) ?? '')) return markdown
  const isSaid = standfirst.lines.some((line) => text.includes(line.slice(0, KNOWN_CHARS)))
  return isSaid || standfirst.markdown === '' ? markdown : `${standfirst.markdown}\n\n${markdown}`.trim()
}

keepShape(new Search({ signs: new SignReader(), type: 'article', byline: null }))
