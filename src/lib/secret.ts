import { toBase64 } from './base64.ts'
import { digitsOf, MARK_CHARS } from './id.ts'

/** Characters that a secret has at least. */
export const SECRET_CHARS_MIN = 32

const HMAC = { name: 'HMAC', hash: 'SHA-256' }

/** A secret that marks texts, so that whoever has it knows a text again that it gave out. `purpose`: a fixed name for each kind of
 *  text; what is marked for one proves nothing for another. */
export class Secret {
  readonly #text: string
  #imported: CryptoKey | null = null

  /** Throws when the text is too short to be one. */
  constructor(text: string) {
    if (text.length < SECRET_CHARS_MIN) throw new Error(`a secret has ${SECRET_CHARS_MIN} characters at least`)
    this.#text = text
  }

  /** The HMAC-SHA-256 of a text for a purpose. */
  async mac(purpose: string, text: string): Promise<Uint8Array<ArrayBuffer>> {
    return new Uint8Array(await crypto.subtle.sign('HMAC', await this.#key(), claimOf(purpose, text)))
  }

  /** The start of a text's MAC in the alphabet of ids: says in an id or a key that it was given out here. */
  async mark(purpose: string, text: string): Promise<string> {
    return digitsOf(await this.mac(purpose, text), MARK_CHARS)
  }

  async isMark(purpose: string, text: string, mark: string): Promise<boolean> {
    return isSameText(await this.mark(purpose, text), mark)
  }

  /** The whole MAC of a text in base64url: what a caller sends back to prove what was said. */
  async proof(purpose: string, text: string): Promise<string> {
    return toBase64(await this.mac(purpose, text))
      .replaceAll('+', '-')
      .replaceAll('/', '_')
      .replaceAll('=', '')
  }

  async isProof(purpose: string, text: string, proof: string): Promise<boolean> {
    return isSameText(await this.proof(purpose, text), proof)
  }

  async #key(): Promise<CryptoKey> {
    const bytes = new TextEncoder().encode(this.#text)
    return (this.#imported ??= await crypto.subtle.importKey('raw', bytes, HMAC, false, ['sign']))
  }
}

/** The text of a new secret. */
export function newSecretText(): string {
  return toBase64(crypto.getRandomValues(new Uint8Array(SECRET_CHARS_MIN)))
}

function claimOf(purpose: string, text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(new TextEncoder().encode(`${purpose}\n${text}`))
}

/** Takes the same time wherever texts of one length differ. */
export function isSameText(one: string, other: string): boolean {
  if (one.length !== other.length) return false
  let difference = 0
  for (let at = 0; at < one.length; at++) difference |= one.charCodeAt(at) ^ other.charCodeAt(at)
  return difference === 0
}
