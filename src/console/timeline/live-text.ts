/** A text that grows. Who shows it hears each piece, and never looks at the whole again. */
export class LiveText {
  #whole: string
  readonly #listeners = new Set<(piece: string) => void>()

  constructor(text = '') {
    this.#whole = text
  }

  get whole(): string {
    return this.#whole
  }

  append(piece: string): void {
    if (piece === '') return
    this.#whole += piece
    for (const listener of this.#listeners) listener(piece)
  }

  /** Tells every later piece; the function ends it. */
  listen(listener: (piece: string) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }
}
