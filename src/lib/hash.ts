import { isObject } from './json.ts'
/** JSON without white space and with the keys of every object sorted, so that equal values give equal text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => (isObject(inner) ? sorted(inner) : inner))
}

/** Lower-case hex SHA-256 of bytes, or of a text's UTF-8 bytes. */
export async function sha256Hex(data: string | Uint8Array): Promise<string> {
  const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : data
  // No memory that threads share: browsers take none, and nobody here has any.
  // eslint-disable-next-line no-unnecessary-type-assertion -- the types of browsers take it no wider
  const digest = await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>)
  let hex = ''
  for (const byte of new Uint8Array(digest)) hex += HEX_OF_BYTE[byte]
  return hex
}

const HEX_OF_BYTE = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

function sorted(object: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

/** A short text that is equal for equal texts and different for others, but for chance (53 bits). Not for secrets.
 *  Source: cyrb53, a public-domain mix of two multiplicative hashes. */
export function fingerprint(text: string): string {
  let high = 0xdeadbeef
  let low = 0x41c6ce57
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    high = Math.imul(high ^ unit, 2_654_435_761)
    low = Math.imul(low ^ unit, 1_597_334_677)
  }
  high = Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909)
  low = Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909)
  return (4_294_967_296 * (2_097_151 & low) + (high >>> 0)).toString(36)
}

/** Equal for calls of one tool with the same arguments. */
export function callSignature(tool: string, args: Record<string, unknown>): string {
  return fingerprint(canonicalJson([tool, args]))
}

const HMAC = { name: 'HMAC', hash: 'SHA-256' }

/** The HMAC-SHA-256 of the data under a key; both may be bytes, or a text in UTF-8. */
export async function hmacSha256(
  key: string | Uint8Array<ArrayBuffer>,
  data: string | Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await crypto.subtle.sign('HMAC', await hmacKey(key), bytesOf(data)))
}

/** Whether one of the signatures is the HMAC-SHA-256 of the data under a key: bytes, or a text in UTF-8. Takes the same time wherever a signature differs. */
export async function isSignedWith(
  key: string | Uint8Array<ArrayBuffer>,
  data: string | Uint8Array<ArrayBuffer>,
  signatures: readonly Uint8Array<ArrayBuffer>[],
): Promise<boolean> {
  if (key.length === 0) return false
  const imported = await hmacKey(key)
  const signed = bytesOf(data)
  const fits = await Promise.all(signatures.map((signature) => crypto.subtle.verify(HMAC, imported, signature, signed)))
  return fits.includes(true)
}

function hmacKey(key: string | Uint8Array<ArrayBuffer>): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', bytesOf(key), HMAC, false, ['sign', 'verify'])
}

function bytesOf(data: string | Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return typeof data === 'string' ? Uint8Array.from(new TextEncoder().encode(data)) : data
}

/** The UTF-8 bytes of a text before other bytes. */
export function prefixed(prefix: string, bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const head = new TextEncoder().encode(prefix)
  const joined = new Uint8Array(head.length + bytes.length)
  joined.set(head)
  joined.set(bytes, head.length)
  return joined
}

/** Null: the text is no hex. */
export function fromHex(text: string): Uint8Array<ArrayBuffer> | null {
  if (text.length % 2 !== 0 || !/^[0-9a-f]*$/i.test(text)) return null
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
}
