import { isUnseen } from '../../client/reply-filter.ts'
import type { SessionEvent, StreamedDelta } from '../../domain/event.ts'
import type { Message } from '../../domain/message.ts'
import type { StreamAbout } from '../../session/queries/projection.ts'
import { type ReplyReading, type SaidPiece, SaidReply } from './said-reply.ts'

/** A model call of the run itself. */
interface Call {
  id: string
  isSeen: boolean
  /** Its message is in the log. */
  isWhole: boolean
  reply: SaidReply
}

/** What a run says by one model call after the other, for one reader. */
export class ReplyTeller {
  readonly #reading: ReplyReading
  #call: Call | null = null
  /** The answer has to fit a schema: it is told when the run rests. */
  #isStructured: boolean

  constructor(about: StreamAbout) {
    this.#reading = about.reply()
    this.#isStructured = about.isStructured
  }

  begins({ output_schema: schema }: SessionEvent & { type: 'run-start' }): void {
    if (schema !== undefined) this.#isStructured = schema !== null
  }

  /** The next model call of the run itself. `isSeen`: what it says is for people. `isVoid`: the one before broke off, and this one is made in its
   *  place. `isTold`: of that one something was told. */
  calls({
    message_id: id,
    purpose,
  }: SessionEvent & { type: 'model-start' }): Record<'isSeen' | 'isVoid' | 'isTold', boolean> {
    const before = this.#call
    const isSeen = !isUnseen(purpose)
    this.#call = { id, isSeen, isWhole: false, reply: new SaidReply(this.#reading) }
    return { isSeen, isVoid: before !== null && !before.isWhole, isTold: before?.reply.isTold ?? false }
  }

  delta(event: StreamedDelta): SaidPiece[] {
    const call = this.#call
    if (event.scope !== null || !call?.isSeen || call.id !== event.message_id) return []
    return call.reply.delta(event, this.#isStructured)
  }

  /** A message of the log: of a reply, what nobody was told of it as it was written. */
  whole(message: Message): SaidPiece[] {
    const call = this.#call
    if (message.role !== 'assistant' || message.scope !== null || call?.id !== message.id) return []
    call.isWhole = true
    return call.isSeen ? call.reply.whole(message, this.#isStructured) : []
  }

  /** The answer of the run, as far as it was not told as it was written. */
  rest(answer: string): SaidPiece[] {
    const reply = this.#call?.isSeen ? this.#call.reply : null
    const { words = '', answer: given = '' } = reply?.said ?? {}
    if (reply?.hasTold(answer) || answer.trim() === '') return []
    const told = given === '' ? words : given
    return [{ kind: 'answer', text: told !== '' && answer.startsWith(told) ? answer.slice(told.length) : answer }]
  }
}
