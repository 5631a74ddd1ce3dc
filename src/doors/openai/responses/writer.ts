import { charsKnown, isPieceOf, type Region, textNumber } from './sequence.ts'

/** A piece of a text that is being told. `from`: characters of it that were told before. */
export interface TextPiece {
  seq: number
  region: Region
  from: number
  text: string
}

/** Writes the frames of a response for one reader, who has all up to a number. */
export class FrameWriter {
  readonly #after: number
  #frames: string[] = []
  #next = 0

  /** `after`: Infinity for a reader who is told nothing as it happens. */
  constructor(after: number) {
    this.#after = after
  }

  /** What follows is numbered from here on. */
  place(number: number): void {
    this.#next = number
  }

  put(type: string, data: object): void {
    this.#frame(type, this.#next++, data)
  }

  /** A piece of text, without what of it the reader has. There is one for each word: `members`, what is the same in all of a text, was written
   *  in JSON before. */
  putText(type: string, members: string, { seq, region, from, text }: TextPiece): void {
    const known = isPieceOf(this.#after, seq, region) ? charsKnown(this.#after, seq, region) - from : 0
    const delta = known > 0 ? text.slice(known) : text
    const number = textNumber(seq, region, from + text.length)
    if (delta !== '' && number > this.#after) this.#put(type, number, `${members},"delta":${JSON.stringify(delta)}`)
  }

  /** How many characters of a text the reader has; 0: none that are known of. */
  knownOf(seq: number, region: Region): number {
    return isPieceOf(this.#after, seq, region) ? charsKnown(this.#after, seq, region) : 0
  }

  take(): string[] {
    const frames = this.#frames
    this.#frames = []
    return frames
  }

  #frame(type: string, number: number, data: object): void {
    if (number > this.#after) this.#put(type, number, JSON.stringify(data).slice(1, -1))
  }

  #put(type: string, number: number, members: string): void {
    this.#frames.push(`event: ${type}\ndata: {"type":"${type}","sequence_number":${number},${members}}\n\n`)
  }
}
