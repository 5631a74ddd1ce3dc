import { type TextMeasure, measureText } from './amounts.ts'
import { decodeText } from './entities.ts'
import { withSingleSpaces } from './node.ts'

/** Gathers the text between two tags: pieces of the document, nearly always one. */
export class TextReader {
  readonly #html: string
  readonly #measure: TextMeasure = { chars: 0, isCollapsed: true, hasReference: false }
  /** Pieces that are complete, then the document from `#start` to `#end`. */
  #text = ''
  #start = 0
  #end = 0

  constructor(html: string) {
    this.#html = html
  }

  get isEmpty(): boolean {
    return this.#start === this.#end && this.#text === ''
  }

  add(start: number, end: number): void {
    if (this.#end !== start || this.#start === start) {
      this.#completePiece()
      this.#start = start
    }
    this.#end = end
  }

  addBreak(): void {
    this.#completePiece()
    this.#text += '\n'
  }

  /** Letters of what was gathered. */
  measure(): number {
    const measure = this.#measure
    if (this.#text === '') measureText(this.#html, this.#start, this.#end, measure)
    if (this.#text !== '' || measure.hasReference) {
      this.#completePiece()
      measureText(this.#text, 0, this.#text.length, measure)
    }
    return measure.chars
  }

  /** What was gathered and measured, as it is written. */
  take(): string {
    const text = this.#text === '' ? this.#html.slice(this.#start, this.#end) : this.#text
    this.drop()
    return text
  }

  /** The same with its white space collapsed. */
  takeCollapsed(): string {
    const text = this.take()
    return this.#measure.isCollapsed ? text : withSingleSpaces(text)
  }

  drop(): void {
    this.#start = this.#end
    if (this.#text !== '') this.#text = ''
  }

  #completePiece(): void {
    if (this.#start === this.#end) return
    this.#text += decodeText(this.#html.slice(this.#start, this.#end))
    this.#start = this.#end
  }
}
