import { AROUND, type Bare, type Block, type BlockPlace, type Blocks } from './blocks.ts'
import { isDataTable, isTable } from './markdown-table.ts'
import { attribute, type ElementNode } from './node.ts'

/** What to keep, and the F1 that is expected of it. */
interface Choice {
  isKept: Uint8Array
  f1: number
}

/** What blocks of a page are misjudged in goes for most of them: by so much their odds may all be too low or too high, and how likely that is. */
const SLANTS: readonly { odds: number; share: number }[] = [
  { odds: 1, share: 0.5 },
  { odds: Math.exp(-2), share: 0.25 },
  { odds: Math.exp(2), share: 0.25 },
]

/** Which blocks to keep so that the F1 that is expected is greatest, by how likely each belongs to the content. */
export function chooseBlocks(likely: Float32Array, words: Float32Array): Choice {
  const order = orderOf(likely)
  const plain = new Float64Array(order.length)
  const worth = new Float64Array(order.length)
  for (const { odds, share } of SLANTS) {
    const f1s = odds === 1 ? plain : new Float64Array(order.length)
    expectF1(f1s, { order, likely, words, odds })
    for (let count = 0; count < worth.length; count += 1) worth[count] = (worth[count] ?? 0) + share * (f1s[count] ?? 0)
  }
  let [best, most] = [-1, 0]
  for (let count = 0; count < worth.length; count += 1) {
    const one = worth[count] ?? 0
    if (one > most) [best, most] = [count, one]
  }
  const isKept = new Uint8Array(likely.length)
  for (let count = 0; count <= best; count += 1) isKept[order[count] ?? 0] = 1
  return { isKept, f1: plain[best] ?? 0 }
}

/** More blocks than a page has of which the model is asked. */
const INDEXES = 2 ** 20
const STEPS = 2 ** 30

/** The numbers of blocks, the likeliest first; of equal ones the first. Sorted as numbers, which takes no comparing function. */
function orderOf(likely: Float32Array): Int32Array {
  const keys = new Float64Array(likely.length)
  for (let index = 0; index < keys.length; index += 1)
    keys[index] = Math.round((1 - (likely[index] ?? 0)) * STEPS) * INDEXES + index
  keys.sort()
  const order = new Int32Array(keys.length)
  for (let count = 0; count < order.length; count += 1) order[count] = (keys[count] ?? 0) % INDEXES
  return order
}

interface Odds {
  order: Int32Array
  likely: Float32Array
  words: Float32Array
  /** What the odds of all blocks are multiplied by. */
  odds: number
}

/** Writes the F1 that is expected of the first blocks of an order, for each number of them. */
function expectF1(f1s: Float64Array, { order, likely, words, odds }: Odds): void {
  let [kept, found] = [0, 0]
  for (let count = 0; count < order.length; count += 1) {
    const index = order[count] ?? 0
    const p = likely[index] ?? 0
    found += ((p * odds) / (1 - p + p * odds)) * (words[index] ?? 0)
    f1s[count] = found
  }
  for (let count = 0; count < order.length; count += 1) {
    kept += words[order[count] ?? 0] ?? 0
    f1s[count] = (2 * (f1s[count] ?? 0)) / Math.max(1, kept + found)
  }
}

/** Leave out of the tree all blocks that are not kept, and what hangs on them. */
export function keepBlocks({ blocks, places, bare }: Blocks, isKept: Uint8Array): void {
  const sums = new Int32Array(blocks.length + 1)
  for (let index = 0; index < blocks.length; index += 1) sums[index + 1] = (sums[index] ?? 0) + (isKept[index] ?? 0)
  const countIn = (from: number, to: number) => (sums[to] ?? 0) - (sums[from] ?? 0)
  for (const { node, first, end } of places) node.skipped = countIn(first, end) === 0
  for (let index = 0; index < blocks.length; index += 1) {
    const block = blocks[index]
    if (block !== undefined && isKept[index] === 0) leaveOut(block)
  }
  for (const piece of bare) {
    const isBetween = isKept[piece.before - 1] === 1 || isKept[piece.before] === 1
    if (!isBetween || countIn(piece.place.first, piece.place.end) === 0) leaveOut(piece)
  }
}

function leaveOut({ place, from, to }: Pick<Bare, 'place' | 'from' | 'to'>): void {
  const { children } = place.node
  for (let index = from; index < to; index += 1) {
    const child = children[index]
    if (typeof child === 'string') children[index] = ''
    else if (child !== undefined) child.skipped = true
  }
}

/** What is pressed to open the text below it says what that is about. */
const OPENS: ReadonlySet<string> = new Set(['button', 'summary'])
/** Letters above or below a quote that say who is quoted. */
const QUOTED_CHARS_MAX = 100

