import { type CodeCursor, MarkdownCode } from '../lib/markdown-code.ts'
import { CLOSE, OPEN, Tags } from '../lib/tags.ts'
import { CallReader, type WrittenCall, type WrittenParameters } from './text-call.ts'
import { isThinking, ThinkingEnds } from './thinking.ts'
import { type NamedTool, toolsByName } from './tool-names.ts'
import { isHtmlElement } from './text-value.ts'

interface TextCall<T extends NamedTool = NamedTool> {
  tool: T
  /** The outer tag as written. */
  name: string
  params: WrittenParameters
}

interface TextCalls<T extends NamedTool> {
  /** Complete calls of known tools, in the order written. */
  calls: TextCall<T>[]
  /** The name of the first complete call of an unknown tool; null when a known one is called. */
  unknown: string | null
}

/** Find the tool calls that a reply writes as tags. Linear in the reply's length but for a logarithm. */
export function parseTextCalls<T extends NamedTool>(reply: string, tools: readonly T[]): TextCalls<T> {
  const walk = new Walk(reply, toolsByName(tools))
  const { calls, visible } = walk.run()
  return { calls, unknown: calls.length > 0 ? null : firstUnknownCall(walk.tags, visible) }
}

/** One pass over the tags of a reply that are neither thought nor code. */
class Walk<T extends NamedTool> {
  readonly tags: Tags
  readonly #tools: ReadonlyMap<string, T>
  readonly #thinking: ThinkingEnds
  readonly #reader: CallReader
  readonly #cursor: CodeCursor

  constructor(reply: string, tools: ReadonlyMap<string, T>) {
    const code = new MarkdownCode(reply)
    this.tags = new Tags(reply)
    this.#tools = tools
    this.#thinking = new ThinkingEnds(this.tags)
    this.#reader = new CallReader(this.tags, code, this.#thinking, tools)
    this.#cursor = code.cursor(0)
  }

  run(): { calls: TextCall<T>[]; visible: number[] } {
    const calls: TextCall<T>[] = []
    const visible: number[] = []
    for (let tag = 0; tag < this.tags.count; tag++) {
      if (this.#cursor.isCode(this.tags.start(tag))) continue
      const last = this.#isThought(tag) ? this.#thoughtEnd(tag) : this.#readCall(tag, calls)
      if (last === tag) visible.push(tag)
      else this.#cursor.resume(this.tags.end(last))
      tag = last
    }
    return { calls, visible }
  }

  #isThought(tag: number): boolean {
    return this.tags.kinds[tag] === OPEN && isThinking(this.tags.name(tag))
  }

  #thoughtEnd(tag: number): number {
    const end = this.#thinking.find(tag, this.tags.nameIds[tag] ?? -1)
    return end < 0 ? this.tags.count : end
  }

  /** The last tag of the call that `tag` begins; `tag` itself if it begins none. */
  #readCall(tag: number, calls: TextCall<T>[]): number {
    const name = this.tags.name(tag)
    const tool = this.tags.kinds[tag] === CLOSE ? undefined : this.#tools.get(name)
    const call: WrittenCall | null = tool === undefined ? null : this.#reader.read(tag, tool)
    if (tool === undefined || call === null) return tag
    calls.push({ tool, name, params: call.params })
    return call.last
  }
}

interface OpenElement {
  tag: number
  nameId: number
  /** Whether an element within it was closed. */
  holdsElement: boolean
}

/** The name of the first element that looks like a call of an unknown tool, or null. Such an element is closed, is empty or holds
 *  another closed element, and is no HTML. `visible`: the tags that are looked at, by their numbers. Linear in the number of tags. */
function firstUnknownCall(tags: Tags, visible: readonly number[]): string | null {
  const search = new ElementSearch(tags)
  visible.forEach((tag, index) => {
    if (tags.kinds[tag] === OPEN) search.open(tag)
    if (tags.kinds[tag] === CLOSE) search.close(tag, visible[index - 1] ?? -1)
  })
  return search.first < 0 ? null : tags.name(search.first)
}

class ElementSearch {
  readonly #tags: Tags
  readonly #stack: OpenElement[] = []
  readonly #openByName = new Map<number, number>()
  /** The first call found so far, by the number of its opening tag; -1 if none. */
  first = -1

  constructor(tags: Tags) {
    this.#tags = tags
  }

  open(tag: number): void {
    const nameId = this.#tags.nameIds[tag] ?? -1
    this.#stack.push({ tag, nameId, holdsElement: false })
    this.#count(nameId, 1)
  }

  close(tag: number, before: number): void {
    const nameId = this.#tags.nameIds[tag] ?? -1
    if ((this.#openByName.get(nameId) ?? 0) === 0) return
    let holds = false
    for (let element = this.#pop(); element !== undefined; element = this.#pop()) {
      holds ||= element.holdsElement
      if (element.nameId !== nameId) continue
      this.#closed(element, holds || (before === element.tag && this.#tags.isBlankAfter(before)))
      return
    }
  }

  #pop(): OpenElement | undefined {
    const element = this.#stack.pop()
    if (element !== undefined) this.#count(element.nameId, -1)
    return element
  }

  #closed(element: OpenElement, isCall: boolean): void {
    const parent = this.#stack.at(-1)
    if (parent !== undefined) parent.holdsElement = true
    if (!isCall || isHtmlElement(this.#tags.name(element.tag))) return
    if (this.first < 0 || element.tag < this.first) this.first = element.tag
  }

  #count(nameId: number, by: number): void {
    this.#openByName.set(nameId, (this.#openByName.get(nameId) ?? 0) + by)
  }
}
