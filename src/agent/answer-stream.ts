import type { ArgumentsPiece, Protocol } from '../domain/model.ts'
import type { Tool } from '../domain/tool.ts'
import { JsonTextMember } from '../lib/json-text-member.ts'
import type { DecodedCall } from './codec-shapes.ts'
import { TaggedAnswer } from './tagged-answer.ts'
import { parametersByName, toolsByName } from './tool-names.ts'

interface AnswerStreamOptions {
  /** Tools that the reply may call. */
  tools: readonly Tool[]
  /** The tool that is given the answer, and its parameter for it. */
  tool: Tool
  parameter: string
  protocol: Protocol
  newCallId: () => string
  /** Is given the next piece of the answer, of the call that has this id in the log. */
  tell: (callId: string, text: string) => void
}

/** A call of a reply, under the id that it has in the log. */
export type NamedCall = DecodedCall & { id: string }

/** The answer while a model writes it as an argument: told piece by piece, without the white space around it. Of several calls
 *  of the tool in one reply the first is told; where that turns out to be none, the one that counts, whole, as another call. */
export class AnswerStream {
  readonly #options: AnswerStreamOptions
  #callId: string
  readonly #names: ReadonlySet<string>
  readonly #toolNames: ReadonlySet<string>
  readonly #tagged: TaggedAnswer | null
  readonly #members = new Map<number, JsonTextMember>()
  /** The call that the answer is told of: its place among the native ones, or `text`; null: none yet. */
  #source: number | 'text' | null = null
  #told = ''
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
    if (this.#tagged) this.#tell('text', this.#tagged.push(text))
  }

  /** The next piece of the arguments of a native call. True: some of the answer was told. */
  arguments({ call, name, text, isFirst }: ArgumentsPiece): boolean {
    if (isFirst) this.#members.delete(call)
    if (isFirst && this.#toolNames.has(name.trim())) this.#members.set(call, new JsonTextMember(this.#names))
    const member = this.#members.get(call)
    return member !== undefined && this.#tell(call, member.push(text))
  }

  /** The reply is whole: its calls with their ids in the log. What was not told yet of the answer is told now. */
  settle(calls: readonly DecodedCall[]): NamedCall[] {
    const { tool, parameter, newCallId } = this.#options
    const finishing = calls.filter(({ toolId }) => toolId === tool.id)
    const answering = finishing.find(({ problem }) => problem === null) ?? finishing[0]
    const answer = answering?.problem === null ? answering.arguments[parameter] : null
    const text = typeof answer === 'string' ? answer.trim() : ''
    const isOther = !text.startsWith(this.#told)
    if (isOther && text !== '') this.#begin(newCallId())
    this.#put(text.slice(this.#told.length))
    return calls.map((call) => ({ ...call, id: call === answering ? this.#callId : newCallId() }))
  }

  /** What was told before was not what the reply came to: its answer is told under another id. */
  #begin(callId: string): void {
    this.#callId = callId
    this.#told = ''
  }

  #tell(source: number | 'text', text: string): boolean {
    if (text === '') return false
    this.#source ??= source
    if (this.#source !== source) return false
    const whole = this.#told === '' ? text.trimStart() : this.#space + text
    const shown = whole.trimEnd()
    this.#space = whole.slice(shown.length)
    return this.#put(shown)
  }

  #put(text: string): boolean {
    if (text === '') return false
    this.#told += text
    this.#options.tell(this.#callId, text)
    return true
  }
}
