/** The text of an answer as one client is given it: replies one below the other, each up to what the client wants it to stop at. What is given
 *  is never taken back. */
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
    if (message === this.#message) return this.#put(text)
    return text.trim() === '' ? '' : this.#next(message) + this.#put(text.trimStart())
  }

  /** The answer is whole; gives what of it was not sent yet. Another one than the newest reply stands below that. */
  end(answer: string): string {
    const said = [this.#reply, this.#given + this.#held].map((text) => text.trimEnd())
    if (answer.trim() === '' || said.includes(answer.trimEnd())) return this.#release()
    const begun = answer.startsWith(this.#reply) ? '' : this.#next(null)
    return begun + this.#put(answer.slice(this.#reply.length)) + this.#release()
  }

  /** What waits for a human stands below all else; it is no answer, so no stop ends it. */
  notice(text: string): string {
    return text.trim() === '' ? this.#release() : this.#next(null) + this.#send(text)
  }

  /** Another reply begins, a blank line below the one before. */
  #next(message: string | null): string {
    const held = this.#release()
    this.#message = message
    this.#reply = ''
    this.#isOver = false
    return held + this.#send(this.#given === '' ? '' : '\n\n')
  }

  /** What was held is no beginning of a stop. */
  #release(): string {
    const held = this.#isOver ? '' : this.#held
    this.#held = ''
    return this.#send(held)
  }

  #put(text: string): string {
    this.#reply += text
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
