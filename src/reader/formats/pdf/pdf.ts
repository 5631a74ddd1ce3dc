import { toldName } from '../../bylines.ts'
import { collapse } from '../../node.ts'
import { NO_METADATA, type PageMetadata } from '../../page.ts'
import { Budget, TooLarge } from './budget.ts'
import { type ShownPiece, TextShower } from './content.ts'
import { hasRightToLeft, inReadingOrder, isMostlyFromRight } from './direction.ts'
import { PdfDocument } from './document.ts'
import { withFields } from './fields.ts'
import { documentText } from './letters.ts'
import { isRef, type PdfDict, type PdfValue } from './syntax.ts'

const PAGES_MAX = 2_000
/** Nodes of the tree of pages that are looked at. */
const NODES_MAX = 20_000
/** Letters of a document that are read. */
const CHARS_MAX = 4_000_000
const TREE_DEPTH = 40
/** Letters of a title and the like. */
const INFO_CHARS = 2_000

export interface PdfText extends PageMetadata {
  markdown: string
  pages: number
}

export type PdfOutcome = { ok: true; pdf: PdfText } | { ok: false; problem: 'locked' | 'too_complex' | 'broken' }

/** The text of a document that was written as one, page by page; that of a scan is empty. Never throws. */
export function pdfText(bytes: Uint8Array): PdfOutcome {
  try {
    const document = new PdfDocument(bytes, new Budget())
    if (!document.unlock()) return { ok: false, problem: 'locked' }
    document.openStreams()
    const root = document.root('Root', 'Catalog')
    const pages = root === null ? [] : pagesOf(document, root.get('Pages'))
    return pages.length === 0 ? { ok: false, problem: 'broken' } : { ok: true, pdf: readPages(document, pages) }
  } catch (error) {
    return { ok: false, problem: error instanceof TooLarge ? 'too_complex' : 'broken' }
  }
}

interface Page {
  dict: PdfDict
  resources: PdfDict | null
}

/** The leaves of the tree of pages; what a branch says of resources holds for all of its own. */
function pagesOf(document: PdfDocument, tree: PdfValue | undefined): Page[] {
  const pages: Page[] = []
  const visited = new Set<number>()
  let nodes = 0
  const visit = (value: PdfValue | undefined, inherited: PdfDict | null, depth: number): void => {
    if (nodes >= NODES_MAX || depth > TREE_DEPTH || (isRef(value) && visited.has(value.ref))) return
    if (isRef(value)) visited.add(value.ref)
    nodes += 1
    const dict = document.dict(value)
    if (dict === null) return
    const resources = document.dict(dict.get('Resources')) ?? inherited
    const kids = document.array(dict.get('Kids'))
    if (kids.length === 0 && document.name(dict.get('Type')) !== 'Pages') pages.push({ dict, resources })
    for (const kid of kids) visit(kid, resources, depth + 1)
  }
  visit(tree, null, 0)
  return pages
}

function readPages(document: PdfDocument, pages: readonly Page[]): PdfText {
  const metadata = metadataOf(document)
  const shower = new TextShower(document)
  const written: string[] = []
  let chars = 0
  let isCut = pages.length > PAGES_MAX
  try {
    for (const [index, page] of pages.slice(0, PAGES_MAX).entries()) {
      const text = layOut(withFields(document, page.dict, shower.run(contentOf(document, page), page.resources)))
      chars += text.length
      if (text !== '') written.push(`## Page ${index + 1} of ${pages.length}\n\n${text}`)
      if (chars <= CHARS_MAX) continue
      isCut = true
      break
    }
  } catch (error) {
    if (!(error instanceof TooLarge) || written.length === 0) throw error
    isCut = true
  }
  const markdown = written.join('\n\n') + (isCut && written.length > 0 ? '\n\n[…]' : '')
  return { ...metadata, markdown, pages: pages.length }
}

function contentOf(document: PdfDocument, { dict }: Page): string {
  const told = dict.get('Contents')
  const parts = Array.isArray(document.resolve(told)) ? document.array(told) : [told]
  const streams = parts.map((part) => document.stream(part)).filter((stream) => stream !== null)
  return streams.map((stream) => document.text(stream)).join('\n')
}

