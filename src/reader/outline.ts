import type { BlockPlace } from './blocks.ts'
import { keepShape } from './shapes.ts'

const RANKS = 6

/** The rank of a heading that a block stands in; the lowest where it is none. */
export function rankOf(place: BlockPlace): number {
  for (let around: BlockPlace | null = place; around !== null; around = around.up) {
    const rank = /^h([1-6])$/.exec(around.node.name)?.[1]
    if (rank !== undefined) return Number(rank)
  }
  return RANKS
}

/** Headings over the place in a page that was reached, by their rank. */
export class Outline {
  readonly #open = new Int32Array(RANKS + 1).fill(-1)
  /** Number of the block of the last heading, and of the one over it; -1 without one. */
  heading = -1
  outer = -1

  enter(index: number, rank: number): void {
    this.#open.fill(-1, rank)
    this.#open[rank] = index
    this.heading = index
    this.outer = -1
    for (let over = rank - 1; over > 0 && this.outer < 0; over -= 1) this.outer = this.#open[over] ?? -1
  }
}

keepShape(new Outline())
