/** Numbers of the events of a response. They are made of the log: the same event has the same number whenever it is told, and what comes later
 *  has a larger one. An event of the log has room for frames of its own, and, where it begins a model call, for the texts that the
 *  call writes; a piece of text is numbered by its last character, so that a reader who comes back says how much of it is there. */

/** Frames of the event itself; thoughts; words of a reply; the answer in it, or what ends a run. */
export type Region = 0 | 1 | 2 | 3

const REGION = 2 ** 21
const EVENT = 4 * REGION
/** Of a text: before it there is room for what opens it, behind it for what closes it. */
const OPENING = 8
const CLOSING = 16

export function numberAt(seq: number, region: Region, nth = 0): number {
  return seq * EVENT + region * REGION + nth
}

/** Of the piece of a text that ends behind so many characters. */
export function textNumber(seq: number, region: Region, chars: number): number {
  return numberAt(seq, region, Math.min(OPENING + chars, REGION - CLOSING - 1))
}

/** Of what closes a text. */
export function closingNumber(seq: number, region: Region): number {
  return numberAt(seq, region, REGION - CLOSING)
}

/** How many characters of a text a reader has who was told everything up to a number. */
export function charsKnown(number: number, seq: number, region: Region): number {
  const chars = number - textNumber(seq, region, 0)
  return chars < 0 ? 0 : Math.min(chars, REGION - CLOSING - OPENING)
}

/** Whether a number is of a piece of this text. */
export function isPieceOf(number: number, seq: number, region: Region): boolean {
  return number > textNumber(seq, region, 0) && number < closingNumber(seq, region)
}