/** In sizes of letters: what is on one line, a space, a column. */
const LINE_SHIFT = 0.5
const SPACE_GAP = 0.18
const COLUMN_GAP = 1.5
/** A paragraph ends where lines are apart by so many times what they usually are. */
const PARAGRAPH_GAP = 1.35

/** Text as it is laid out: lines, an empty line where a paragraph ends, a tab between columns. */
function layOut(shown: readonly ShownPiece[]): string {
  const drops = shown.slice(1).flatMap((one, index) => {
    const drop = dropOf(shown[index], one)
    return drop === 0 ? [] : [drop]
  })
  const usual = drops.toSorted((a, b) => a - b)[(drops.length - 1) >> 1] ?? 0
  const ordered = leftFirst(shown)
  const text = ordered.map((one, index) => between(ordered[index - 1], one, usual) + one.text).join('')
  const isFromRight = isMostlyFromRight(text)
  const lines = text.split('\n').map((line) =>
    inReadingOrder(line, isFromRight || isMostlyFromRight(line))
      .split('\t')
      .map(collapse)
      .filter(Boolean)
      .join('\t'),
  )
  return cleaned(lines.join('\n'))
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

/** Lines from right to left may be shown in either order: their pieces as they stand on the page. */
function leftFirst(shown: readonly ShownPiece[]): readonly ShownPiece[] {
  if (!shown.some(({ text }) => hasRightToLeft(text))) return shown
  const ordered: ShownPiece[] = []
  for (let from = 0, to = 1; from < shown.length; to += 1) {
    const one = shown[to]
    if (one !== undefined && dropOf(shown[to - 1], one) === 0) continue
    const line = shown.slice(from, to)
    ordered.push(...(line.some(({ text }) => hasRightToLeft(text)) ? line.toSorted((a, b) => a.x - b.x) : line))
    from = to
  }
  return ordered
}

/** Without characters that are no text. */
function cleaned(text: string): string {
  // oxlint-disable-next-line no-control-regex -- these are looked for
  return text.replace(/[\u0000-\u0008\u000b-\u001f]/g, '').toWellFormed()
}

/** How far the second is from the line of the first; 0: it is on it. */
function dropOf(before: ShownPiece | undefined, one: ShownPiece): number {
  const drop = Math.abs((before?.y ?? one.y) - one.y)
  return drop > LINE_SHIFT * sizeOf(before, one) ? drop : 0
}

function sizeOf(before: ShownPiece | undefined, one: ShownPiece): number {
  return Math.max(before?.size ?? 0, one.size, 1)
}

function between(before: ShownPiece | undefined, one: ShownPiece, usual: number): string {
  if (before === undefined) return ''
  const size = sizeOf(before, one)
  const drop = dropOf(before, one)
  const gap = one.x - before.end
  if (drop > 0) return drop > PARAGRAPH_GAP * usual ? '\n\n' : '\n'
  if (gap < -2 * size) return '\n'
  if (gap > COLUMN_GAP * size) return '\t'
  return gap > SPACE_GAP * size && before.text.trimEnd() === before.text ? ' ' : ''
}

function metadataOf(document: PdfDocument): PageMetadata {
  const info = document.root('Info', null)
  const told = (name: string) => {
    const value = document.resolve(info?.get(name))
    return typeof value === 'string' ? cleaned(collapse(documentText(value.slice(0, INFO_CHARS)))) || null : null
  }
  const day = /^(?:D:)?(\d{4})(\d{2})(\d{2})/.exec(told('CreationDate') ?? '')
  return {
    ...NO_METADATA,
    title: givenName(told('Title')),
    byline: toldName(givenName(told('Author'))),
    publishedTime: day?.slice(1).join('-') ?? null,
  }
}

/** What programs write where nobody gave a title or a name is none. */
function givenName(told: string | null): string | null {
  return told === null || /^\W*(?:untitled|unknown|anonymous|unspecified|no title)\W*$/i.test(told) ? null : told
}
