import type { SessionEvent, StreamedDelta } from '../../domain/event.ts'
import type { Message } from '../../domain/message.ts'
import { finishAnswerOf } from '../events.ts'
import { createReplyFilter, isUnseen, type ReplyFilter, type ReplyPiece } from '../reply-filter.ts'

/** A message as it is shown. `text`: what it says to people, without calls and thoughts, with the answer. */
export interface LiveMessage extends Pick<Message, 'id' | 'role' | 'kind' | 'scope' | 'run_id'> {
  text: string
  reasoning: string
  /** It is being written; `message` is there once it is whole. */
  isWriting: boolean
  message: Message | null
}

interface Writing {
  shown: LiveMessage
  filter: ReplyFilter
  /** The call that is given the answer. */
  call: string | null
  answer: string
}

/** Prompts and warnings are between the server and the model. */
const isForPeople = ({ kind }: Message) => kind !== 'prompt' && kind !== 'warning'

/** The messages of a session: those that are whole, and those that are being written. */
export class LiveMessages {
  readonly #toolNames: readonly string[]
  readonly #unseen = new Set<string>()
  readonly #writing = new Map<string, Writing>()
  #whole: readonly LiveMessage[] = []

  /** `toolNames`: every name by which the text protocol may call a tool. */
  constructor(toolNames: readonly string[], messages: readonly Message[]) {
    this.#toolNames = toolNames
    this.#whole = messages.filter(isForPeople).map((message) => this.#shown(message))
  }

  all(): readonly LiveMessage[] {
    return this.#writing.size === 0
      ? this.#whole
      : [...this.#whole, ...this.#writing.values().map(({ shown }) => shown)]
  }

  delta(event: StreamedDelta): void {
    if (this.#unseen.has(event.message_id)) return
    const writing = this.#writing.get(event.message_id) ?? this.#begin(event)
    const { shown, filter } = writing
    if (event.type === 'reasoning-delta') writing.shown = { ...shown, reasoning: shown.reasoning + event.delta }
    else if (event.type === 'message-delta') writing.shown = withPieces(shown, filter.push(event.delta))
    else this.#answer(writing, event)
  }

  /** Takes an event of the log; false: it says nothing of messages. */
  take(event: SessionEvent): boolean {
    switch (event.type) {
      case 'message':
        this.#writing.delete(event.message.id)
        if (isForPeople(event.message)) this.#whole = [...this.#whole, this.#shown(event.message)]
        return true
      case 'model-start':
        if (isUnseen(event.purpose)) this.#unseen.add(event.message_id)
        this.#whole = this.#whole.filter((one) => !isReplacedBy(event, one))
        return this.drop(event.scope)
      case 'model-end':
        return event.ok ? false : this.drop(event.scope)
      case 'run-pause':
      case 'run-end':
        return this.drop()
      default:
        return false
    }
  }

  /** Forgets what is being written, in one branch or in all: it is void, or told again. */
  drop(scope?: string | null): true {
    for (const [id, { shown }] of this.#writing)
      if (scope === undefined || shown.scope === scope) this.#writing.delete(id)
    return true
  }

  #begin({ message_id: id, scope, run_id }: StreamedDelta): Writing {
    const shown: LiveMessage = {
      id,
      scope,
      run_id,
      role: 'assistant',
      kind: 'reply',
      text: '',
      reasoning: '',
      isWriting: true,
      message: null,
    }
    const writing = { shown, filter: createReplyFilter(this.#toolNames), call: null, answer: '' }
    this.#writing.set(id, writing)
    return writing
  }

  /** The answer stands below what is said beside it. */
  #answer(writing: Writing, { call_id: call, delta }: StreamedDelta & { type: 'answer-delta' }): void {
    if (call !== writing.call) {
      writing.filter.nextAnswer()
      Object.assign(writing, { call, answer: '' })
    }
    const piece = writing.filter.answer(delta)
    const { shown } = writing
    const text = writing.answer === '' && piece !== '' ? joined(shown.text, piece) : shown.text + piece
    writing.answer += piece
    writing.shown = { ...shown, text }
  }

  #shown(message: Message): LiveMessage {
    const { id, role, kind, scope, run_id } = message
    const said = wordsOf(message)
    const filter = createReplyFilter(this.#toolNames)
    const pieces =
      role === 'assistant'
        ? [...filter.push(said), ...filter.flush((message.tool_calls ?? []).length > 0)]
        : [{ kind: 'text' as const, text: said }]
    const bare = {
      id,
      role,
      kind,
      scope,
      run_id,
      text: '',
      reasoning: message.reasoning ?? '',
      isWriting: false,
      message,
    }
    const shown = withPieces(bare, pieces)
    const answer = finishAnswerOf(message)
    return answer === null || shown.text.includes(answer.trim())
      ? shown
      : { ...shown, text: joined(shown.text, answer) }
  }
}

function withPieces(shown: LiveMessage, pieces: readonly ReplyPiece[]): LiveMessage {
  const of = (kind: ReplyPiece['kind']) => pieces.flatMap((piece) => (piece.kind === kind ? [piece.text] : [])).join('')
  return { ...shown, text: shown.text + of('text'), reasoning: shown.reasoning + of('thinking') }
}

const joined = (text: string, answer: string) => (text.trim() === '' ? answer : `${text}\n\n${answer}`)

/** The text of a message; its pictures, files and data are in `message`. */
function wordsOf({ content }: Message): string {
  if (typeof content === 'string') return content
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
}

/** Whether it is a reply that was cut, and whose call is made again. */
function isReplacedBy({ scope, run_id: run }: SessionEvent, { message }: LiveMessage): boolean {
  return message?.cut === true && message.scope === scope && message.run_id === run
}
