import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2'
import { createResolve } from './addresses.ts'
import { buildTree } from './build-tree.ts'
import { collapse } from './node.ts'
import { NO_METADATA, type PageMetadata } from './page.ts'
import { plainText } from './plain-text.ts'

/** An element of a feed or another XML document that holds text, with the address that it may carry in `href`. */
interface XmlField {
  name: string
  text: string
  href: string
  rel: string
}

const FIELDS_MAX = 20_000
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
  const { fields, root } = fieldsOf(xml)
  if (root === 'urlset' || root === 'sitemapindex')
    return { ...NO_METADATA, kind: 'sitemap', markdown: sitemap(fields) }
  if (!['rss', 'feed', 'rdf:rdf'].includes(root)) return { ...NO_METADATA, kind: 'xml', markdown: outline(fields) }
  const starts = fields.flatMap((field, index) => (isEntry(field) ? [index] : []))
  const head = fields.slice(0, starts[0] ?? fields.length)
  const entries = starts.map((start, index) => fields.slice(start, starts[index + 1]))
  const title = valueOf(head, ['title'])
  const markdown = entries.map((entry) => entryMarkdown(entry, url)).join('\n')
  return { ...NO_METADATA, title, language: valueOf(head, ['language']), kind: 'feed', markdown }
}

function isEntry({ name }: XmlField): boolean {
  return name === 'item' || name === 'entry'
}

function entryMarkdown(entry: readonly XmlField[], url: string): string {
  const link = createResolve(url, undefined)(linkOf(entry))
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
  const best = links.find((field) => field.rel === '' || field.rel === 'alternate') ?? links[0]
  return best === undefined ? undefined : best.href || collapse(best.text)
}

/** The text of the first field of one of these names; markup in it is read as HTML. */
function valueOf(fields: readonly XmlField[], names: readonly string[]): string | null {
  const field = names
    .map((name) => fields.find((candidate) => candidate.name === name))
    .find((found) => found !== undefined)
  if (field === undefined) return null
  const text = field.text.includes('<') ? plainText(buildTree(field.text).root) : field.text
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

function outline(fields: readonly XmlField[]): string {
  const lines = fields.map((field) => ({ name: field.name, text: collapse(field.text) }))
  return lines.flatMap(({ name, text }) => (text === '' ? [] : [`${name}: ${text}`])).join('\n')
}

/** All elements in the order of their start tags, each with its own text and that of what it holds where it is markup. */
function fieldsOf(xml: string): { fields: XmlField[]; root: string } {
  const reader = new FieldReader(xml)
  const tokenizer = new Tokenizer({ xmlMode: true, decodeEntities: true }, reader)
  tokenizer.write(xml)
  tokenizer.end()
  return { fields: reader.fields, root: reader.fields[0]?.name ?? '' }
}

class FieldReader implements TokenizerCallbacks {
  readonly fields: XmlField[] = []
  readonly #xml: string
  readonly #stack: XmlField[] = []
  #next: XmlField = { name: '', text: '', href: '', rel: '' }
  #attribute = ''

  constructor(xml: string) {
    this.#xml = xml
  }

  onopentagname(start: number, end: number): void {
    this.#next = { name: this.#xml.slice(start, end).toLowerCase(), text: '', href: '', rel: '' }
  }

  onattribname(start: number, end: number): void {
    this.#attribute = this.#xml.slice(start, end).toLowerCase()
  }

  onattribdata(start: number, end: number): void {
    if (this.#attribute === 'href') this.#next.href += this.#xml.slice(start, end)
    if (this.#attribute === 'rel') this.#next.rel += this.#xml.slice(start, end)
  }

  onattribentity(codepoint: number): void {
    if (this.#attribute === 'href') this.#next.href += String.fromCodePoint(codepoint)
  }

  onopentagend(): void {
    if (this.fields.length < FIELDS_MAX) this.fields.push(this.#next)
    if (this.#stack.length < DEPTH_MAX) this.#stack.push(this.#next)
  }

  onselfclosingtag(): void {
    if (this.fields.length < FIELDS_MAX) this.fields.push(this.#next)
  }

  onclosetag(start: number, end: number): void {
    const name = this.#xml.slice(start, end).toLowerCase()
    if (this.#stack.at(-1)?.name === name) this.#stack.pop()
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
