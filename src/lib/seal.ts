import { fromBase64, toBase64 } from './base64.ts'

/** Characters that a key has at least. */
export const SEAL_KEY_CHARS_MIN = 32

const NAME = 'AES-GCM'
/** Source: NIST SP 800-38D §8.2: 96 random bits for each text. */
const IV_BYTES = 12
const FORM = 'v1'
const KEY_ID_CHARS = 8

interface SealKey {
  id: string
  key: CryptoKey
}

/** Encrypts texts (AES-256-GCM) by the first of its keys, and opens those of any of them: so keys are changed. `about` says what a text is for;
 *  with another one it does not open. */
export class Seal {
  readonly #keys: Promise<readonly SealKey[]>

  /** Throws when a text is too short to be a key. */
  constructor(texts: readonly string[]) {
    if (texts.some((text) => text.length < SEAL_KEY_CHARS_MIN))
      throw new Error(`a key has ${SEAL_KEY_CHARS_MIN} characters at least`)
    this.#keys = Promise.all(texts.map(keyOf))
  }

  async seal(text: string, about: string): Promise<string> {
    const [first] = await this.#keys
    if (!first) throw new Error('there is no key')
    const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES))
    const bytes = await crypto.subtle.encrypt(paramsOf(iv, about), first.key, bytesOf(text))
    return [FORM, first.id, toBase64(iv), toBase64(new Uint8Array(bytes))].join('.')
  }

  /** Null: it was sealed by none of these keys, for something else, or is no such text. */
  async open(sealed: string, about: string): Promise<string | null> {
    const [form, id, written = '', bytes = ''] = sealed.split('.')
    const found = (await this.#keys).find((one) => one.id === id)
    const [iv, body] = [fromBase64(written), fromBase64(bytes)]
    if (form !== FORM || !found || !iv || !body) return null
    try {
      return new TextDecoder().decode(await crypto.subtle.decrypt(paramsOf(iv, about), found.key, body))
    } catch {
      return null
    }
  }
}

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => Uint8Array.from(new TextEncoder().encode(text))

function paramsOf(iv: Uint8Array<ArrayBuffer>, about: string) {
  return { name: NAME, iv, additionalData: bytesOf(about) }
}

/** Source: RFC 5869. The id is a hash of its own, which says nothing of the key. */
async function keyOf(text: string): Promise<SealKey> {
  const base = await crypto.subtle.importKey('raw', bytesOf(text), 'HKDF', false, ['deriveKey', 'deriveBits'])
  const params = (info: string) => ({ name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(32), info: bytesOf(info) })
  const key = await crypto.subtle.deriveKey(params('yaa seal'), base, { name: NAME, length: 256 }, false, [
    'encrypt',
    'decrypt',
  ])
  const id = new Uint8Array(await crypto.subtle.deriveBits(params('yaa seal id'), base, 64))
  return {
    id: toBase64(id)
      .replaceAll(/[^A-Za-z0-9]/g, '')
      .slice(0, KEY_ID_CHARS),
    key,
  }
}
