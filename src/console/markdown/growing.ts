import type { Token, Tokens } from 'marked'

type Nodes = readonly ChildNode[]

/** A block as parts of which the next piece changes only the last ones: the words of a paragraph, the items of a list, the rows of a table; or
 *  blocks one below the other. */
export interface GrowingParts {
  /** Where their nodes stand; null: in the block's own room. */
  within: string | null
  /** A block that goes on stays of one kind. */
  kind: string
  /** How each was written. */
  raws: readonly string[]
  /** So many at the end the next piece may still change. */
  open: number
  /** The nodes of each from this one on. */
  nodesFrom: (index: number) => readonly Nodes[]
}

/** A block that is being written. With each piece only parts that are new or not what they were are rendered, and the last. */
export class Growing {
  readonly element: HTMLElement
  readonly #kind: string
  #shown: { raw: string; nodes: Nodes }[] = []

  /** `element`: where they stand; what it holds is made anew. */
  constructor(element: HTMLElement, parts: GrowingParts) {
    this.element = element
    this.#kind = parts.kind
    element.replaceChildren()
    this.show(parts)
  }

  /** All parts that it has by now. False: it is no longer what it was, and shows nothing of this. */
  show(parts: GrowingParts | null): boolean {
    if (parts?.kind !== this.#kind) return false
    const { raws, open } = parts
    const changed = this.#shown.findIndex(({ raw }, index) => raw !== raws[index])
    const settled = this.#shown.length - open
    const kept = Math.max(0, changed === -1 ? settled : Math.min(changed, settled))
    for (const { nodes } of this.#shown.splice(kept)) for (const node of nodes) node.remove()
    const nodes = kept === raws.length ? [] : parts.nodesFrom(kept)
    this.#shown.push(...raws.slice(kept).map((raw, index) => ({ raw, nodes: nodes[index] ?? [] })))
    this.element.append(...nodes.flat())
    return true
  }
}

/** Of the last two parts one may be a mark that is not closed. */
export function paragraphParts(
  words: readonly Token[],
  nodesOf: (some: readonly Token[]) => readonly Nodes[],
): GrowingParts {
  const nodesFrom = (index: number) => nodesOf(words.slice(index))
  return { within: 'p', kind: 'p', raws: words.map(({ raw }) => raw), open: 2, nodesFrom }
}

/** The elements of the items or rows of a block, which stand where the selector says. */
type RowsOf = (block: Token, within: string) => readonly Nodes[]

/** Whether all its items have paragraphs is said by any of them. */
export function listParts(list: Tokens.List, rowsOf: RowsOf): GrowingParts {
  const { items, ordered, start, loose } = list
  const within = 'ul, ol'
  const nodesFrom = (index: number) => rowsOf({ ...list, items: items.slice(index) }, within)
  return {
    within,
    kind: `${within} ${ordered} ${start} ${loose}`,
    raws: items.map(({ raw }) => raw),
    open: 1,
    nodesFrom,
  }
}

export function tableParts(table: Tokens.Table, rowsOf: RowsOf): GrowingParts {
  const { raw, rows } = table
  const within = 'tbody'
  const raws = rows.map((cells) => cells.map(({ text }) => text).join('|'))
  const nodesFrom = (index: number) => rowsOf({ ...table, rows: rows.slice(index) }, within)
  return { within, kind: `${within} ${raw.split('\n', 2).join('\n')}`, raws, open: 1, nodesFrom }
}

/** Blocks that nothing but what comes behind them can part: a list and what its author did not indent enough. */
export function blocksParts(blocks: readonly Token[], nodesOf: (block: Token) => Nodes): GrowingParts {
  const nodesFrom = (index: number) => blocks.slice(index).map(nodesOf)
  return { within: null, kind: 'blocks', raws: blocks.map(({ raw }) => raw), open: 1, nodesFrom }
}
