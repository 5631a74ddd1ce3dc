const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const TIME_CHARS = 10
const RANDOM_CHARS = 16

let lastTime = 0
let lastDigits: number[] = []

/** `prefix_` and a ULID in lower case: 48 bits of time, 80 random bits; ids of one process sort in the order made.
 *  Source: the ULID specification, "Monotonicity". */
export function newId(prefix: string, now: number): string {
  const time = Math.max(now, lastTime)
  lastDigits = time === lastTime ? increment(lastDigits) : randomDigits()
  lastTime = time
  return `${prefix}_${encodeTime(time)}${lastDigits.map((digit) => ALPHABET[digit]).join('')}`
}

/** As `newId`, for something that has a name already: the same time and name give the same id. `digest`: of the name, 10 bytes at
 *  least. */
export function idFrom(prefix: string, time: number, digest: Uint8Array): string {
  return `${prefix}_${encodeTime(time)}${digitsOf(digest, RANDOM_CHARS)}`
}

/** The start of bytes in the alphabet of ids, five bits a character. */
export function digitsOf(bytes: Uint8Array, count: number): string {
  return Array.from({ length: count }, (_, at) => ALPHABET[fiveBits(bytes, at * 5)]).join('')
}

/** Five bits of bytes, from bit `from` on. */
function fiveBits(bytes: Uint8Array, from: number): number {
  const at = Math.floor(from / 8)
  const pair = ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)
  return (pair >> (11 - (from % 8))) & 31
}

/** True for an id that `newId(prefix)` may have made; behind it may stand a mark and, in words with hyphens, where it is kept. */
export function isId(prefix: string, text: string): boolean {
  const form = /^[0-7][0-9a-hjkmnp-tv-z]{25}(?:[0-9a-hjkmnp-tv-z]{8})?(?:-[a-z]{2,16}){0,2}$/
  return text.startsWith(`${prefix}_`) && form.test(text.slice(prefix.length + 1))
}

/** An id, its mark (null: it has none) and what stands behind them. */
export function unmarkedId(text: string): { id: string; mark: string | null; ending: string } {
  const bare = text.indexOf('_') + 1 + TIME_CHARS + RANDOM_CHARS
  const end = text.indexOf('-') === -1 ? text.length : text.indexOf('-')
  return { id: text.slice(0, bare), mark: text.slice(bare, end) || null, ending: text.slice(end) }
}

/** Before every id of the prefix that was made at this time (Unix ms) or later. */
export function idBefore(prefix: string, time: number): string {
  return `${prefix}_${encodeTime(Math.max(0, time))}`
}

function encodeTime(time: number): string {
  let rest = time
  let text = ''
  for (let i = 0; i < TIME_CHARS; i++) {
    text = `${ALPHABET[rest % 32]}${text}`
    rest = Math.floor(rest / 32)
  }
  return text
}

function randomDigits(): number[] {
  return Array.from(crypto.getRandomValues(new Uint8Array(RANDOM_CHARS)), (byte) => byte & 31)
}

function increment(digits: number[]): number[] {
  const next = [...digits]
  for (let i = next.length - 1; i >= 0; i--) {
    if (next[i] !== 31) {
      next[i] = (next[i] ?? 0) + 1
      return next
    }
    next[i] = 0
  }
  return randomDigits()
}
