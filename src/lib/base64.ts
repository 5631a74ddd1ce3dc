/** Bytes that are encoded at once; a multiple of 3, so that the texts can be joined. */
const SLICE_BYTES = 24_576

/** Base64 of bytes in texts that are joined without anything between them. */
export function* base64Texts(bytes: Uint8Array): Generator<string, void, void> {
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
    // Spread, the bytes would be read one by one through an iterator.
    yield btoa(Reflect.apply(String.fromCharCode, null, bytes.subarray(at, at + SLICE_BYTES)))
  }
}

export function toBase64(bytes: Uint8Array): string {
  return [...base64Texts(bytes)].join('')
}

/** Null: the text is no base64. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> | null {
  const units = unitsOf(text)
  if (units === null) return null
  const bytes = new Uint8Array(units.length)
  for (let at = 0; at < units.length; at++) bytes[at] = units.charCodeAt(at)
  return bytes
}

function unitsOf(text: string): string | null {
  try {
    return atob(text)
  } catch {
    return null
  }
}
