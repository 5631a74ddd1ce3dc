import { AROUND, type Bare, type Blocks } from './blocks.ts'

/** What to keep, and the F1 that is expected of it. */
interface Choice {
  isKept: Uint8Array
  f1: number
}

/** What blocks of a page are misjudged in goes for most of them: by so much their odds may all be too low or too high, and how likely that is. */
const SLANTS: readonly { odds: number; share: number }[] = [
  { odds: Math.exp(-2), share: 0.25 },
  { odds: 1, share: 0.5 },
  { odds: Math.exp(2), share: 0.25 },
]

/** Which blocks to keep so that the F1 that is expected is greatest, by how likely each belongs to the content. */
export function chooseBlocks(likely: Float32Array, words: Float32Array): Choice {
  const order = Array.from(likely.keys()).toSorted((a, b) => (likely[b] ?? 0) - (likely[a] ?? 0))
  const worth = new Float64Array(likely.length)
  for (const { odds, share } of SLANTS) addWorth(worth, share, order, wordsIn(likely, words, odds), words)
  let best = -1
  for (let count = 0; count < worth.length; count += 1)
    if ((worth[count] ?? 0) > Math.max(0, worth[best] ?? 0)) best = count
  const isKept = new Uint8Array(likely.length)
  for (const index of order.slice(0, best + 1)) isKept[index] = 1
  const plain = new Float64Array(likely.length)
  addWorth(plain, 1, order, wordsIn(likely, words, 1), words)
  return { isKept, f1: plain[best] ?? 0 }
}

/** Words of each block that are expected to be of the content, where the odds of all are other by a factor. */
function wordsIn(likely: Float32Array, words: Float32Array, odds: number): Float64Array {
  return Float64Array.from(likely, (p, index) => ((p * odds) / (1 - p + p * odds)) * (words[index] ?? 0))
}

/** Adds to the worth of keeping the first blocks of an order, for each number of them, the F1 that is expected. */
function addWorth(
  worth: Float64Array,
  share: number,
  order: readonly number[],
  expected: Float64Array,
  words: Float32Array,
): void {
  let all = 0
  for (let index = 0; index < expected.length; index += 1) all += expected[index] ?? 0
  let [kept, found] = [0, 0]
  for (let count = 0; count < order.length; count += 1) {
    const index = order[count] ?? 0
    kept += words[index] ?? 0
    found += expected[index] ?? 0
    worth[count] = (worth[count] ?? 0) + (share * 2 * found) / Math.max(1, kept + all)
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

/** Keep headings that the rules keep where what stands under them is kept: without them nobody knows what it is about. */
export function keepHeadings({ blocks }: Blocks, isKept: Uint8Array): void {
  for (let index = blocks.length - 2; index >= 0; index -= 1) {
    const around = blocks[index]?.place.around ?? 0
    const isHeading = (around & AROUND.heading) !== 0 && (around & AROUND.kept) !== 0 && (around & AROUND.hidden) === 0
    if (isHeading && isKept[index + 1] === 1) isKept[index] = 1
  }
}
