import type { StreamedDelta } from '../../domain/event.ts'
import type { Message } from '../../domain/message.ts'
import { type ReplyReading, type SaidPiece, SaidReply } from '../kernel/said-reply.ts'
import { CUT, type EventFrames, ofAgent } from './frames.ts'

/** Thoughts, words and answers of replies, each a message of its own for its reader. */

export const thoughtsId = (message: string): string => `${message}.thoughts`
export const answerId = (message: string): string => `${message}.answer`
/** Of what a run answers that none of its replies says. */
export const resultId = (run: string): string => `${run}.result`

type Kind = SaidPiece['kind']

const NAMES: Readonly<Record<Kind, (message: string) => string>> = {
  thoughts: thoughtsId,
  words: (message) => message,
  answer: answerId,
}

/** A reply that is being written. */
interface Reply {
  id: string
  agent: string | null
  reply: SaidReply
}

/** Tells replies as they are written, and what nobody was told of them when they are whole. */
export class Texts {
  readonly #writer: EventFrames
  readonly #reading: () => ReplyReading
  /** Characters that the reader has of texts, by the ids of their messages. */
  readonly #held: ReadonlyMap<string, number>
  readonly #replies = new Map<string, Reply>()
  /** Texts that were begun and not ended: by the ids of their messages, whose reply they are of. */
  readonly #open = new Map<string, { kind: Kind; reply: string; agent: string | null }>()
  /** The reply that is whole, and ends with what the log has behind it. */
  #whole: string | null = null

  constructor(writer: EventFrames, reading: () => ReplyReading, held: ReadonlyMap<string, number>) {
    this.#writer = writer
    this.#reading = reading
    this.#held = held
  }

  begin(id: string, agent: string | null): Reply {
    const begun = { id, agent, reply: new SaidReply(this.#reading()) }
    this.#replies.set(id, begun)
    return begun
  }

  /** A piece of a reply. One whose beginning was not heard is told when it is whole. `isStructured`: its answer has to fit a schema, and is told at
   *  the end. */
  delta(event: StreamedDelta, isStructured: boolean): void {
    const reply = this.#replies.get(event.message_id)
    if (reply) for (const piece of reply.reply.delta(event, isStructured)) this.#tell(reply, piece)
  }

  /** What of a piece the reader does not have. */
  #tell(reply: Reply, { kind, text, at }: SaidPiece & { at: number }): void {
    const name = NAMES[kind](reply.id)
    const rest = text.slice(Math.max(0, (this.#held.get(name) ?? 0) - at))
    if (rest === '') return
    this.#openOne(name, kind, reply)
    const type = kind === 'thoughts' ? 'REASONING_MESSAGE_CONTENT' : 'TEXT_MESSAGE_CONTENT'
    this.#writer.put(type, { messageId: name, delta: rest })
  }

  #openOne(name: string, kind: Kind, { id, agent }: Pick<Reply, 'id' | 'agent'>): void {
    if (this.#open.has(name)) return
    this.endOf(id)
    this.#open.set(name, { kind, reply: id, agent })
    const whose = { messageId: name, ...ofAgent(agent) }
    if (kind !== 'thoughts') return this.#writer.put('TEXT_MESSAGE_START', { ...whose, role: 'assistant' })
    this.#writer.put('REASONING_START', whose)
    this.#writer.put('REASONING_MESSAGE_START', { ...whose, role: 'reasoning' })
  }

  /** A reply is whole: what of it was not told is told now. */
  whole(message: Message, agent: string | null, isStructured: boolean): void {
    const reply = this.#replies.get(message.id) ?? this.begin(message.id, agent)
    for (const piece of reply.reply.whole(message, isStructured)) this.#tell(reply, piece)
    this.#whole = message.id
    this.#replies.delete(message.id)
  }

  /** The end of a reply that is whole. */
  endWhole({ isCut }: { isCut: boolean }): void {
    const whole = this.#whole
    this.#whole = null
    if (whole !== null) this.#endWhere((one) => one.reply === whole, isCut ? CUT : {})
  }

  /** A text that is known whole at once. */
  tellWhole(name: string, text: string): void {
    const rest = text.slice(this.#held.get(name) ?? 0)
    if (rest === '') return
    this.#openOne(name, 'words', { id: name, agent: null })
    this.#writer.put('TEXT_MESSAGE_CONTENT', { messageId: name, delta: rest })
    this.endOf(name)
  }

  /** Whether something of a reply was told that is not whole. */
  hasPart(id: string): boolean {
    return this.#replies.get(id)?.reply.isTold === true
  }

  /** The reply broke off: what was told of it ends there. */
  breakOff(id: string): void {
    this.endOf(id)
    this.#replies.delete(id)
  }

  /** What is open of a reply ends. */
  endOf(reply: string): void {
    this.#endWhere((one) => one.reply === reply)
  }

  endOfAgent(agent: string): void {
    this.#endWhere((one) => one.agent === agent)
  }

  endAll(): void {
    this.#endWhere(() => true)
  }

  #endWhere(isMeant: (one: { reply: string; agent: string | null }) => boolean, more: object = {}): void {
    for (const [messageId, one] of this.#open) {
      if (!isMeant(one)) continue
      this.#open.delete(messageId)
      if (one.kind !== 'thoughts') this.#writer.put('TEXT_MESSAGE_END', { messageId, ...more })
      else for (const type of ['REASONING_MESSAGE_END', 'REASONING_END']) this.#writer.put(type, { messageId })
    }
  }
}
