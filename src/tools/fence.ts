const MARK_CHARS = 16

/**
 * Untrusted text between two markers that it cannot forge: they hold a mark made of the text itself and of `secret`, which
 * nobody outside can know. `begin` and `end` are what the markers are called.
 */
export async function fence(inside: string, begin: string, end: string, secret: string): Promise<string> {
  const mark = await unforgeableMark(secret, inside)
  return `[${begin} ${mark}]\n${inside}\n[${end} ${mark}]`
}

async function unforgeableMark(secret: string, inside: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(`${secret}\n${inside}`))
  const hex = [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  return hex.slice(0, MARK_CHARS)
}

export function shortened(text: string, charsMax: number): string {
  return text.length <= charsMax ? text : `${text.slice(0, charsMax - 1)}…`
}
