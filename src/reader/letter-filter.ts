import { unitAt } from './units.ts'

/** Letters of a word by which it is known that it may be one of some. */
export const BEGINNING = 4
const BITS = 5
const LETTER = 2 ** BITS - 1
const CODES = 2 ** (BEGINNING * BITS) - 1
const SIZE = 4_096

/** A number for the first letters of a word. */
export function codeOf(word: string): number {
  let code = 0
  for (let index = 0; index < Math.min(word.length, BEGINNING); index += 1)
    code = codeBehind(code, word.charCodeAt(index))
  return code
}

/** The number for the last letters when one more ASCII letter, in either case, stands behind them. */
export function codeBehind(code: number, unit: number): number {
  return ((code << BITS) | (unit & LETTER)) & CODES
}

/** A set of the beginnings of words, which may take a few others for one of them. */
export class LetterFilter {
  readonly #places = new Uint8Array(SIZE)

  constructor(codes: readonly number[]) {
    for (const code of codes) this.#places[placeOf(code)] = 1
  }

  has(code: number): boolean {
    return this.#places[placeOf(code)] === 1
  }

  /** False: no word that begins so is anywhere in a text, in either case. */
  mayHold(text: string): boolean {
    const { length } = text
    let code = 0
    for (let index = 0; index < length; index += 1) {
      const unit = unitAt(text, index)
      const small = unit | 0x20
      if (small < 0x61 || small > 0x7a) code = 0
      else {
        code = codeBehind(code, unit)
        if (this.has(code)) return true
      }
    }
    return false
  }
}

function placeOf(code: number): number {
  return (code ^ (code >>> 8)) & (SIZE - 1)
}
