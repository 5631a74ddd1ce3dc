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
const LEAF = 65_535

/** Trees after which a row may be sure, and the sum from which it is; behind the last tree any is. */
const STAGES: readonly { trees: number; sum: number }[] = [
  { trees: 20, sum: 2 },
  { trees: 50, sum: 2.5 },
  { trees: 100, sum: 2.5 },
  { trees: Infinity, sum: 0 },
]

/** A forest that is ready to be asked. */
export class Forest {
  readonly #features: Uint16Array
  /** What is compared with, or what a leaf is worth. */
  readonly #values: Float32Array
  /** The left child is the next node. */
  readonly #right: Uint32Array
  readonly #roots: Uint32Array

  /** `names`: of the features of a row, in their order. */
  constructor(table: ForestTable, names: readonly string[]) {
    const bytes = Uint8Array.from(atob(table.nodes), (character) => character.charCodeAt(0))
    const count = bytes.length / 3
    const thresholds = table.thresholds.split(';').map((list) => list.split(',').map(Number))
    const indexes = table.features.split(' ').map((name) => names.indexOf(name))
    if (indexes.includes(-1)) throw new Error('The model asks for a feature that the reader does not have.')
    this.#features = new Uint16Array(count)
    this.#values = new Float32Array(count)
    this.#right = new Uint32Array(count)
    this.#roots = new Uint32Array(table.trees)
    for (let node = 0; node < count; node += 1) {
      const feature = bytes[node] ?? LEAF_BYTE
      const value = bytes[count + node] ?? 0
      const isLeaf = feature === LEAF_BYTE
      this.#features[node] = isLeaf ? LEAF : (indexes[feature] ?? 0)
      this.#values[node] = isLeaf ? signed(value) * table.scale : (thresholds[feature]?.[value] ?? 0)
      this.#right[node] = node + (bytes[2 * count + node] ?? 0)
    }
    for (let tree = 1; tree < table.trees; tree += 1) this.#roots[tree] = this.#endOf(this.#roots[tree - 1] ?? 0)
  }

  /** The node behind a tree or a part of one. */
  #endOf(node: number): number {
    return this.#features[node] === LEAF ? node + 1 : this.#endOf(this.#right[node] ?? 0)
  }

  /** The sum of what the trees say of a row: above 0 for yes. Where the first of them are sure the others are not asked. */
  sum(row: Float32Array): number {
    const features = this.#features
    const values = this.#values
    const right = this.#right
    const roots = this.#roots
    let sum = 0
    let tree = 0
    for (const stage of STAGES) {
      for (const end = Math.min(stage.trees, roots.length); tree < end; tree += 1) {
        let node = roots[tree] ?? 0
        for (let feature = features[node] ?? LEAF; feature !== LEAF; feature = features[node] ?? LEAF)
          node = (row[feature] ?? 0) <= (values[node] ?? 0) ? node + 1 : (right[node] ?? 0)
        sum += values[node] ?? 0
      }
      if (Math.abs(sum) > stage.sum) break
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
