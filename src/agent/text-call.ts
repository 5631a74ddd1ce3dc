import type { MarkdownCode } from '../lib/markdown-code.ts'
import { CLOSE, EMPTY, type Tags } from '../lib/tags.ts'
import { isThinking, type ThinkingEnds } from './thinking.ts'
import { type NamedTool, parametersByName } from './tool-names.ts'
import { type CallNames, ValueEnds } from './text-value.ts'

/** Names as written and values as they stand but for outer white space, in the order written. */
export type WrittenParameters = [nameAsWritten: string, rawValue: string][]

export interface WrittenCall {
  params: WrittenParameters
  /** Number of the last tag of the call. */
  last: number
}

/** Reads single calls of known tools out of the tags of a reply. */
export class CallReader {
  readonly #tags: Tags
  readonly #code: MarkdownCode
  readonly #thinking: ThinkingEnds
  readonly #tools: ReadonlyMap<string, NamedTool>
  readonly #values: ValueEnds
  readonly #parameters = new Map<NamedTool, ReadonlyMap<string, string>>()
  /** Places from which no call of an outer name gets to its end. */
  readonly #dead = new Set<number>()

  constructor(tags: Tags, code: MarkdownCode, thinking: ThinkingEnds, tools: ReadonlyMap<string, NamedTool>) {
    this.#tags = tags
    this.#code = code
    this.#thinking = thinking
    this.#tools = tools
    this.#values = new ValueEnds(tags, code)
  }

  /** The call that the outer tag number `open` begins, or null if it is not closed or holds text only. */
  read(open: number, tool: NamedTool): WrittenCall | null {
    if (this.#tags.kinds[open] === EMPTY) return { params: [], last: open }
    const names = this.#namesFor(open, tool)
    if (this.#isEmptyCall(open, names)) return { params: [], last: open + 1 }
    const passed: number[] = []
    const call = this.#inside(open, names, passed)
    if (call === null) for (const place of passed) this.#dead.add(place)
    return call
  }

  /** From the outer opening tag to its end: parameters, and stray text between them. */
  #inside(open: number, names: CallNames, passed: number[]): WrittenCall | null {
    const params: WrittenParameters = []
    const cursor = this.#code.cursor(this.#tags.end(open))
    for (let tag = open + 1; tag < this.#tags.count; tag++) {
      if (params.length > 0 && this.#isDead(tag, names, passed)) return null
      if (cursor.isCode(this.#tags.start(tag))) continue
      if (this.#tags.is(tag, CLOSE, names.outer)) return params.length > 0 ? { params, last: tag } : null
      if (this.#tags.kinds[tag] === CLOSE) continue
      const end = this.#innerEnd(tag, names, params)
      if (end === null) return null
      if (end > tag) cursor.resume(this.#tags.end(end))
      tag = end
    }
    return null
  }

  /** The last tag of the element that the inner tag `tag` begins, or `tag` itself if it is stray text. Null: the outer tag was never closed. */
  #innerEnd(tag: number, names: CallNames, params: WrittenParameters): number | null {
    const name = this.#tags.name(tag)
    if (!names.isParameter(name)) {
      if (isThinking(name)) return this.#thoughtEnd(tag)
      if (names.isTool(name)) return null
    }
    if (this.#tags.kinds[tag] === EMPTY) return this.#addEmpty(tag, names, params)
    const end = this.#values.find(tag, names)
    if (end < 0) return tag
    params.push([name, this.#tags.text.slice(this.#tags.end(tag), this.#tags.start(end)).trim()])
    return end
  }

  #thoughtEnd(tag: number): number | null {
    const end = this.#thinking.find(tag, this.#tags.nameIds[tag] ?? -1)
    return end < 0 ? null : end
  }

  #addEmpty(tag: number, names: CallNames, params: WrittenParameters): number {
    const name = this.#tags.name(tag)
    if (names.isParameter(name)) params.push([name, ''])
    return tag
  }

  #isEmptyCall(open: number, names: CallNames): boolean {
    return this.#tags.isBlankAfter(open) && this.#tags.is(open + 1, CLOSE, names.outer)
  }

  #isDead(tag: number, names: CallNames, passed: number[]): boolean {
    const place = tag * this.#tags.names.length + names.outer
    passed.push(place)
    return this.#dead.has(place)
  }

  #namesFor(open: number, tool: NamedTool): CallNames {
    const parameters = this.#parameters.get(tool) ?? parametersByName(tool)
    this.#parameters.set(tool, parameters)
    return {
      outer: this.#tags.nameIds[open] ?? -1,
      isTool: (name) => this.#tools.has(name),
      isParameter: (name) => parameters.has(name),
    }
  }
}
