/** The text of an answer as one client is given it: replies one below the other, up to what the client wants it to stop at. What is given is
 *  never taken back. */
export class AnswerText {
  readonly #stops: readonly string[]
  readonly #longestStop: number
  /** All that was given, and what of it is of the newest reply. */
  #given = ''
  #reply = ''
  #message: string | null = null
  /** What may be the beginning of a stop. */
  #held = ''
  #isOver = false

  constructor(stops: readonly string[]) {
    this.#stops = stops
    this.#longestStop = Math.max(0, ...stops.map(({ length }) => length))
  }

  get given(): string {
    return this.#given
  }

  /** The next piece of a reply; gives what of it is to be sent. */
  say(message: string, text: string): string {
    const isNext = message !== this.#message
    if (isNext && text.trim() === '') return ''
    if (isNext) this.#begin(message)
    const piece = isNext ? text.trimStart() : text
    return this.#put(isNext && this.#given !== '' ? `\n\n${piece}` : piece, piece)
  }

  /** The answer is whole; gives what of it was not sent yet. Another one than the newest reply stands below that. */
  end(answer: string): string {
    const rest = this.#restOf(answer)
    const sent = this.#put(rest.separator + rest.text, rest.text)
    if (this.#isOver) return sent
    const held = this.#held
    this.#held = ''
    this.#given += held
    return sent + held
  }

  #restOf(answer: string): { separator: string; text: string } {
    const said = this.#reply.trimEnd()
    if (answer.trim() === '' || said === answer.trimEnd()) return { separator: '', text: '' }
    if (answer.startsWith(this.#reply)) return { separator: '', text: answer.slice(this.#reply.length) }
    return { separator: this.#given === '' && this.#held === '' ? '' : '\n\n', text: answer }
  }

  #begin(message: string): void {
    this.#message = message
    this.#reply = ''
  }

  #put(text: string, ofReply: string): string {
    this.#reply += ofReply
    if (this.#isOver) return ''
    const seen = this.#held + text
    const end = this.#stops.map((stop) => seen.indexOf(stop)).filter((at) => at >= 0)
    if (end.length > 0) {
      this.#isOver = true
      return this.#send(seen.slice(0, Math.min(...end)))
    }
    const keep = this.#keepOf(seen)
    this.#held = seen.slice(seen.length - keep)
    return this.#send(seen.slice(0, seen.length - keep))
  }

  /** How much of the end may be the beginning of a stop. */
  #keepOf(text: string): number {
    for (let length = Math.min(this.#longestStop - 1, text.length); length > 0; length--) {
      const end = text.slice(text.length - length)
      if (this.#stops.some((stop) => stop.startsWith(end))) return length
    }
    return 0
  }

  #send(text: string): string {
    this.#given += text
    return text
  }
}
