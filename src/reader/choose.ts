import { AROUND, type Bare, type Blocks } from './blocks.ts'

/** What to keep, and the F1 that is expected of it. */
interface Choice {
  isKept: Uint8Array
  f1: number
}

/** Which blocks to keep so that the F1 that is expected is greatest, by how likely each belongs to the content. */
export function chooseBlocks(likely: Float32Array, words: Float32Array): Choice {
  const order = Array.from(likely.keys()).toSorted((a, b) => (likely[b] ?? 0) - (likely[a] ?? 0))
  let expected = 0
  for (let index = 0; index < likely.length; index += 1) expected += (likely[index] ?? 0) * (words[index] ?? 0)
  let [kept, found, best, cut] = [0, 0, 0, 0]
  for (const [count, index] of order.entries()) {
    kept += words[index] ?? 0
    found += (likely[index] ?? 0) * (words[index] ?? 0)
    const f1 = (2 * found) / Math.max(1, kept + expected)
    if (f1 > best) [best, cut] = [f1, count + 1]
  }
  const isKept = new Uint8Array(likely.length)
  for (const index of order.slice(0, cut)) isKept[index] = 1
  return { isKept, f1: best }
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
