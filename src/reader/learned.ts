import { AROUND, type Block, type Blocks, blocksOf } from './blocks.ts'
import { buildTree, type Tree } from './build-tree.ts'
import { chooseBlocks, keepBlocks, keepHeadings, keepIllustrations } from './choose.ts'
import type { ChosenContent } from './content.ts'
import { BLOCK_FEATURES, BlockFeatures } from './features.ts'
import { Forest, logistic, type ModelTable } from './model/forest.ts'
import { type Measures, measuresOf, toldWords } from './measures.ts'
import { createNamesOf, hashOf, Lexicon } from './names.ts'
import { PAGE_FEATURES, pageFeatures } from './page-features.ts'
import type { ElementNode } from './node.ts'
import { isTitle } from './prune.ts'
import { keepShape } from './shapes.ts'
import { keepDatedHeadings, keepIntro } from './live-blog.ts'
import { keepRemarks } from './remarks.ts'
import type { KeptBlocks } from './writers.ts'

export interface Lexicons {
  names: Lexicon
  words: Lexicon
}

/** A model that is ready to judge. */
export interface Model extends Lexicons {
  forest: Forest
}

export const FEATURES: readonly string[] = [...BLOCK_FEATURES, ...PAGE_FEATURES]

export function createModel(table: ModelTable): Model {
  const lexicons = { names: lexiconOf(table.names), words: lexiconOf(table.words) }
  const tree = buildTree(SHAPED)
  const content: ChosenContent = { node: tree.root, confidence: 0, isListing: false, isWaiting: false }
  keepShape(describePage(tree, content, lexicons, { title: null, address: '', types: [], texts: [] }))
  return { ...lexicons, forest: new Forest(table.forest, FEATURES) }
}

/** A page for the shape of what is made of one; three wide characters are no whole number of words. */
const SHAPED = '<p>三個字</p>'

export function lexiconOf(weights: string): Lexicon {
  const pairs = weights.split(' ').map((pair) => pair.split(':'))
  return new Lexicon(pairs.map(([word = '', weight]) => [hashOf(word), Number(weight) / 100] as const))
}

/** What the judgement of a page rests on. */
export interface Described {
  blocks: Blocks
  measures: Measures
  features: BlockFeatures
}

/** What a page says of itself beside its text. */
export interface About {
  title: string | null
  address: string
  /** Types of JSON-LD. */
  types: readonly string[]
  /** What it tells machines in sentences. */
  texts: readonly string[]
  isThread?: boolean
  isLive?: boolean
}

export function describePage(
  tree: Tree,
  content: ChosenContent,
  lexicons: Lexicons,
  { title, address, types, texts: told }: About,
): Described {
  const blocks = blocksOf(tree.root, content.node, tree.signs, createNamesOf(lexicons.names))
  const measures = measuresOf(blocks, lexicons.words, toldWords(title ?? '', told))
  const page = pageFeatures(blocks.blocks, measures, tree.head, content, { address, types })
  const texts = { title: title ?? '', description: tree.head.meta.get('description') ?? '' }
  return { blocks, measures, features: new BlockFeatures(blocks, measures, page, texts) }
}

/** Words of a page from which the model is asked, and blocks up to which. */
const WORDS_MIN = 100
const BLOCKS_MAX = 20_000

export interface KeptContent extends KeptBlocks {
  /** Kept for Markdown and no part of the plain text. */
  illustrations: readonly ElementNode[]
}

/** Leave out of a page what the model takes for no part of its content. Null where the rules have to do: very small and very large pages. */
export function keepLearned(tree: Tree, content: ChosenContent, model: Model, about: About): KeptContent | null {
  const described = describePage(tree, content, model, about)
  const { blocks, measures } = described
  const count = blocks.blocks.length
  if (count > BLOCKS_MAX || measures.words.reduce((sum, words) => sum + words, 0) < WORDS_MIN) return null
  const likely = judge(described, model.forest, about.title)
  if (content.isWaiting) keepSentences(described, likely)
  const { isKept: kept, f1 } = chooseBlocks(likely, measures.words)
  if (f1 >= PLAIN_F1 && !content.isListing) dropFurniture(described, likely, kept)
  if (!kept.includes(1) || isForRules(described, content, likely, kept)) return null
  keepItems(described, likely, kept)
  keepHeadings(blocks, kept)
  const illustrations = keepIllustrations(blocks, kept)
  if (about.isLive === true) illustrations.push(...keepDatedHeadings(blocks, kept), ...keepIntro(blocks, kept))
  if (about.isThread === true) illustrations.push(...keepRemarks(blocks, kept))
  keepBlocks(blocks, kept)
  return { blocks, isKept: kept, illustrations }
}

function aroundOf(block: Block | undefined): number {
  return block?.place.around ?? 0
}

/** What the rules chose and what the model chose: from this share of common words on they are the same, and for a listing nearly. */
const SAME_SHARE = 0.999
const SAME_LISTING_SHARE = 0.95
/** Words up to which a page is small, and how much less the rules' choice may be worth there. */
const SMALL_WORDS = 300
const WORTH_LESS_MAX = 0.05

