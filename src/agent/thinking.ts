import { lowerBound } from '../lib/markdown-code.ts'
import { CLOSE, OPEN, type Tags } from '../lib/tags.ts'

const THINKING: ReadonlySet<string> = new Set(['思考', 'think', 'thinking'])

/** Whether a tag of this name encloses thoughts of the model; no tool can be called by such a name. */
export function isThinking(name: string): boolean {
  return THINKING.has(name)
}

/** Ends of thinking blocks. A block ends at the closing tag that balances it, or, if its text mentions more opening tags than
 *  are closed, at the first closing tag. */
export class ThinkingEnds {
  readonly #balanced = new Map<number, number>()
  readonly #closings = new Map<number, number[]>()

  constructor(tags: Tags) {
    const open = new Map<number, number[]>()
    tags.kinds.forEach((kind, tag) => {
      const nameId = tags.nameIds[tag] ?? -1
      if (!isThinking(tags.name(tag))) return
      if (kind === OPEN) push(open, nameId, tag)
      if (kind === CLOSE) this.#close(nameId, tag, open.get(nameId)?.pop())
    })
  }

  /** The number of the closing tag of the block that tag `open` opens, or -1: it reaches to the end. */
  find(open: number, nameId: number): number {
    const closings = this.#closings.get(nameId) ?? []
    return this.#balanced.get(open) ?? closings[lowerBound(closings, open + 1)] ?? -1
  }

  #close(nameId: number, tag: number, open: number | undefined): void {
    push(this.#closings, nameId, tag)
    if (open !== undefined) this.#balanced.set(open, tag)
  }
}

function push(lists: Map<number, number[]>, key: number, value: number): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [value])
  else list.push(value)
}
