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
/** A node takes two places: what it asks for, and what it compares that with. */
const PLACES = 2
/** Bits of how many places behind the left child the right one is, and the bit of a node that is no leaf. */
const STEP = 511
const INNER_BIT = 9
const INNER = 1 << INNER_BIT
const FEATURE_BIT = 10
/** Trees that are asked at once: to go down in one is to wait for memory. */
const LANES = 5

const LAST_STAGE = { trees: Infinity, sum: 0, scale: 1 }
/** Trees after which a row may be sure, the sum from which it is, and by what that is multiplied to be nearly the sum of all; behind the last tree any is.
 *  Source: sums of rows of other folds, in which this changes no F1 by more than 0.0005. */
const STAGES: readonly { trees: number; sum: number; scale: number }[] = [
  { trees: 10, sum: 1.1, scale: 4.13 },
  { trees: 20, sum: 1.7, scale: 2.5 },
  { trees: 30, sum: 2, scale: 1.93 },
  { trees: 50, sum: 2.2, scale: 1.46 },
  { trees: 75, sum: 2.3, scale: 1.23 },
  { trees: 100, sum: 2.5, scale: 1.12 },
  LAST_STAGE,
]

/** A forest that is ready to be asked. */
export class Forest {
  /** The feature that a node asks for, whether it is no leaf, and how far behind its left child, which is the next node, its right child is; 0 for a leaf. */
  readonly #nodes: Int32Array
  /** The same memory, for the other place of each node: what is compared with, or what a leaf is worth. */
  readonly #values: Float32Array
  /** First nodes of the trees of all stages, each filled up with trees that say nothing; and where each stage ends. */
  readonly #roots: Uint32Array
  readonly #ends: readonly number[]

  /** `names`: of the features of a row, in their order. */
  constructor(table: ForestTable, names: readonly string[]) {
    const bytes = Uint8Array.from(atob(table.nodes), (character) => character.charCodeAt(0))
    const count = bytes.length / 3
    const thresholds = table.thresholds.split(';').map((list) => list.split(',').map(Number))
    const indexes = table.features.split(' ').map((name) => names.indexOf(name))
    if (indexes.includes(-1)) throw new Error('The model asks for a feature that the reader does not have.')
    this.#nodes = new Int32Array(PLACES * (count + 1))
    this.#values = new Float32Array(this.#nodes.buffer)
    for (let node = 0; node < count; node += 1) {
      const feature = bytes[node] ?? LEAF_BYTE
      const value = bytes[count + node] ?? 0
      const isLeaf = feature === LEAF_BYTE
      const step = PLACES * ((bytes[2 * count + node] ?? 0) - 1)
      this.#nodes[PLACES * node] = isLeaf ? 0 : ((indexes[feature] ?? 0) << FEATURE_BIT) | INNER | step
      this.#values[PLACES * node + 1] = isLeaf ? signed(value) * table.scale : (thresholds[feature]?.[value] ?? 0)
    }
    const roots: number[] = []
    let [tree, node] = [0, 0]
    this.#ends = STAGES.map((stage) => {
      for (; tree < Math.min(stage.trees, table.trees); tree += 1) {
        roots.push(node)
        node = this.#endOf(node)
      }
      // The last node is a leaf that is worth nothing.
      while (roots.length % LANES > 0) roots.push(PLACES * count)
      return roots.length
    })
    this.#roots = Uint32Array.from(roots)
  }

  /** The node behind a tree or a part of one. */
  #endOf(node: number): number {
    const asked = this.#nodes[node] ?? 0
    return asked === 0 ? node + PLACES : this.#endOf(node + PLACES + (asked & STEP))
  }

  /** The sum of what the trees say of a row: above 0 for yes. Where the first of them are sure the others are not asked. */
  sum(row: Float32Array): number {
    const nodes = this.#nodes
    const values = this.#values
    const roots = this.#roots
    let stage = 0
    let sum = 0
    // All lanes go on until each has come to a leaf, where it stays; no step depends on a guess of the processor's.
    for (let tree = 0; tree < roots.length; tree += LANES) {
      if (tree === this.#ends[stage]) {
        const { sum: least, scale } = STAGES[stage] ?? LAST_STAGE
        if (Math.abs(sum) > least) return sum * scale
        stage += 1
      }
      let a = roots[tree] ?? 0
      let b = roots[tree + 1] ?? 0
      let c = roots[tree + 2] ?? 0
      let d = roots[tree + 3] ?? 0
      let e = roots[tree + 4] ?? 0
      for (;;) {
        const inA = nodes[a] ?? 0
        const inB = nodes[b] ?? 0
        const inC = nodes[c] ?? 0
        const inD = nodes[d] ?? 0
        const inE = nodes[e] ?? 0
        if (((inA | inB | inC | inD | inE) & INNER) === 0) break
        a += stepOf(inA, (row[inA >> FEATURE_BIT] ?? 0) <= (values[a + 1] ?? 0))
        b += stepOf(inB, (row[inB >> FEATURE_BIT] ?? 0) <= (values[b + 1] ?? 0))
        c += stepOf(inC, (row[inC >> FEATURE_BIT] ?? 0) <= (values[c + 1] ?? 0))
        d += stepOf(inD, (row[inD >> FEATURE_BIT] ?? 0) <= (values[d + 1] ?? 0))
        e += stepOf(inE, (row[inE >> FEATURE_BIT] ?? 0) <= (values[e + 1] ?? 0))
      }
      sum += values[a + 1] ?? 0
      sum += values[b + 1] ?? 0
      sum += values[c + 1] ?? 0
      sum += values[d + 1] ?? 0
      sum += values[e + 1] ?? 0
    }
    return sum
  }
}

/** How far on a node's left or right child is; a leaf has none. */
function stepOf(node: number, isLeft: boolean): number {
  return ((node >> (INNER_BIT - 1)) & PLACES) + (node & STEP & (Number(isLeft) - 1))
}

function signed(byte: number): number {
  return byte > 127 ? byte - 256 : byte
}

export function logistic(sum: number): number {
  return 1 / (1 + Math.exp(-sum))
}