/** Keep headings that the rules keep where what stands under them is kept, and who is quoted beside a quote: without them nobody knows what it is about. */
export function keepHeadings({ blocks }: Blocks, isKept: Uint8Array): void {
  for (let index = blocks.length - 2; index >= 0; index -= 1) {
    const { place, length = 0 } = blocks[index] ?? {}
    const around = place?.around ?? 0
    if ((around & AROUND.quote) !== 0 && length <= QUOTED_CHARS_MAX && (around & AROUND.hidden) === 0) {
      const isQuoted = (at: number) => isKept[at] === 1 && ((blocks[at]?.place.around ?? 0) & AROUND.quote) !== 0
      if (isQuoted(index + 1) || isQuoted(index - 1)) isKept[index] = 1
    }
    const isShown = (around & (AROUND.kept | AROUND.folded)) !== 0 && (around & AROUND.hidden) === 0
    const isHeading = ((around & AROUND.heading) !== 0 || OPENS.has(place?.node.name ?? '')) && isShown
    if (isHeading && isKept[index + 1] === 1) isKept[index] = 1
  }
}

/** Blocks before a piece of code of which one is kept where it belongs to the text: a title of its own may stand between. */
const BEFORE_CODE = 2
const ELSEWHERE = AROUND.nav | AROUND.footer | AROUND.aside | AROUND.form | AROUND.hidden | AROUND.consent

/** Keep code, captions of pictures and quotes that stand within what is kept, though they are no running text of its author. Returns their elements. */
export function keepIllustrations({ places, blocks }: Blocks, kept: Uint8Array): ElementNode[] {
  const before = kept.slice()
  const found = places.filter((place) => {
    const isFound = isIllustration(place, kept)
    if (isFound) kept.fill(1, place.first, place.end)
    return isFound
  })
  const added: ElementNode[] = []
  const add = (block: Block, index: number) => {
    if (kept[index] === 1 || (block.place.around & AROUND.hidden) !== 0) return
    kept[index] = 1
    const { node, first, end } = block.place
    if (!before.subarray(first, end).includes(1)) added.push(node)
  }
  for (const place of places) {
    if (!isTable(place.node) || !isCutTable(place, before)) continue
    for (const [at, block] of blocks.slice(place.first, place.end).entries()) add(block, place.first + at)
  }
  const last = before.lastIndexOf(1)
  for (let index = last + 1; index < Math.min(blocks.length, last + NOTES_MAX); index += 1) {
    const block = blocks[index]
    if (block !== undefined && isOfNotes(block.place)) add(block, index)
  }
  return [...found.map(({ node }) => node), ...added]
}

/** Share of the rows of a table that are kept from which it is one whole, and share of links from which it leads elsewhere. */
const ROWS_SHARE_MIN = 0.2
const TABLE_LINK_SHARE_MAX = 0.5

/** Whether a table of data has lost rows, or stands within what is kept: rows are short, and tell little by themselves. */
function isCutTable({ node, around, first, end }: BlockPlace, kept: Uint8Array): boolean {
  if ((around & (ELSEWHERE | AROUND.hidden)) !== 0 || (around & (AROUND.kept | AROUND.folded)) === 0) return false
  const rows = kept.subarray(first, end)
  const count = rows.reduce((sum, one) => sum + one, 0)
  if (count === rows.length || node.linkChars > TABLE_LINK_SHARE_MAX * node.chars) return false
  const isWithin = kept[first - 1] === 1 && kept[end] === 1
  return (isWithin || count >= Math.max(1, ROWS_SHARE_MIN * rows.length)) && isDataTable(node)
}

/** Blocks behind a text that may be its notes. */
const NOTES_MAX = 300
const NOTES = /(?:^|[\s_-])(?:foot-?notes?|endnotes?|doc-endnotes?)(?:$|[\s_-])/i
const NOTES_AROUND = 4

function isOfNotes(place: BlockPlace): boolean {
  let at: BlockPlace | null = place
  for (let count = 0; at !== null && count < NOTES_AROUND; count += 1, at = at.up) {
    const { attributes } = at.node
    if (NOTES.test(attribute(attributes, 'class') ?? '') || NOTES.test(attribute(attributes, 'role') ?? '')) return true
  }
  return false
}

function isIllustration({ node, around, first, end }: BlockPlace, kept: Uint8Array): boolean {
  const isCode = node.name === 'pre'
  const isQuote = node.name === 'blockquote'
  if ((!isCode && !isQuote && node.name !== 'figcaption') || (around & ELSEWHERE) !== 0 || first === end) return false
  if (kept.subarray(first, end).includes(1)) return false
  const isBefore = kept.subarray(Math.max(0, first - (isCode ? BEFORE_CODE : 1)), first).includes(1)
  const isBehind = kept[end] === 1
  if (isQuote) return isBehind && (around & AROUND.kept) !== 0
  return isCode && (around & AROUND.kept) === 0 ? isBefore && isBehind : isBefore || isBehind
}
