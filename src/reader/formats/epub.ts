import type { Archive } from './archive.ts'
import { partAt } from './archive.ts'
import { buildTree } from '../build-tree.ts'
import { pruneHidden } from '../content.ts'
import { markdownOf } from '../markdown.ts'
import { NO_METADATA, type PageMetadata } from '../page.ts'
import { plainText } from '../plain-text.ts'
import { firstWithin, within, xmlText } from './xml.ts'

const CHAPTERS_MAX = 2_000
/** Letters of a book that are read. */
const CHARS_MAX = 8_000_000
const LINKED = /^https?:/i
/** An element in one tag: XML may write each so, HTML those alone that never hold anything. */
const IN_ONE_TAG = /<([a-z][\w:.-]*)((?:\s[^<>]*)?)\/>/gi
const VOID = /^(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)$/i

interface Chapter {
  markdown: string
  text: string
}

/** Stands where chapters were not read. */
const LEFT_OUT: Chapter = { markdown: '[…]', text: '[…]' }

export interface BookText extends PageMetadata {
  markdown: string
  text: string
}

/** The chapters of a book in their order. Null: it has none. */
export async function epubText(archive: Archive): Promise<BookText | 'encrypted' | null> {
  const container = await archive.xml('META-INF/container.xml')
  const packagePart = firstWithin(container, 'rootfile')?.attributes['full-path'] ?? ''
  const book = await archive.xml(packagePart)
  const spine = firstWithin(book, 'spine')
  if (book === null || spine === null) return null
  const told = (name: string) => xmlText(firstWithin(book, name)).trim() || null
  const files = new Map<string, string>()
  for (const { attributes } of within(book, 'item')) files.set(attributes['id'] ?? '', attributes['href'] ?? '')
  const encrypted = await encryptedParts(archive)
  const chapters: Chapter[] = []
  let [chars, read] = [0, 0]
  let isEncrypted = false
  for (const { attributes } of within(spine, 'itemref')) {
    if (attributes['linear'] === 'no') continue
    const part = partAt(packagePart, files.get(attributes['idref'] ?? '') ?? '')
    const isOver = read === CHAPTERS_MAX || chars > CHARS_MAX
    const html = isOver || encrypted.has(part) ? null : await archive.text(part)
    const isLocked = encrypted.has(part) || (html !== null && isNoise(html))
    const chapter = html === null || isLocked ? null : chapterText(html)
    read += 1
    chars += chapter?.markdown.length ?? 0
    isEncrypted ||= isLocked
    if (chapter !== null && chars <= CHARS_MAX) chapters.push(chapter)
    else if (archive.has(part) && chapters.at(-1) !== LEFT_OUT) chapters.push(LEFT_OUT)
    if (isOver) break
  }
  if (chapters.every((chapter) => chapter === LEFT_OUT)) return isEncrypted ? 'encrypted' : null
  const shown = chapters.filter(({ text }) => text !== '')
  return {
    ...NO_METADATA,
    title: told('title'),
    byline: [...within(book, 'creator')].map((name) => xmlText(name).trim()).join(', ') || null,
    publishedTime: told('date'),
    language: told('language'),
    site: told('publisher'),
    markdown: shown.map(({ markdown }) => markdown).join('\n\n'),
    text: shown.map(({ text }) => text).join('\n'),
  }
}

/** Parts that are read with a key only, which their shop gives. Fonts are often among them. */
async function encryptedParts(archive: Archive): Promise<ReadonlySet<string>> {
  const xml = await archive.xml('META-INF/encryption.xml')
  const references = xml === null ? [] : [...within(xml, 'CipherReference')]
  return new Set(references.map(({ attributes }) => partAt('', attributes['URI'] ?? '')))
}

/** Letters by whose beginning it is known whether a chapter is text at all. */
const BEGINNING_CHARS = 2_000

/** Whether a part is no XML: some shops name nowhere what they encrypt. */
function isNoise(html: string): boolean {
  return html !== '' && !/<[a-z!?]/i.test(html.slice(0, BEGINNING_CHARS))
}

/** Links within a book lead nowhere outside of it. */
function chapterText(html: string): Chapter {
  const paired = html.replace(IN_ONE_TAG, (tag, name: string, attributes: string) =>
    VOID.test(name) ? tag : `<${name}${attributes}></${name}>`,
  )
  const { root, signs } = buildTree(paired)
  pruneHidden(root, signs)
  const resolve = (address: string | null | undefined) => (LINKED.test(address ?? '') ? (address ?? null) : null)
  return { markdown: markdownOf(root, resolve), text: plainText(root) }
}
