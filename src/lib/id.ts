const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const TIME_CHARS = 10
const RANDOM_CHARS = 16
/** Characters of a mark, which stands at the end of some ids instead of random ones: 40 bits. */
export const MARK_CHARS = 8
/** Before the ids of any time: what is derived has no time. */
const TIMELESS = '7'

/** Digits that are random for each millisecond and count on within it, so that ids of one process sort in the order made. */
class Sequence {
  readonly #count: number
  #time = -1
  #digits: number[] = []

  constructor(count: number) {
    this.#count = count
  }

  next(now: number): string {
    const time = Math.max(now, this.#time)
    this.#digits = time === this.#time ? increment(this.#digits) : randomDigits(this.#count)
    this.#time = time
    return `${encodeTime(time)}${this.#digits.map((digit) => ALPHABET[digit]).join('')}`
  }
}

const whole = new Sequence(RANDOM_CHARS)
const bodies = new Sequence(RANDOM_CHARS - MARK_CHARS)

/** `prefix_` and a ULID in lower case: 48 bits of time, 80 random bits; ids of one process sort in the order made.
 *  Source: the ULID specification, "Monotonicity". */
export function newId(prefix: string, now: number): string {
  return `${prefix}_${whole.next(now)}`
}

/** The same without its last `MARK_CHARS`, for which a mark stands. */
export function newIdBody(prefix: string, now: number): string {
  return `${prefix}_${bodies.next(now)}`
}

/** As `newIdBody`, for something that has a name already: 85 bits of the digest of its name stand for time and random bits. */
export function derivedIdBody(prefix: string, digest: Uint8Array): string {
  return `${prefix}_${TIMELESS}${digitsOf(digest, TIME_CHARS + RANDOM_CHARS - MARK_CHARS - TIMELESS.length)}`
}

/** As `newId`, for something that has a name already: the same time and name give the same id. `digest`: of the name, 10 bytes at
 *  least. */
export function idFrom(prefix: string, time: number, digest: Uint8Array): string {
  return `${prefix}_${encodeTime(time)}${digitsOf(digest, RANDOM_CHARS)}`
}

/** Whether an id was derived, so that it says no time. */
export function isDerivedId(id: string): boolean {
  return id[id.indexOf('_') + 1] === TIMELESS
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

/** True for an id that `newId(prefix)` may have made; behind it may stand, in words with hyphens, where it is kept. */
export function isId(prefix: string, text: string): boolean {
  const form = /^[0-7][0-9a-hjkmnp-tv-z]{25}(?:-[a-z]{2,16}){0,2}$/
  return text.startsWith(`${prefix}_`) && form.test(text.slice(prefix.length + 1))
}

/** What of an id is marked, what may be its mark (ids of before have none), and what stands behind them. */
export function idParts(text: string): { body: string; mark: string; ending: string } {
  const end = text.indexOf('-') === -1 ? text.length : text.indexOf('-')
  const cut = end - MARK_CHARS
  return { body: text.slice(0, cut), mark: text.slice(cut, end), ending: text.slice(end) }
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

/** Random bytes that no id has taken yet: the last `left`. Asking for many at once takes as long as for a few. */
const pool = new Uint8Array(256)
let left = 0

function randomDigits(count: number): number[] {
  if (left < count) {
    crypto.getRandomValues(pool)
    left = pool.length
  }
  const digits: number[] = []
  for (let at = 0; at < count; at++) digits.push((pool[--left] ?? 0) & 31)
  return digits
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
  return randomDigits(digits.length)
}
