import { callsInAnyForm } from '../../client/call-begins.ts'
import { createReplyFilter, isUnseen, type ReplyFilter } from '../../client/reply-filter.ts'
import { contentText, type Part } from '../../domain/content.ts'
import type { SessionEvent, StreamedDelta } from '../../domain/event.ts'
import type { Message } from '../../domain/message.ts'
import { nameIn, type TaskReader, takes } from './reader.ts'
import type { ToldPart } from './shapes.ts'

const ANSWER = { artifactId: 'answer', name: 'answer' } as const
const SAID: readonly string[] = ['task', 'steer', 'answer', 'approval']

/** What is said in a task: by its user and beside calls, which is history, and the answer, which is an artifact. */
export class TaskWords {
  readonly #reader: TaskReader
  readonly #answer = new AnswerTelling()
  #call: { id: string; isSeen: boolean; filter: ReplyFilter } | null = null
  /** A reply that was stopped. Where it is not the answer, it is history. */
  #stopped: Message | null = null
  /** The answer has to fit a schema: it is told when it is whole. */
  isStructured: boolean
  /** What a reply says beside its answer is told when the reply is whole. */
  readonly #isHeld: boolean

  constructor(reader: TaskReader) {
    this.#reader = reader
    this.isStructured = reader.about.isStructured
    this.#isHeld = !reader.about.reply().isAnswer
  }

