import type { ElementNode } from './node.ts'
import { type ImpliedEnd, TAG, type Tag, TAG_COUNT } from './tags.ts'

/** Elements nested deeper are flattened into their ancestor, so that every walk over the tree may recurse. */
const DEPTH_MAX = 256
/** Elements of one tree; more are flattened too. Bounds the memory that a page of start tags can take. */
const NODES_MAX = 100_000
/** Levels in which an implied end is looked for. */
const IMPLIED_DEPTH_MAX = 32

const NO_COUNTS: readonly number[] = Array.from({ length: TAG_COUNT }, () => 0)

/** The elements whose end tags are still to come, the outermost first. */
export class OpenElements {
  readonly #stack: ElementNode[]
  /** Their numbers by the index of their tag. */
  readonly #counts = NO_COUNTS.slice()
  /** Start tags beyond the depth, by name: their end tags end nothing. */
  readonly #flattened = new Map<string, number>()
  #flattenedCount = 0
  /** Elements that the tree has so far. */
  nodes = 0
  current: ElementNode
  /** Those whose content is not read, those of them that are SVG, and those in which white space counts. */
  dropped = 0
  foreign = 0
  preformatted = 0

  constructor(root: ElementNode) {
    this.#stack = [root]
    this.current = root
  }

  get depth(): number {
    return this.#stack.length
  }

  /** Whether an element would be one too many or too deep. One whose content is not read always finds room. */
  isFull(bits: number): boolean {
    if (this.#stack.length < DEPTH_MAX && this.nodes < NODES_MAX) return false
    return (bits & TAG.dropped) === 0 || this.dropped > 0
  }

  push(node: ElementNode): void {
    this.nodes += 1
    this.#stack.push(node)
    this.#count(node.tag, 1)
    this.current = node
  }

  /** Take the innermost away, or null when only the root is left. */
  pop(): ElementNode | null {
    const { current } = this
    if (current.parent === null) return null
    this.#stack.pop()
    this.#count(current.tag, -1)
    this.current = this.#stack[this.#stack.length - 1] ?? current.parent
    return current
  }

  #count({ bits, name, index }: Tag, change: number): void {
    this.#counts[index] = (this.#counts[index] ?? 0) + change
    if ((bits & TAG.dropped) !== 0) this.dropped += change
    if (name === 'svg') this.foreign += change
    else if (name === 'pre') this.preformatted += change
  }

  /** The depth that is left when a start tag has ended what it ends by itself. */
  depthAfterImplied({ ends, until, endIndexes }: ImpliedEnd): number {
    const stack = this.#stack
    let depth = stack.length
    if (!this.#isAnyOpen(endIndexes)) return depth
    const bottom = Math.max(depth - IMPLIED_DEPTH_MAX, 1)
    for (let index = depth - 1; index >= bottom; index -= 1) {
      const open = stack[index]?.name ?? ''
      if (ends.has(open)) depth = index
      else if (until.has(open)) break
    }
    return depth
  }

  #isAnyOpen(indexes: readonly number[]): boolean {
    for (const index of indexes) if (this.#counts[index] !== 0) return true
    return false
  }

  /** The depth that an end tag leaves; null when it ends nothing, or a wall stands before what it would end. */
  depthAfterEnd(tag: Tag): number | null {
    if (this.#counts[tag.index] === 0) return null
    const stack = this.#stack
    for (let index = stack.length - 1; index > 0; index -= 1) {
      const open = stack[index]
      if (open === undefined || open.name === tag.name) return index
      if ((open.bits & tag.wall) !== 0) return null
    }
    return null
  }

  /** Remember a start tag for which there was no room. */
  flatten(name: string): void {
    this.#flattened.set(name, (this.#flattened.get(name) ?? 0) + 1)
    this.#flattenedCount += 1
  }

  /** Whether an end tag belongs to such a start tag. */
  endFlattened(name: string): boolean {
    if (this.#flattenedCount === 0) return false
    const count = this.#flattened.get(name) ?? 0
    if (count === 0) return false
    this.#flattened.set(name, count - 1)
    this.#flattenedCount -= 1
    return true
  }
}
