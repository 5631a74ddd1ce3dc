import { SECRET_MASK } from './text.ts'

/** A body without a secret as it stands, in whatever chunks that comes; what cannot be the beginning of it is passed on at once. For secrets of
 *  ASCII, such as tokens. */
export function maskedStream(body: ReadableStream<Uint8Array>, secret: string): ReadableStream<Uint8Array> {
  // One byte a character, so that characters of several bytes which a chunk cuts stay as they are.
  const mask = new TextEncoder().encode(SECRET_MASK)
  const wanted = new TextEncoder().encode(secret)
  const failures = failureTable(wanted)
  let matched = 0
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        const out: number[] = []
        for (const byte of chunk) {
          while (matched > 0 && byte !== wanted[matched]) {
            const shorter = failures[matched - 1] ?? 0
            for (let at = 0; at < matched - shorter; at++) out.push(wanted[at] ?? 0)
            matched = shorter
          }
          if (byte !== wanted[matched]) out.push(byte)
          else if (++matched === wanted.length) {
            out.push(...mask)
            matched = 0
          }
        }
        if (out.length > 0) controller.enqueue(Uint8Array.from(out))
      },
      flush: (controller) => {
        if (matched > 0) controller.enqueue(wanted.slice(0, matched))
      },
    }),
  )
}

/** Of each beginning the longest that is also its end (Knuth, Morris and Pratt). */
function failureTable(wanted: Uint8Array): number[] {
  const table = [0]
  for (let at = 1, length = 0; at < wanted.length; at++) {
    while (length > 0 && wanted[at] !== wanted[length]) length = table[length - 1] ?? 0
    if (wanted[at] === wanted[length]) length++
    table.push(length)
  }
  return table
}
