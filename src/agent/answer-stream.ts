import type { ArgumentsPiece, Protocol } from '../domain/model.ts'
import type { Tool } from '../domain/tool.ts'
import { JsonTextMember } from '../lib/json-text-member.ts'
import type { DecodedCall } from './decode.ts'
import { parametersByName, toolsByName } from './tool-names.ts'
import { CLOSE, OPEN, Tags } from '../lib/tags.ts'
import { findTextCalls } from './text-calls.ts'
import { isThinking, VisibleText } from './thinking.ts'

interface AnswerStreamOptions {
  /** Tools that the reply may call. */
  tools: readonly Tool[]
  /** The tool that is given the answer, and its parameter for it. */
  tool: Tool
  parameter: string
  protocol: Protocol
  newCallId: () => string
  /** Is given the next piece of the answer, of the call that has this id in the log. */
  emit: (callId: string, text: string) => void
}

/** A call of a reply, under the id that it has in the log. */
export type NamedCall = DecodedCall & { id: string }

/** Emits the answer piece by piece while a model writes it as an argument, without the white space around it. If a reply calls the
 *  tool several times, the first call is emitted. If another call counts in the end, that one is emitted whole under its own id. */
export class AnswerStream {
  readonly #options: AnswerStreamOptions
  #callId: string
  readonly #names: ReadonlySet<string>
  readonly #toolNames: ReadonlySet<string>
  readonly #tagged: TaggedAnswer | null
  readonly #members = new Map<number, JsonTextMember>()
  /** The call whose answer is emitted: its place among the native ones, or `text`; null: none yet. */
  #source: number | 'text' | null = null
  #emitted = ''
  #space = ''

  constructor(options: AnswerStreamOptions) {
    const { tools, tool, parameter, protocol, newCallId } = options
    this.#options = options
    this.#callId = newCallId()
    this.#names = new Set([...parametersByName(tool)].filter(([, name]) => name === parameter).map(([name]) => name))
    this.#toolNames = new Set([...toolsByName([tool]).keys()].flatMap((name) => [name, `functions.${name}`]))
    const isOffered = tools.includes(tool)
    this.#tagged = isOffered && protocol !== 'native' ? new TaggedAnswer(tools, tool, parameter) : null
  }

  /** The next piece of the reply's text. */
  content(text: string): void {
    if (this.#tagged) this.#emit('text', this.#tagged.push(text))
  }

  /** The next piece of the arguments of a native call. True: some of the answer was emitted. */
  arguments({ call, name, text, isFirst }: ArgumentsPiece): boolean {
    if (isFirst) this.#members.delete(call)
    if (isFirst && this.#toolNames.has(name.trim())) this.#members.set(call, new JsonTextMember(this.#names))
    const member = this.#members.get(call)
    return member !== undefined && this.#emit(call, member.push(text))
  }

  /** The reply is whole: its calls with their ids in the log. The rest of the answer is emitted now. */
  settle(calls: readonly DecodedCall[]): NamedCall[] {
    const { tool, parameter, newCallId } = this.#options
    const finishing = calls.filter(({ toolId }) => toolId === tool.id)
    const answering = finishing.find(({ problem }) => problem === null) ?? finishing[0]
    const answer = answering?.problem === null ? answering.arguments[parameter] : null
    const text = typeof answer === 'string' ? answer.trim() : ''
    const isOther = !text.startsWith(this.#emitted)
    if (isOther && text !== '') this.#begin(newCallId())
    this.#put(text.slice(this.#emitted.length))
    return calls.map((call) => ({ ...call, id: call === answering ? this.#callId : newCallId() }))
  }

  /** The reply came to another answer than the one that was begun: it is emitted under another id. */
  #begin(callId: string): void {
    this.#callId = callId
    this.#emitted = ''
  }

  #emit(source: number | 'text', text: string): boolean {
    if (text === '') return false
    this.#source ??= source
    if (this.#source !== source) return false
    const whole = this.#emitted === '' ? text.trimStart() : this.#space + text
    const shown = whole.trimEnd()
    this.#space = whole.slice(shown.length)
    return this.#put(shown)
  }

  #put(text: string): boolean {
    if (text === '') return false
    this.#emitted += text
    this.#options.emit(this.#callId, text)
    return true
  }
}

/** Beginnings of calls that are looked at in one reply; of one with more the answer is emitted when it is whole. */
const BEGINNINGS_MAX = 4
/** The longest beginning of a call: two tags, and white space between them. */
const BEGINNING_CHARS_MAX = 400

/** Reads the text parameter `parameter` of `tool` out of a reply that arrives in pieces and writes its calls as tags. It gives only
 *  what the decoder will give too, provided that the call is closed. Where thoughts, code or other calls leave a doubt it gives
 *  nothing, and it stops at the first closing tag of the parameter. Linear. */
class TaggedAnswer {
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
  /** Names of the elements that the value opened. */
  readonly #opened = new Set<string>()
  /** The value from a tag on that ends no element in it: a model that forgot the end of the value may have ended its call. It is given
   *  where that end comes after all. */
  #doubtful: string[] | null = null
  /** The beginning of a tag in it. */
  #tag = ''
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
    const read = end >= 0 ? end : text.length - overlap(text, closing)
    this.#held = text.slice(read)
    return this.#sure(text.slice(0, read))
  }

  /** What of the value is given now that so much more of it is there. */
  #sure(piece: string): string {
    if (this.#isOver) return [...(this.#doubtful ?? []), this.#tag, piece].join('')
    if (this.#doubtful) {
      this.#doubtful.push(piece)
      return ''
    }
    const text = this.#tag + piece
    this.#tag = ''
    for (const { 1: slash, 2: name = '', 3: end, 4: cut, index } of text.matchAll(TAG_BEGUN)) {
      if (cut !== undefined) this.#tag = text.slice(index)
      else if (slash === '') this.#opened.add(name)
      else if (end !== undefined && !this.#opened.has(name)) this.#doubtful = [text.slice(index)]
      if (cut !== undefined || this.#doubtful) return text.slice(0, index)
    }
    return text
  }
}

/** A tag up to its name, and whether it or the text ends there. */
const TAG_BEGUN = /<(\/?)([^\s<>/]{0,60})(?:(>)|($)|)/gu

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
