const LINES_MAX = 400
const END_LINES = 40

/** What was done in a session and to the server, in the order in which it happened. */
export class Story {
  readonly #lines: string[] = []
  readonly #startTime: number
  #kills: { first: number } | null = null

  constructor(startTime: number) {
    this.#startTime = startTime
  }

  tell(line: string): void {
    this.#kills = null
    this.#add(line)
  }

  /** Kills between which nothing was done are one line. */
  tellKill(number: number): void {
    const first = this.#kills?.first ?? number
    if (this.#kills) this.#lines.pop()
    this.#add(first === number ? `kill ${number}` : `kills ${first} to ${number}`)
    this.#kills = { first }
  }

  #add(line: string): void {
    if (this.#lines.length >= LINES_MAX) this.#lines.shift()
    this.#lines.push(`${((Date.now() - this.#startTime) / 1_000).toFixed(3).padStart(8)} ${line}`)
  }

  /** The last lines of it. */
  end(): string[] {
    return this.#lines.slice(-END_LINES)
  }
}
