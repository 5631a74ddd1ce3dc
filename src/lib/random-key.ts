const BYTES = 16

/** A key that nobody else has: 128 random bits. Over a connection that is not safe, browsers have no `crypto.randomUUID`. */
export function randomKey(): string {
  const bytes = [...crypto.getRandomValues(new Uint8Array(BYTES))]
  return bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
