// Writes what train.py learns from. `tokens`: blocks with their labels, words and names; `features`: their features, by lexicons of other folds.
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { AROUND, type BlockPlace } from '../../../../src/reader/blocks.ts'
import { buildTree } from '../../../../src/reader/build-tree.ts'
import { findContent } from '../../../../src/reader/content.ts'
import { type Described, describePage, FEATURES, lexiconOf, type Lexicons } from '../../../../src/reader/learned.ts'
import { LEXICAL_WORDS_MAX } from '../../../../src/reader/measures.ts'
import type { ModelTable } from '../../../../src/reader/model/forest.ts'
import { readMetadata } from '../../../../src/reader/metadata.ts'
import { eachNameWord, hashOf, Lexicon, namingValues } from '../../../../src/reader/names.ts'
import { labelBlocks, labelByPassages, wordsOf } from './label.ts'
import { groupOf, GROUPS, type MarkedPage, markedPages, styledPages } from './pages.ts'

const [, , step = '', data = '', out = ''] = process.argv
mkdirSync(out, { recursive: true })

export function describe(html: string, lexicons: Lexicons): Described {
  const tree = buildTree(html)
  const meta = readMetadata(tree, (address) => address ?? null)
  const content = findContent(tree, meta.titleInHead)
  return describePage(tree, content, lexicons, {
    title: meta.title,
    address: meta.canonicalUrl ?? '',
    types: meta.innerTypes,
    texts: meta.texts,
  })
}

function* allPages(): Generator<MarkedPage & { group: number }> {
  for (const set of ['wcxb', 'annotated'] as const)
    for (const page of markedPages(data, set)) yield { ...page, group: groupOf(page.domain) }
  for (const page of styledPages()) yield { ...page, group: GROUPS }
}

class Vocabulary {
  readonly ids = new Map<string, number>()
  readonly of = (word: string): number => {
    let id = this.ids.get(word)
    if (id === undefined) this.ids.set(word, (id = this.ids.size))
    return id
  }
}

function dumpTokens(): void {
  const names = new Vocabulary()
  const words = new Vocabulary()
  const lists = { names: [] as number[], nameEnds: [] as number[], words: [] as number[], wordEnds: [] as number[] }
  const labels: number[] = []
  const counts: number[] = []
  const pages: object[] = []
  const known = new KnownLabels(join(out, 'labels.json'))
  for (const page of allPages()) {
    const { blocks } = describe(page.html, { names: new Lexicon([]), words: new Lexicon([]) }).blocks
    const texts = blocks.map(({ text }) => text)
    const found = known.get(page, texts)
    for (const [index, block] of blocks.entries()) {
      labels.push(found[index] ?? -1)
      counts.push(wordsOf(block.text).length)
      for (let place: BlockPlace | null = block.place; place !== null; place = place.up)
        for (const written of namingValues(place.node.attributes))
          for (const word of nameWords(written)) lists.names.push(names.of(word))
      lists.nameEnds.push(lists.names.length)
      for (const word of lexical(block.text)) lists.words.push(words.of(word))
      lists.wordEnds.push(lists.words.length)
    }
    const { html: _html, text, with: _with, without: _without, ...told } = page
    pages.push({ ...told, blocks: blocks.length, truth: wordsOf(text).length })
  }
  known.save()
  const write = (name: string, values: readonly number[]) =>
    writeFileSync(join(out, `${name}.i32`), Int32Array.from(values))
  for (const [name, values] of Object.entries(lists)) write(name, values)
  write('counts', counts)
  writeFileSync(join(out, 'labels.f32'), Float32Array.from(labels))
  writeFileSync(join(out, 'pages.json'), JSON.stringify(pages))
  writeFileSync(
    join(out, 'vocabulary.json'),
    JSON.stringify({ names: [...names.ids.keys()], words: [...words.ids.keys()] }),
  )
}

/** Labels of pages whose blocks are the same as in the last run: aligning them takes most of its time. */
class KnownLabels {
  readonly #path: string
  readonly #labels: Record<string, (number | null)[]>

  constructor(path: string) {
    this.#path = path
    this.#labels = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {}
  }

  get(page: MarkedPage, texts: readonly string[]): (number | null)[] {
    const key = `${page.set} ${page.file} ${hashOf(texts.join('\n'))}`
    return (this.#labels[key] ??= labelsOf(page, texts))
  }

  save(): void {
    writeFileSync(this.#path, JSON.stringify(this.#labels))
  }
}

/** For each block how much of it belongs to the content; null where nobody said. */
function labelsOf(page: MarkedPage, texts: readonly string[]): (number | null)[] {
  if (page.text !== '' || page.set === 'wcxb') return labelBlocks(texts, page.text)
  if (page.set === 'annotated') return labelByPassages(texts, page)
  return texts.map((text) => (page.without.some((word) => text.includes(word)) ? 0 : 1))
}

/** Each word of names once, as the reader looks them up. */
function nameWords(written: string): Set<string> {
  const words = new Set<string>()
  eachNameWord(written, (_, start, end) => words.add(written.slice(start, end).toLowerCase()))
  return words
}

/** The words that the reader would look up, in lower case as it makes them. */
function lexical(text: string): string[] {
  return (text.match(/[\p{L}\p{N}_]+/gu) ?? []).slice(0, LEXICAL_WORDS_MAX).map((word) => word.toLowerCase())
}

function dumpFeatures(): void {
  const lexicons = readLexicons()
  const file = openSync(join(out, 'features.f32'), 'w')
  const around: number[] = []
  for (const page of allPages()) {
    const described = describe(page.html, lexicons[page.group] as Lexicons)
    const count = described.blocks.blocks.length
    const rows = new Float32Array(count * FEATURES.length)
    for (let index = 0; index < count; index += 1) {
      rows.set(described.features.rowOf(index), index * FEATURES.length)
      around.push((described.blocks.blocks[index]?.place.around ?? 0) & (AROUND.hidden | AROUND.consent) ? 1 : 0)
    }
    writeSync(file, new Uint8Array(rows.buffer))
  }
  closeSync(file)
  writeFileSync(join(out, 'hidden.i32'), Int32Array.from(around))
  writeFileSync(join(out, 'features.json'), JSON.stringify(FEATURES))
}

/** The lexicons for the pages of each group, made from those of the others. */
function readLexicons(): Lexicons[] {
  const written: Pick<ModelTable, 'names' | 'words'>[] = JSON.parse(readFileSync(join(out, 'lexicons.json'), 'utf8'))
  return written.map(({ names, words }) => ({ names: lexiconOf(names), words: lexiconOf(words) }))
}

if (step === 'tokens') dumpTokens()
else if (step === 'features') dumpFeatures()
else throw new Error('tokens or features')
