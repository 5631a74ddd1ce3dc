import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2'
import { createResolve } from './addresses.ts'
import { buildTree } from './build-tree.ts'
import { collapse } from './node.ts'
import { NO_METADATA, type PageMetadata } from './page.ts'
import { plainText } from './plain-text.ts'

/** An element of a feed or another XML document with its own text. */
interface XmlField {
  name: string
  text: string
  attributes: ReadonlyMap<string, string>
}

const NO_ATTRIBUTES: ReadonlyMap<string, string> = new Map()
const FIELDS_MAX = 120_000
/** Of a sitemap only these are kept, so that all of its addresses are. */
const SITEMAP_FIELDS: ReadonlySet<string> = new Set(['urlset', 'sitemapindex', 'loc', 'lastmod'])
const FEEDS: ReadonlySet<string> = new Set(['rss', 'feed', 'rdf:rdf'])
/** Written where there are more elements than are read. */
const GAP = '\n[…]'
const DEPTH_MAX = 256
const SUMMARY_CHARS_MAX = 500
const SPACE = 32

const SUMMARIES = ['description', 'summary', 'content:encoded', 'content']
const TIMES = ['pubdate', 'published', 'updated', 'dc:date']

export interface ReadXml extends PageMetadata {
  kind: 'feed' | 'sitemap' | 'xml'
  markdown: string
}

/** An RSS or Atom feed as a list of its entries, a sitemap as one of its addresses; other XML as one line an element that holds text. */
export function readXml(xml: string, url: string): ReadXml {
  const { fields, root, isCut } = fieldsOf(xml)
  const gap = isCut ? GAP : ''
  if (isSitemap(root)) return { ...NO_METADATA, kind: 'sitemap', markdown: sitemap(fields) + gap }
  if (!FEEDS.has(root)) return { ...NO_METADATA, kind: 'xml', markdown: outline(fields) + gap }
  const starts = fields.flatMap((field, index) => (isEntry(field) ? [index] : []))
  const head = fields.slice(0, starts[0] ?? fields.length)
  const entries = starts.map((start, index) => fields.slice(start, starts[index + 1]))
  const title = valueOf(head, ['title'])
  const base = baseOf(head, url, null)
  const markdown = entries.map((entry) => entryMarkdown(entry, url, base)).join('\n')
  return { ...NO_METADATA, title, language: valueOf(head, ['language']), kind: 'feed', markdown: markdown + gap }
}

function isSitemap(root: string): boolean {
  return root === 'urlset' || root === 'sitemapindex'
}

function isEntry({ name }: XmlField): boolean {
  return name === 'item' || name === 'entry'
}

/** What the addresses within an element are relative to, where it says so. */
function baseOf([field]: readonly XmlField[], url: string, base: string | null): string | null {
  const told = field?.attributes.get('xml:base')
  return told === undefined ? base : createResolve(url, base)(told)
}

function entryMarkdown(entry: readonly XmlField[], url: string, base: string | null): string {
  const link = createResolve(url, baseOf(entry, url, base))(linkOf(entry))
  const title = valueOf(entry, ['title']) ?? link ?? ''
  const time = valueOf(entry, TIMES)
  const summary = valueOf(entry, SUMMARIES)?.slice(0, SUMMARY_CHARS_MAX)
  const head = link === null ? title : `[${title.replace(/[[\]]/g, '\\$&')}](${link})`
  return [`- ${head}${time === null ? '' : ` (${time})`}`, ...(summary === undefined ? [] : [`  ${summary}`])].join(
    '\n',
  )
}

function linkOf(entry: readonly XmlField[]): string | undefined {
  const links = entry.filter((field) => field.name === 'link')
  const best = links.find(({ attributes }) => ['alternate', undefined].includes(attributes.get('rel'))) ?? links[0]
  if (best !== undefined) return best.attributes.get('href') ?? collapse(best.text)
  const guid = entry.find((field) => field.name === 'guid')?.text.trim() ?? ''
  return /^https?:/i.test(guid) ? guid : undefined
}

/** The text of the first field of one of these names; markup in it is read as HTML. */
function valueOf(fields: readonly XmlField[], names: readonly string[]): string | null {
  const field = names
    .map((name) => fields.find((candidate) => candidate.name === name))
    .find((found) => found !== undefined)
  if (field === undefined) return null
  const text = /[<&]/.test(field.text) ? plainText(buildTree(field.text).root) : field.text
  return collapse(text) || null
}

