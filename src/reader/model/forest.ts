/** What was learned, as the script in test/bench/reader/train writes it. */
export interface ModelTable {
  /** Words in class and id with their weights in hundredths: `word:weight` with spaces between. */
  names: string
  /** Words that a text begins with, in the same way. */
  words: string
  forest: ForestTable
}

/** Boosted trees as the script in test/bench/reader/train writes them. */
export interface ForestTable {
  /** Names of the features that are asked for, with spaces between. */
  features: string
  /** For each of them the amounts that it is compared with: `,` between amounts, `;` between features. */
  thresholds: string
  /** What a step of a leaf is worth. */
  scale: number
  trees: number
  /** Three lists of bytes in Base64, one byte a node: its feature (255: a leaf), its threshold or worth, how far on its right child is. */
  nodes: string
}

const LEAF_BYTE = 255
const LEAF = -1
/** A node takes two places: what it asks for, and what it compares that with. */
const PLACES = 2
/** Bits of how many places on a right child is. */
const STEP_BITS = 9
const STEP = 511

/** Trees after which a row may be sure, the sum from which it is, and by what that is multiplied to be nearly the sum of all; behind the last tree any is.
 *  Source: sums of rows of other folds, in which this changes no F1 by more than 0.0005. */
const STAGES: readonly { trees: number; sum: number; scale: number }[] = [
  { trees: 10, sum: 1.1, scale: 4.13 },
  { trees: 20, sum: 1.7, scale: 2.5 },
  { trees: 30, sum: 2, scale: 1.93 },
  { trees: 50, sum: 2.2, scale: 1.46 },
  { trees: 75, sum: 2.3, scale: 1.23 },
  { trees: 100, sum: 2.5, scale: 1.12 },
  { trees: Infinity, sum: 0, scale: 1 },
]

/** A forest that is ready to be asked. */
export class Forest {
  /** The feature that a node asks for and, in the lower bits, how many places on its right child is; its left child is the next node. */
  readonly #nodes: Int32Array
  /** The same memory, for the other place of each node: what is compared with, or what a leaf is worth. */
  readonly #values: Float32Array
  readonly #roots: Uint32Array

  /** `names`: of the features of a row, in their order. */
  constructor(table: ForestTable, names: readonly string[]) {
    const bytes = Uint8Array.from(atob(table.nodes), (character) => character.charCodeAt(0))
    const count = bytes.length / 3
    const thresholds = table.thresholds.split(';').map((list) => list.split(',').map(Number))
    const indexes = table.features.split(' ').map((name) => names.indexOf(name))
    if (indexes.includes(-1)) throw new Error('The model asks for a feature that the reader does not have.')
    this.#nodes = new Int32Array(PLACES * count)
    this.#values = new Float32Array(this.#nodes.buffer)
    this.#roots = new Uint32Array(table.trees)
    for (let node = 0; node < count; node += 1) {
      const feature = bytes[node] ?? LEAF_BYTE
      const value = bytes[count + node] ?? 0
      const isLeaf = feature === LEAF_BYTE
      const step = bytes[2 * count + node] ?? 0
      this.#nodes[PLACES * node] = isLeaf ? LEAF : ((indexes[feature] ?? 0) << STEP_BITS) | (PLACES * step)
      this.#values[PLACES * node + 1] = isLeaf ? signed(value) * table.scale : (thresholds[feature]?.[value] ?? 0)
    }
    for (let tree = 1; tree < table.trees; tree += 1) this.#roots[tree] = this.#endOf(this.#roots[tree - 1] ?? 0)
  }

  /** The node behind a tree or a part of one. */
  #endOf(node: number): number {
    const asked = this.#nodes[node] ?? LEAF
    return asked === LEAF ? node + PLACES : this.#endOf(node + (asked & STEP))
  }

  /** The sum of what the trees say of a row: above 0 for yes. Where the first of them are sure the others are not asked. */
  sum(row: Float32Array): number {
    const nodes = this.#nodes
    const values = this.#values
    const roots = this.#roots
    let sum = 0
    let tree = 0
    for (const stage of STAGES) {
      for (const end = Math.min(stage.trees, roots.length); tree < end; tree += 1) {
        let node = roots[tree] ?? 0
        for (let asked = nodes[node] ?? LEAF; asked >= 0; asked = nodes[node] ?? LEAF)
          node += (row[asked >> STEP_BITS] ?? 0) <= (values[node + 1] ?? 0) ? PLACES : asked & STEP
        sum += values[node + 1] ?? 0
      }
      if (Math.abs(sum) > stage.sum) return sum * stage.scale
    }
    return sum
  }
}

function signed(byte: number): number {
  return byte > 127 ? byte - 256 : byte
}

export function logistic(sum: number): number {
  return 1 / (1 + Math.exp(-sum))
}
