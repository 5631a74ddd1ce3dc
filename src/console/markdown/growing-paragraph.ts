/** How many parts at the end of a paragraph the next piece may still change: words, and a mark that is not closed. */
const OPEN_PARTS = 2

/** A part of a paragraph, such as words, emphasis or a link: `raw` is how it was written. */
interface Part {
  raw: string
}

interface Shown extends Part {
  nodes: readonly ChildNode[]
}

/** A paragraph that is being written. With each piece only parts that are new or not what they were are rendered, and the last. */
export class GrowingParagraph<P extends Part> {
  readonly element = document.createElement('p')
  readonly #nodesOf: (parts: readonly P[]) => readonly ChildNode[][]
  #shown: Shown[] = []

  /** `nodesOf`: the nodes of each part. */
  constructor(nodesOf: (parts: readonly P[]) => readonly ChildNode[][]) {
    this.#nodesOf = nodesOf
  }

  /** All parts that it has by now. */
  show(parts: readonly P[]): void {
    const changed = this.#shown.findIndex(({ raw }, index) => raw !== parts[index]?.raw)
    const settled = this.#shown.length - OPEN_PARTS
    const kept = Math.max(0, changed === -1 ? settled : Math.min(changed, settled))
    for (const { nodes } of this.#shown.splice(kept)) for (const node of nodes) node.remove()
    const rest = parts.slice(kept)
    const nodes = rest.length === 0 ? [] : this.#nodesOf(rest)
    this.#shown.push(...rest.map(({ raw }, index) => ({ raw, nodes: nodes[index] ?? [] })))
    this.element.append(...nodes.flat())
  }
}
