/** Bytes that are encoded at once; a multiple of 3, so that the texts can be joined. */
const SLICE_BYTES = 24_576

/** Base64 of bytes in texts that are joined without anything between them. */
export function* base64Texts(bytes: Uint8Array): Generator<string, void, void> {
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
    yield btoa(String.fromCharCode(...bytes.subarray(at, at + SLICE_BYTES)))
  }
}

export function toBase64(bytes: Uint8Array): string {
  return [...base64Texts(bytes)].join('')
}

/** Null: the text is no base64. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (unit) => unit.charCodeAt(0))
  } catch {
    return null
  }
}