  /** The next model call of the run itself. What one before it said, that was neither the answer nor words beside a call, is void. */
  called({ message_id: id, purpose }: SessionEvent & { type: 'model-start' }): void {
    this.#answer.drop()
    this.#stopped = null
    const filter = createReplyFilter(this.#reader.about.reply().toolNames, callsInAnyForm)
    this.#call = { id, isSeen: !isUnseen(purpose), filter }
  }

  delta({ message_id: id, scope, type, delta }: StreamedDelta): void {
    const call = this.#call
    if (scope !== null || !call?.isSeen || call.id !== id || this.isStructured) return
    if (type === 'answer-delta') this.#say(`${id} answer`, this.#isHeld ? delta : call.filter.answer(delta))
    else if (type === 'message-delta' && !this.#isHeld)
      for (const { kind, text } of call.filter.push(delta)) if (kind === 'text') this.#say(id, text)
  }

  message(message: Message): void {
    if (message.role === 'user' && SAID.includes(message.kind)) return this.#asked(message)
    const call = this.#call
    if (message.role !== 'assistant' || call?.id !== message.id || !call.isSeen) return
    const calls = message.tool_calls ?? []
    const isOnWay = calls.some(({ name }) => name !== 'finish')
    if (isOnWay) return this.#beside(message)
    if (message.cut) this.#stopped = message
    this.#whole(message)
  }

  /** How the run ended. Null: without an answer. */
  end(result: string | null): void {
    if (result !== null && result.trim() !== '') this.#tell(this.#answer.end(result), this.#structured(result))
    else {
      if (this.#stopped) this.#beside(this.#stopped)
      this.#tell(this.#answer.none())
    }
  }

  #say(call: string, text: string): void {
    if (text !== '') this.#tell(this.#answer.say(call, text))
  }

  #tell(piece: AnswerPiece | null, told?: ToldPart): void {
    const { task } = this.#reader
    const { text } = this.#answer
    const stands = told ?? { text }
    if (text === '') task.forget(ANSWER.artifactId)
    else task.keep({ ...ANSWER, parts: [stands] })
    if (!piece) return
    const { text: said, ...how } = piece
    this.#reader.send(task.artifact({ ...ANSWER, parts: [told ?? { text: said }], ...how }))
  }

  /** What the user says. */
  #asked({ id, client_id: messageId = id, content }: Message): void {
    const { task } = this.#reader
    const parts = typeof content === 'string' ? [{ text: content }] : content.flatMap((one) => this.#partOf(one))
    task.settle()
    task.remember(task.message('ROLE_USER', messageId, parts))
  }

  #partOf(one: Part): ToldPart[] {
    if (one.type === 'text') return [{ text: one.text }]
    if (one.type === 'data') return [{ data: one.data, mediaType: 'application/json' }]
    if (one.type !== 'image' && one.type !== 'file') return []
    const { path, media_type: mediaType, name } = one
    return [{ url: this.#reader.addressOf(path), mediaType, filename: name ?? nameIn(path) }]
  }

  /** Words beside a call, or of a reply that was stopped, are no answer, but something to be told on the way. */
  #beside({ id, content }: Message): void {
    const { task } = this.#reader
    this.#answer.drop()
    task.forget(ANSWER.artifactId)
    const words = this.#wordsIn(content, true)
    if (words === '') return
    const message = task.message('ROLE_AGENT', id, [{ text: words }])
    task.remember(message)
    this.#reader.send(task.told({ message }))
  }

  #wordsIn(content: Message['content'], calls: boolean): string {
    const filter = createReplyFilter(this.#reader.about.reply().toolNames, callsInAnyForm)
    const pieces = [...filter.push(contentText(content, null)), ...filter.flush(calls)]
    return pieces
      .flatMap(({ kind, text }) => (kind === 'text' ? [text] : []))
      .join('')
      .trim()
  }

  /** A reply is whole that may be the answer: what nobody was told of it as it was written is told now. */
  #whole({ id, content, tool_calls: calls = [] }: Message): void {
    if (this.isStructured) return
    const given = calls.find(({ name }) => name === 'finish')?.arguments['reason']
    const [call, answer] =
      typeof given === 'string'
        ? [`${id} answer`, given.trim()]
        : [id, this.#isHeld ? '' : this.#wordsIn(content, false)]
    const said = this.#answer.text
    if (answer !== '' && said === '') this.#say(call, answer)
    else if (said !== '' && answer.startsWith(said)) this.#say(call, answer.slice(said.length))
  }

  /** The answer as data, where it has to fit a schema and the client takes data. */
  #structured(result: string): ToldPart | undefined {
    if (!this.isStructured || !takes(this.#reader.kept.accepts, 'application/json')) return undefined
    try {
      return { data: JSON.parse(result), mediaType: 'application/json' }
    } catch {
      return undefined
    }
  }
}

/** The answer of a task as one reader is told it, as an artifact: a piece is added, or the text begins anew. */
export interface AnswerPiece {
  text: string
  append: boolean
  lastChunk: boolean
}

/** What is said while it is written is taken for the answer, until something shows that it is none. */
export class AnswerTelling {
  #call = ''
  #text = ''
  #isNone = true
  /** Whether a reader has something of it that does not stand. */
  #isTold = false

  /** The answer as far as it stands; empty: none. */
  get text(): string {
    return this.#isNone ? '' : this.#text
  }

  /** The next piece of what a call says. */
  say(call: string, piece: string): AnswerPiece | null {
    const isNext = this.#isNone || call !== this.#call
    const text = isNext ? piece.trimStart() : piece
    if (text === '') return null
    this.#text = isNext ? text : this.#text + text
    this.#call = call
    this.#isNone = false
    this.#isTold = true
    return { text, append: !isNext, lastChunk: false }
  }

  /** What was said was not the answer. */
  drop(): void {
    this.#isNone = true
  }

  /** The answer is whole. */
  end(answer: string): AnswerPiece {
    const said = this.text
    const isSame = said !== '' && said.trim() === answer.trim()
    const isMore = said !== '' && answer.startsWith(said)
    this.#isNone = false
    this.#text = answer
    if (isSame) return { text: '', append: true, lastChunk: true }
    return { text: isMore ? answer.slice(said.length) : answer, append: isMore, lastChunk: true }
  }

  /** There is none: a reader forgets what was told. Null: nothing was. */
  none(): AnswerPiece | null {
    const isTold = this.#isTold
    this.#isNone = true
    this.#isTold = false
    return isTold ? { text: '', append: false, lastChunk: true } : null
  }
}
