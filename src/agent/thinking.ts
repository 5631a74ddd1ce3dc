import { lowerBound, type CodeCursor, MarkdownCode } from '../lib/markdown-code.ts'
import { CLOSE, OPEN, Tags } from '../lib/tags.ts'

const THINKING: ReadonlySet<string> = new Set(['思考', 'think', 'thinking'])

/** Whether a tag of this name encloses thoughts of the model; no tool can be called by such a name. */
export function isThinking(name: string): boolean {
  return THINKING.has(name)
}

/** Where thinking blocks end. A block ends at the closing tag that balances it. If more tags are opened in it than are closed, it
 *  ends at the first closing tag. */
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

/** Tells for ascending positions of a reply whether they are outside thinking blocks and Markdown code. */
export class VisibleText {
  readonly #tags: Tags
  readonly #thinking: ThinkingEnds
  readonly #cursor: CodeCursor
  #tag = 0
  /** End of the last thinking block that was come across. */
  #thoughtEnd = 0

  constructor(reply: string) {
    this.#tags = new Tags(reply)
    this.#thinking = new ThinkingEnds(this.#tags)
    this.#cursor = new MarkdownCode(reply).cursor(0)
  }

  isVisible(at: number): boolean {
    for (; this.#tags.start(this.#tag) <= at && this.#tag < this.#tags.count; this.#tag++) this.#pass(this.#tag)
    return at >= this.#thoughtEnd && !this.#cursor.isCode(at)
  }

  #pass(tag: number): void {
    const start = this.#tags.start(tag)
    if (start < this.#thoughtEnd || this.#tags.kinds[tag] !== OPEN || !isThinking(this.#tags.name(tag))) return
    if (this.#cursor.isCode(start)) return
    const end = this.#thinking.find(tag, this.#tags.nameIds[tag] ?? -1)
    this.#thoughtEnd = end < 0 ? Infinity : this.#tags.end(end)
    if (end >= 0) this.#cursor.resume(this.#thoughtEnd)
  }
}

/** A reply without its thinking blocks, wherever they stand outside of code; one that is not closed reaches to the end. */
export function withoutThoughts(reply: string): string {
  const tags = new Tags(reply)
  const thinking = new ThinkingEnds(tags)
  const cursor = new MarkdownCode(reply).cursor(0)
  const said: string[] = []
  let from = 0
  for (let tag = 0; tag < tags.count; tag++) {
    const start = tags.start(tag)
    if (tags.kinds[tag] !== OPEN || !isThinking(tags.name(tag)) || cursor.isCode(start)) continue
    said.push(reply.slice(from, start))
    const end = thinking.find(tag, tags.nameIds[tag] ?? -1)
    if (end < 0) return said.join('')
    from = tags.end(end)
    cursor.resume(from)
    tag = end
  }
  return [...said, reply.slice(from)].join('')
}

/** A reply without the thinking blocks that it begins with; empty if one of them is not closed. */
export function afterThoughts(reply: string): string {
  const tags = new Tags(reply)
  const thinking = new ThinkingEnds(tags)
  let from = 0
  for (let tag = 0; tag < tags.count; tag++) {
    if (tags.kinds[tag] !== OPEN || !isThinking(tags.name(tag))) break
    if (reply.slice(from, tags.start(tag)).trim() !== '') break
    const end = thinking.find(tag, tags.nameIds[tag] ?? -1)
    if (end < 0) return ''
    from = tags.end(end)
    tag = end
  }
  return reply.slice(from).trim()
}

const END = /(?<!\S[ \t])<\/(思考|think|thinking)>(?=[ \t]*(?:\n|$))/

/** A reply that ends thoughts which it never began, as where a chat template begins them and a service leaves that out: with their beginning. What
 *  stands in code ends nothing, nor does what stands in an element that is left open; behind a word and a space an end is spoken of. */
export function withThoughtsBegun(reply: string): string {
  const end = END.exec(reply)
  if (!end) return reply
  const before = new Tags(reply.slice(0, end.index))
  const open = new Map<number, number>()
  before.kinds.forEach((kind, tag) => {
    const sign = { [OPEN]: 1, [CLOSE]: -1 }[kind] ?? 0
    open.set(before.nameIds[tag] ?? -1, (open.get(before.nameIds[tag] ?? -1) ?? 0) + sign)
  })
  const isWithin = open.values().some((count) => count > 0) || before.names.some(isThinking)
  return isWithin || !new VisibleText(reply).isVisible(end.index) ? reply : `<${end[1] ?? 'think'}>${reply}`
}
