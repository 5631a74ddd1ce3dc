import { callsInAnyForm } from '../../client/call-begins.ts'
import { createReplyFilter, type ReplyFilter } from '../../client/reply-filter.ts'
import { contentText } from '../../domain/content.ts'
import type { StreamedDelta } from '../../domain/event.ts'
import type { Message } from '../../domain/message.ts'
import { onDemand } from '../../lib/shape.ts'

/** What one reply of a model says to its reader: thoughts, words beside its calls, and the answer that it gives to `finish`. */

/** How replies are read. */
export interface ReplyReading {
  /** A reply that calls nothing is the answer as it is written; else what stands beside an answer is not told: in the text protocol it calls
   *  something, or does not count. */
  isAnswer: boolean
  /** The names by which texts call tools. */
  toolNames: readonly string[]
}

export interface SaidTexts {
  thoughts: string
  words: string
  answer: string
}

/** A piece of one of these. */
export interface SaidPiece {
  kind: keyof SaidTexts
  text: string
}

/** `at`: so many characters of the text stand before the piece. */
export interface PlacedPiece extends SaidPiece {
  at: number
}

/** What a whole reply says. */
export function textsIn(
  { content, reasoning = '', tool_calls: calls = [] }: Message,
  { isAnswer, toolNames }: ReplyReading,
): SaidTexts {
  const filter = createReplyFilter(toolNames, callsInAnyForm)
  const begun = filter.push(contentText(content, null))
  const given = calls.find(({ name }) => name === 'finish')?.arguments['reason']
  const answer = typeof given === 'string' ? given.trim() : ''
  const unsaid = isAnswer ? filter.answer(answer) : answer
  const pieces = [...begun, ...filter.flush(calls.length > 0)]
  const joined = (kind: string) => pieces.flatMap((piece) => (piece.kind === kind ? [piece.text] : [])).join('')
  return {
    thoughts: `${reasoning}${isAnswer ? joined('thinking') : ''}`,
    words: isAnswer ? joined('text').trimStart() : '',
    answer: unsaid,
  }
}

/** A reply for one reader: piece by piece as it is written, and the rest when it is whole. What was told in deltas that are forgotten comes as one
 *  piece. `isStructured` of both: the answer has to fit a schema, and what does not fit is asked for again, so it is told when the run rests. */
export class SaidReply {
  readonly #reading: ReplyReading
  readonly #filter: () => ReplyFilter
  readonly #said: SaidTexts = { thoughts: '', words: '', answer: '' }

  constructor(reading: ReplyReading) {
    this.#reading = reading
    this.#filter = onDemand(() => createReplyFilter(reading.toolNames, callsInAnyForm))
  }

  /** What was told so far. */
  get said(): Readonly<SaidTexts> {
    return this.#said
  }

  get isTold(): boolean {
    return Object.values(this.#said).some((text) => text !== '')
  }

  /** Whether an answer is what was told: as words, as the answer, or as both, one below the other. */
  hasTold(answer: string): boolean {
    const { words, answer: given } = this.#said
    const all = [words, given, words + given, `${words.trimEnd()}\n\n${given}`]
    return all.some((told) => told.trim() !== '' && told.trim() === answer.trim())
  }

  delta({ type, delta }: StreamedDelta, isStructured: boolean): PlacedPiece[] {
    if (type === 'reasoning-delta') return this.#tell('thoughts', delta)
    if (isStructured) return []
    const { isAnswer } = this.#reading
    if (type === 'answer-delta') return this.#tell('answer', isAnswer ? this.#filter().answer(delta) : delta)
    if (!isAnswer) return []
    return this.#filter()
      .push(delta)
      .flatMap(({ kind, text }) => {
        if (kind === 'thinking') return this.#tell('thoughts', text)
        return this.#tell('words', this.#said.words === '' ? text.trimStart() : text)
      })
  }

  whole(message: Message, isStructured: boolean): PlacedPiece[] {
    const calls = (message.tool_calls ?? []).length > 0
    const texts = this.#apart(textsIn(message, this.#reading), calls)
    const kinds: SaidPiece['kind'][] = isStructured ? ['thoughts'] : ['thoughts', 'words', 'answer']
    return kinds.flatMap((kind) => this.#tell(kind, restOf(texts[kind], this.#said[kind])))
  }

  /** Each text stays what it was told as. A reply that was cut in the answer that it gave to `finish` is kept as its words, with the answer below
   *  them; of one whose first words turned out to be thoughts, the words stand below those, as the answer. */
  #apart(texts: SaidTexts, calls: boolean): SaidTexts {
    const { words, answer } = this.#said
    if (texts.answer !== '' || words + answer === '') return texts
    const isOther = !calls && !texts.words.startsWith(words)
    const behind = isOther ? texts.words : restOf(texts.words, words).trimStart()
    return behind !== '' && behind.startsWith(answer) && (isOther || answer !== '')
      ? { ...texts, words, answer: behind }
      : texts
  }

  /** Thoughts behind words are not told: they would stand between these. */
  #tell(kind: SaidPiece['kind'], text: string): PlacedPiece[] {
    const isLate = kind === 'thoughts' && `${this.#said.words}${this.#said.answer}` !== ''
    if (text === '' || isLate) return []
    const at = this.#said[kind].length
    this.#said[kind] += text
    return [{ kind, text, at }]
  }
}

/** What of a text was not said; nothing where something else was. */
function restOf(text: string, said: string): string {
  return text.startsWith(said) ? text.slice(said.length) : ''
}
