import { type CodeCursor, MarkdownCode } from '../lib/markdown-code.ts'
import { CLOSE, OPEN, Tags } from '../lib/tags.ts'
import { CallReader, type WrittenCall, type WrittenParameters } from './text-call.ts'
import { isThinking, ThinkingEnds } from './thinking.ts'
import { type NamedTool, toolsByName } from './tool-names.ts'
import { firstUnknownCall } from './unknown-call.ts'

export interface TextCall<T extends NamedTool = NamedTool> {
  tool: T
  /** The outer tag as written. */
  name: string
  params: WrittenParameters
}

export interface TextCalls<T extends NamedTool> {
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
