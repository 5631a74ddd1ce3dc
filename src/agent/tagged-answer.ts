import { CLOSE, OPEN, Tags } from '../lib/tags.ts'
import type { Tool } from '../domain/tool.ts'
import { findTextCalls } from './text-calls.ts'
import { isThinking } from './thinking.ts'
import { parametersByName, toolsByName } from './tool-names.ts'
import { VisibleText } from './visible.ts'

/** Beginnings of calls that are looked at in one reply; one with more has its answer told when it is whole. */
const BEGINNINGS_MAX = 4
/** The longest beginning of a call: two tags, and white space between them. */
const BEGINNING_CHARS_MAX = 400

/** Reads what `tool` is given as its text parameter `parameter` out of a reply that writes its calls as tags and arrives in
 *  pieces. Gives only what the decoder will give too, if the call is closed as it is begun: where thoughts, code or other calls
 *  leave a doubt, nothing; from the first closing tag of the parameter on, nothing more. Linear. */
export class TaggedAnswer {
  readonly #tool: Tool
  readonly #tools: readonly Tool[]
  readonly #beginning: RegExp
  /** The reply until the value begins. */
  #before: string[] = []
  /** The end of it, in which a call may have begun. */
  #tail = ''
  #looked = 0
  /** What closes the value that is being read. */
  #closing: string | null = null
  #held = ''
  #isOver = false

  constructor(tools: readonly Tool[], tool: Tool, parameter: string) {
    this.#tool = tool
    this.#tools = tools
    const names = [...toolsByName([tool]).keys()]
    const parameters = [...parametersByName(tool)].filter(([, english]) => english === parameter).map(([name]) => name)
    this.#beginning = new RegExp(`<(${names.join('|')})\\s{0,8}>\\s{0,64}<(${parameters.join('|')})\\s{0,8}>`, 'gu')
  }

  /** The text that this piece of the reply adds to the value. */
  push(piece: string): string {
    if (this.#isOver) return ''
    if (this.#closing !== null) return this.#inside(piece)
    this.#before.push(piece)
    this.#tail += piece
    if (!this.#tail.includes('<')) {
      this.#tail = ''
      return ''
    }
    for (const found of this.#tail.matchAll(this.#beginning)) {
      const [written, outer = '', inner = ''] = found
      const behind = this.#tail.slice(found.index + written.length)
      if (this.#begins(behind.length, outer, inner)) {
        this.#closing = `</${inner}`
        this.#before = []
        return this.#inside(behind)
      }
    }
    this.#tail = this.#isOver ? '' : unread(this.#tail, this.#beginning)
    return ''
  }

  /** Whether the decoder takes what begins here for the first call of the reply, whatever comes before its end. */
  #begins(behindChars: number, outer: string, inner: string): boolean {
    this.#isOver = ++this.#looked >= BEGINNINGS_MAX
    const reply = this.#before.join('')
    this.#before = [reply]
    const begun = reply.slice(0, reply.length - behindChars)
    const { calls } = findTextCalls(`${begun}x</${inner}></${outer}>`, this.#tools)
    const isFirst = calls.length === 1 && calls[0]?.tool === this.#tool
    const isSure = isFirst && !mayTurn(begun.slice(0, begun.lastIndexOf(`<${outer}`)), this.#tools)
    if (isSure) this.#isOver = false
    return isSure
  }

  #inside(piece: string): string {
    const text = this.#held + piece
    const closing = this.#closing ?? ''
    const end = text.indexOf(closing)
    this.#isOver = end >= 0
    const safe = end >= 0 ? end : text.length - overlap(text, closing)
    this.#held = text.slice(safe)
    return text.slice(0, safe)
  }
}

/** What may still be the beginning of a call. */
function unread(tail: string, beginning: RegExp): string {
  const last = [...tail.matchAll(beginning)].at(-1)
  const from = Math.max(last ? last.index + last[0].length : 0, tail.length - BEGINNING_CHARS_MAX)
  const mark = tail.indexOf('<', from)
  return mark < 0 ? '' : tail.slice(mark)
}

/** Whether what comes later may make thoughts, code or the value of another call of all that follows `text`. */
function mayTurn(text: string, tools: readonly Tool[]): boolean {
  const tags = new Tags(text)
  const visible = new VisibleText(text)
  const byName = toolsByName(tools)
  let thoughts = 0
  for (let tag = 0; tag < tags.count; tag++) {
    const name = tags.name(tag)
    if (isThinking(name) && tags.kinds[tag] === OPEN) thoughts++
    else if (isThinking(name) && tags.kinds[tag] === CLOSE) thoughts = Math.max(0, thoughts - 1)
    else if (tags.kinds[tag] === OPEN && byName.has(name) && visible.isVisible(tags.start(tag))) return true
  }
  return thoughts > 0 || hasOpenSpan(text)
}

/** Whether the last paragraph has a run of backticks that another one may close. */
function hasOpenSpan(text: string): boolean {
  let from = text.length
  for (let end = from; from > 0; end = from) {
    from = text.lastIndexOf('\n', end - 1)
    if (text.slice(from + 1, end).trim() === '' && end < text.length) break
  }
  const counts = new Map<number, number>()
  for (const [run] of text.slice(from + 1).matchAll(/`+/g)) counts.set(run.length, (counts.get(run.length) ?? 0) + 1)
  return [...counts.values()].some((count) => count % 2 === 1)
}

/** How many characters at the end of `text` are the beginning of `mark`. */
function overlap(text: string, mark: string): number {
  for (let length = Math.min(text.length, mark.length - 1); length > 0; length--)
    if (text.endsWith(mark.slice(0, length))) return length
  return 0
}