/** Whether what the rules chose is about as good. They keep what people want beside the text: pages of a listing, who wrote a post and when. */
function isForRules(
  { blocks: { blocks }, measures: { words } }: Described,
  { isListing, isWaiting }: ChosenContent,
  likely: Float32Array,
  kept: Uint8Array,
): boolean {
  const sum = { all: 0, expected: 0, kept: 0, keptLikely: 0, rules: 0, rulesLikely: 0, both: 0 }
  for (let index = 0; index < blocks.length; index += 1) {
    const count = words[index] ?? 0
    const worth = count * (likely[index] ?? 0)
    const isByRules = (aroundOf(blocks[index]) & AROUND.kept) !== 0
    sum.all += count
    sum.expected += worth
    if (isByRules) {
      sum.rules += count
      sum.rulesLikely += worth
    }
    if (kept[index] === 0) continue
    sum.kept += count
    sum.keptLikely += worth
    if (isByRules) sum.both += count
  }
  const common = (2 * sum.both) / Math.max(1, sum.rules + sum.kept)
  if (common >= (isListing ? SAME_LISTING_SHARE : SAME_SHARE)) return true
  const worth = (2 * sum.keptLikely) / Math.max(1, sum.kept + sum.expected)
  const worthByRules = (2 * sum.rulesLikely) / Math.max(1, sum.rules + sum.expected)
  return sum.all < SMALL_WORDS && !isWaiting && worth - worthByRules < WORTH_LESS_MAX
}

/** Expected F1 from which it is plain what a page is about: short blocks in doubt are then furniture of the page. */
const PLAIN_F1 = 0.9
const SHORT_WORDS = 25
const SHORT_LIKELY_MIN = 0.7
/** Short by their nature. */
const SHORT_TAGS: ReadonlySet<string> = new Set(['pre', 'tr', 'td', 'th', 'dt', 'dd'])

function dropFurniture(
  { blocks: { blocks }, measures: { words } }: Described,
  likely: Float32Array,
  kept: Uint8Array,
): void {
  for (let index = 0; index < blocks.length; index += 1) {
    if (kept[index] === 0 || (likely[index] ?? 0) >= SHORT_LIKELY_MIN) continue
    const isShort = (words[index] ?? 0) < SHORT_WORDS && !SHORT_TAGS.has(blocks[index]?.place.node.name ?? '')
    if (isShort) kept[index] = 0
  }
}

/** From here on an item of a list of text is kept where the rules keep it. */
const ITEM_LIKELY_MIN = 0.4
const ITEM_LINK_SHARE_MAX = 0.5

function keepItems({ blocks: { blocks }, measures }: Described, likely: Float32Array, kept: Uint8Array): void {
  for (let index = 0; index < blocks.length; index += 1) {
    const block = blocks[index]
    if (kept[index] === 1 || (likely[index] ?? 0) < ITEM_LIKELY_MIN) continue
    const isItem = block?.place.node.name === 'li' && (block.place.around & AROUND.kept) !== 0
    const isLink = (measures.linkChars[index] ?? 0) > ITEM_LINK_SHARE_MAX * (measures.chars[index] ?? 0)
    if (isItem && !isLink) kept[index] = 1
  }
}

/** From here on hidden text is likely to be what the page is about; its words, and its share of all such words, from which a script will show it. */
const WAITING_LIKELY_MIN = 0.6
const WAITING_WORDS_MIN = 150
const WAITING_SHARE_MIN = 0.6

/** How likely each block belongs to the content. What asks for leave to track or repeats the title never does, and what is hidden only where it is nearly all. */
function judge(described: Described, forest: Forest, title: string | null): Float32Array {
  const { measures, features } = described
  const { blocks } = described.blocks
  const likely = new Float32Array(blocks.length)
  const [seen, hidden]: [number[], number[]] = [[], []]
  for (let index = 0; index < blocks.length; index += 1) {
    const place = blocks[index]?.place
    if (place === undefined || (place.around & AROUND.consent) !== 0) continue
    if (place.node.name === 'h1' && title !== null && isTitle(place.node, title)) continue
    if ((place.around & AROUND.hidden) === 0) seen.push(index)
    else hidden.push(index)
  }
  const judgeAll = (some: readonly number[]) => {
    for (const index of some) likely[index] = logistic(forest.sum(features.rowOf(index)))
  }
  const wordsOf = (some: readonly number[]) => some.reduce((sum, index) => sum + (measures.words[index] ?? 0), 0)
  const isLikely = (index: number) => (likely[index] ?? 0) >= WAITING_LIKELY_MIN
  judgeAll(seen)
  const shown = wordsOf(seen.filter(isLikely))
  const isWaiting = (words: number) => words >= WAITING_WORDS_MIN && words >= WAITING_SHARE_MIN * (words + shown)
  if (!isWaiting(wordsOf(hidden))) return likely
  judgeAll(hidden)
  const waiting = hidden.filter(isLikely)
  const isRead = isWaiting(wordsOf(waiting))
  for (const index of hidden) if (!isRead || !isLikely(index)) likely[index] = 0
  if (isRead) keepSentences(described, likely)
  return likely
}

/** Where a sentence is no part of a page's text. */
const BESIDE =
  AROUND.nav |
  AROUND.header |
  AROUND.footer |
  AROUND.aside |
  AROUND.role |
  AROUND.surroundings |
  AROUND.form |
  AROUND.hidden
const SENTENCE_WORDS_MIN = 6
/** How likely one belongs to the text that a script would show: enough to be kept though it is short. */
const SENTENCE_LIKELY = 0.8

/** What a page shows already stays beside what its scripts would show: the little that it says may be all that it means to. */
function keepSentences({ blocks: { blocks }, measures }: Described, likely: Float32Array): void {
  for (let index = 0; index < blocks.length; index += 1) {
    if (
      (aroundOf(blocks[index]) & (BESIDE | AROUND.consent)) !== 0 ||
      (measures.words[index] ?? 0) < SENTENCE_WORDS_MIN
    )
      continue
    const isSentence = (measures.stops[index] ?? 0) > 0 && (measures.linkChars[index] ?? 0) === 0
    if (isSentence) likely[index] = Math.max(likely[index] ?? 0, SENTENCE_LIKELY)
  }
}
