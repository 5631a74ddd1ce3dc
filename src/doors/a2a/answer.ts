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
