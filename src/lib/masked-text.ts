import { SECRET_MASK } from './text.ts'

/** A text without secrets as they stand, in whatever pieces it comes: what may be the beginning of one waits for the next piece. */
export class MaskedText {
  readonly #secrets: readonly string[]
  #held = ''

  constructor(secrets: readonly string[]) {
    this.#secrets = secrets
  }

  /** What is known of the text with this piece, and was not before. */
  next(piece: string): string {
    if (this.#secrets.length === 0 || piece === '') return piece
    let text = this.#held + piece
    for (const secret of this.#secrets) text = text.replaceAll(secret, SECRET_MASK)
    const from = Math.min(...this.#secrets.map((secret) => beginningIn(text, secret)))
    this.#held = text.slice(from)
    return text.slice(0, from)
  }

  /** The rest of it, where nothing more comes. */
  end(): string {
    const rest = this.#held
    this.#held = ''
    return rest
  }
}

/** Where the end of a text begins that may be the beginning of the secret; its length, where there is none. */
function beginningIn(text: string, secret: string): number {
  const first = secret.charAt(0)
  let at = text.indexOf(first, Math.max(0, text.length - secret.length + 1))
  while (at >= 0 && !secret.startsWith(text.slice(at))) at = text.indexOf(first, at + 1)
  return at < 0 ? text.length : at
}