/** Addresses with the time of their last change. */
function sitemap(fields: readonly XmlField[]): string {
  const lines: string[] = []
  for (const { name, text } of fields) {
    const value = collapse(text)
    if (name === 'loc') lines.push(`- ${value}`)
    else if (name === 'lastmod' && lines.length > 0) lines.push(`${lines.pop()} (${value})`)
  }
  return lines.join('\n')
}

/** A line for each element that says something itself, by text or attributes; namespaces say nothing. */
function outline(fields: readonly XmlField[]): string {
  const lines = fields.flatMap(({ name, text, attributes }) => {
    const said = [...attributes].filter(([key]) => !/^(?:xmlns|xsi|xml)(?::|$)/.test(key))
    const head = [name, ...said.map(([key, value]) => `${key}="${collapse(value)}"`)].join(' ')
    const value = collapse(text)
    return value === '' && said.length === 0 ? [] : [value === '' ? head : `${head}: ${value}`]
  })
  return lines.join('\n')
}

/** All elements in the order of their start tags, each with its own text and that of what it holds where it is markup. */
function fieldsOf(xml: string): { fields: XmlField[]; root: string; isCut: boolean } {
  const reader = new FieldReader(xml)
  const tokenizer = new Tokenizer({ xmlMode: true, decodeEntities: true }, reader)
  tokenizer.write(xml)
  tokenizer.end()
  return { fields: reader.fields, root: reader.root, isCut: reader.isCut }
}

class FieldReader implements TokenizerCallbacks {
  readonly fields: XmlField[] = []
  root = ''
  isCut = false
  readonly #xml: string
  readonly #stack: XmlField[] = []
  /** Elements that are open inside of a summary: their text is the summary's. */
  #markupDepth = 0
  #next: XmlField = { name: '', text: '', attributes: NO_ATTRIBUTES }
  #attributes = new Map<string, string>()
  #attribute = ''

  constructor(xml: string) {
    this.#xml = xml
  }

  onopentagname(start: number, end: number): void {
    this.#next = { name: this.#xml.slice(start, end).toLowerCase(), text: '', attributes: NO_ATTRIBUTES }
  }

  onattribname(start: number, end: number): void {
    this.#attribute = this.#xml.slice(start, end).toLowerCase()
    if (this.#next.attributes === NO_ATTRIBUTES) {
      this.#attributes = new Map()
      this.#next.attributes = this.#attributes
    }
    this.#attributes.set(this.#attribute, '')
  }

  onattribdata(start: number, end: number): void {
    this.#addToAttribute(this.#xml.slice(start, end))
  }

  onattribentity(codepoint: number): void {
    this.#addToAttribute(String.fromCodePoint(codepoint))
  }

  #addToAttribute(text: string): void {
    this.#attributes.set(this.#attribute, (this.#attributes.get(this.#attribute) ?? '') + text)
  }

  onopentagend(): void {
    if (this.#isInSummary()) this.#markupDepth += 1
    else {
      this.#add()
      if (this.#stack.length < DEPTH_MAX) this.#stack.push(this.#next)
    }
  }

  onselfclosingtag(): void {
    if (!this.#isInSummary()) this.#add()
  }

  #isInSummary(): boolean {
    return FEEDS.has(this.root) && SUMMARIES.includes(this.#stack.at(-1)?.name ?? '')
  }

  #add(): void {
    if (this.root === '') this.root = this.#next.name
    if (isSitemap(this.root) && !SITEMAP_FIELDS.has(this.#next.name)) return
    if (this.fields.length < FIELDS_MAX) this.fields.push(this.#next)
    else this.isCut = true
  }

  onclosetag(start: number, end: number): void {
    const name = this.#xml.slice(start, end).toLowerCase()
    if (this.#markupDepth > 0) this.#markupDepth -= 1
    else if (this.#stack.at(-1)?.name === name) this.#stack.pop()
    this.ontextentity(SPACE)
  }

  ontext(start: number, end: number): void {
    const open = this.#stack.at(-1)
    if (open !== undefined) open.text += this.#xml.slice(start, end)
  }

  ontextentity(codepoint: number): void {
    const open = this.#stack.at(-1)
    if (open !== undefined) open.text += String.fromCodePoint(codepoint)
  }

  oncdata(start: number, end: number, endOffset: number): void {
    this.ontext(start, end - endOffset)
  }

  onattribend(): void {}
  oncomment(): void {}
  ondeclaration(): void {}
  onprocessinginstruction(): void {}
  onend(): void {}
}
