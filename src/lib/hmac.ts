const HMAC = { name: 'HMAC', hash: 'SHA-256' }

/** Whether one of the signatures is the HMAC-SHA-256 of the data under a key: bytes, or a text in UTF-8. Takes the same time wherever a signature differs. */
export async function isSignedWith(
  key: string | Uint8Array<ArrayBuffer>,
  data: Uint8Array<ArrayBuffer>,
  signatures: readonly Uint8Array<ArrayBuffer>[],
): Promise<boolean> {
  if (key.length === 0) return false
  const raw = typeof key === 'string' ? prefixed(key, new Uint8Array()) : key
  const imported = await crypto.subtle.importKey('raw', raw, HMAC, false, ['verify'])
  const fits = await Promise.all(signatures.map((signature) => crypto.subtle.verify(HMAC, imported, signature, data)))
  return fits.includes(true)
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
