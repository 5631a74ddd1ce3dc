import { TooLarge } from './budget.ts'
import { inReadingOrder } from './direction.ts'
import type { PdfDocument } from './document.ts'
import { type Font, FontReader } from './fonts.ts'
import { documentText } from './letters.ts'
import { isName, isOperator, isRef, type PdfDict, PdfReader, type PdfValue } from './syntax.ts'

/** A text that is shown, where it begins and ends, and the size of its letters. `x` goes along its line, whichever way that runs on the page. */
export interface ShownPiece {
  text: string
  x: number
  y: number
  end: number
  size: number
}

/** Texts that one page shows. */
const PIECES_MAX = 200_000
/** Letters that a document shows. */
const CHARS_MAX = 6_000_000
const FONTS_MAX = 1_000
/** Work of looking up a form or a font, and of a letter. */
const LOOK_UP_WORK = 40
const LETTER_WORK = 2
const OPERANDS_MAX = 4_096
const FORMS_DEPTH = 8
const STATES_MAX = 200
const INSTEAD_BYTES = 4_000
/** Thousandths of the size by which letters of one word are not set apart, and those from which parts of a line are. */
const WORD_GAP = 180
const PART_GAP = 1_500

/** `[a b c d e f]`. Source: ISO 32000-1, 8.3.3. */
type Matrix = readonly [number, number, number, number, number, number]
const SAME: Matrix = [1, 0, 0, 1, 0, 0]

function times(m: Matrix, n: Matrix): Matrix {
  return [
    m[0] * n[0] + m[1] * n[2],
    m[0] * n[1] + m[1] * n[3],
    m[2] * n[0] + m[3] * n[2],
    m[2] * n[1] + m[3] * n[3],
    m[4] * n[0] + m[5] * n[2] + n[4],
    m[4] * n[1] + m[5] * n[3] + n[5],
  ]
}

interface State {
  matrix: Matrix
  font: Font | null
  size: number
  letterSpace: number
  wordSpace: number
  stretch: number
  leading: number
}

interface Instead {
  text: string
  isShown: boolean
}

const BEGINNING: State = { matrix: SAME, font: null, size: 1, letterSpace: 0, wordSpace: 0, stretch: 1, leading: 0 }

/** Runs the content of pages as far as it shows text. */
export class TextShower {
  readonly #document: PdfDocument
  readonly #fonts = new Map<PdfValue, Font>()
  readonly #fontReader: FontReader
  #chars = 0
  #shown: ShownPiece[] = []
  #state = BEGINNING
  /** What is marked, the innermost last: null without a text of its own. */
  #marks: (Instead | null)[] = []
  #text: Matrix = SAME
  #line: Matrix = SAME

  constructor(document: PdfDocument) {
    this.#document = document
    this.#fontReader = new FontReader(document)
  }

  /** What the content of a page shows, in its order. */
  run(content: string, resources: PdfDict | null): ShownPiece[] {
    this.#shown = []
    this.#state = BEGINNING
    this.#marks = []
    this.#run(content, resources, 0)
    return this.#shown
  }

  #run(content: string, resources: PdfDict | null, depth: number): void {
    const reader = new PdfReader(content, this.#document.budget)
    const saved: State[] = []
    let operands: PdfValue[] = []
    while (!reader.isAtEnd) {
      const value = reader.value(false)
      if (!isOperator(value)) {
        if (operands.length < OPERANDS_MAX) operands.push(value)
        continue
      }
      const { operator } = value
      if (operator === 'q' && saved.length < STATES_MAX) saved.push(this.#state)
      else if (operator === 'Q') this.#state = saved.pop() ?? this.#state
      else if (operator === 'Do') this.#form(operands[0], resources, depth)
      else if (operator === 'Tf') this.#useFont(operands, resources)
      else if (operator === 'BDC' || operator === 'BMC') this.#mark(operands[1], resources)
      else if (operator === 'EMC') this.#marks.pop()
      else if (operator === 'ID') reader.at = endOfPicture(content, reader.at)
      else this.#do(operator, operands)
      operands = []
    }
  }

  #form(named: PdfValue | undefined, resources: PdfDict | null, depth: number): void {
    this.#document.budget.spend(LOOK_UP_WORK)
    const forms = this.#document.dict(resources?.get('XObject'))
    const form = isName(named) ? this.#document.stream(forms?.get(named.name)) : null
    if (form === null || depth >= FORMS_DEPTH || this.#document.name(form.dict.get('Subtype')) !== 'Form') return
    const before = this.#state
    const matrix = matrixOf(this.#document.array(form.dict.get('Matrix')))
    this.#state = { ...before, matrix: times(matrix ?? SAME, before.matrix) }
    this.#run(this.#document.text(form), this.#document.dict(form.dict.get('Resources')) ?? resources, depth + 1)
    this.#state = before
  }

  /** Content may have a text that stands for what it shows, where its letters tell none or another. */
  #mark(told: PdfValue | undefined, resources: PdfDict | null): void {
    if (this.#marks.length >= STATES_MAX) return
    this.#document.budget.spend(LOOK_UP_WORK)
    const named = isName(told) ? this.#document.dict(resources?.get('Properties'))?.get(told.name) : told
    const text = this.#document.resolve(this.#document.dict(named)?.get('ActualText'))
    const instead =
      typeof text === 'string'
        ? { text: inReadingOrder(documentText(text.slice(0, INSTEAD_BYTES))), isShown: false }
        : null
    this.#marks.push(instead)
  }

  #useFont([name, size]: readonly PdfValue[], resources: PdfDict | null): void {
    this.#document.budget.spend(LOOK_UP_WORK)
    const fonts = this.#document.dict(resources?.get('Font'))
    const told = isName(name) ? fonts?.get(name.name) : undefined
    const dict = this.#document.dict(told)
    const key = isRef(told) ? told.ref : dict
    const font = dict === null ? null : (this.#fonts.get(key) ?? this.#fontReader.read(dict))
    if (font !== null) this.#fonts.set(key, font)
    if (this.#fonts.size > FONTS_MAX) throw new TooLarge()
    this.#state = { ...this.#state, font, size: typeof size === 'number' ? size : 1 }
  }

  // Source: ISO 32000-1, 9.3 and 9.4.
  #do(operator: string, operands: readonly PdfValue[]): void {
    const [first] = operands
    const number = typeof first === 'number' ? first : 0
    switch (operator) {
      case 'cm':
        this.#state = { ...this.#state, matrix: times(matrixOf(operands) ?? SAME, this.#state.matrix) }
        break
      case 'BT':
        this.#text = this.#line = SAME
        break
      case 'Tc':
        this.#state = { ...this.#state, letterSpace: number }
        break
      case 'Tw':
        this.#state = { ...this.#state, wordSpace: number }
        break
      case 'Tz':
        this.#state = { ...this.#state, stretch: number / 100 }
        break
      case 'TL':
        this.#state = { ...this.#state, leading: number }
        break
      case 'Td':
      case 'TD':
        if (operator === 'TD') this.#state = { ...this.#state, leading: -numberAt(operands, 1) }
        this.#move(number, numberAt(operands, 1))
        break
      case 'Tm':
        this.#text = this.#line = matrixOf(operands) ?? SAME
        break
      case 'T*':
        this.#move(0, -this.#state.leading)
        break
      case 'Tj':
        this.#show([first ?? null])
        break
      case "'":
      case '"':
        this.#move(0, -this.#state.leading)
        this.#show([operands.at(-1) ?? null])
        break
      case 'TJ':
        if (Array.isArray(first)) this.#show(first)
        break
      default:
    }
  }

  #move(x: number, y: number): void {
    this.#text = this.#line = times([1, 0, 0, 1, x, y], this.#line)
  }

  /** Texts, and numbers by which what follows is set apart or together. */
  #show(parts: readonly PdfValue[]): void {
    const { font, size, letterSpace, wordSpace, stretch } = this.#state
    if (font === null) return
    let letters: string[] = []
    let from = this.#place()
    let isBegun = false
    const flush = () => {
      const text = isBegun ? this.#told(letters.join('')) : ''
      this.#chars += text.length
      const last = this.#shown.at(-1)
      if (text === '' && last !== undefined && this.#marks.some((mark) => mark?.isShown)) last.end = this.#place().x
      if (text.trim() !== '') this.#shown.push({ text, ...from, end: this.#place().x })
      if (this.#shown.length > PIECES_MAX || this.#chars > CHARS_MAX) throw new TooLarge()
      letters = []
      isBegun = false
    }
    for (const part of parts) {
      if (typeof part === 'number') {
        if (-part >= PART_GAP) flush()
        else if (-part >= WORD_GAP && letters.length > 0 && letters.at(-1)?.endsWith(' ') === false) letters.push(' ')
        this.#advance((-part / 1_000) * size * stretch)
      } else if (typeof part === 'string') {
        this.#document.budget.spend(LETTER_WORK * part.length)
        for (const glyph of font.glyphs(part)) {
          if (!isBegun) from = this.#place()
          isBegun = true
          if (glyph.text !== '') letters.push(glyph.text)
          this.#document.budget.spend(glyph.text.length)
          this.#advance(((glyph.width / 1_000) * size + letterSpace + (glyph.isSpace ? wordSpace : 0)) * stretch)
        }
      }
    }
    flush()
  }

  /** The text that stands for what is shown, once. */
  #told(text: string): string {
    const instead = this.#marks.find((mark) => mark !== null)
    if (instead === undefined) return text
    const told = instead.isShown ? '' : instead.text
    instead.isShown = true
    return told
  }

  #advance(x: number): void {
    this.#text = times([1, 0, 0, 1, x, 0], this.#text)
  }

  #place(): Pick<ShownPiece, 'x' | 'y' | 'size'> {
    const [a, b, , , x, y] = times(this.#text, this.#state.matrix)
    const length = Math.hypot(a, b)
    const [along, across] = length > 0 ? [a / length, b / length] : [1, 0]
    return { x: x * along + y * across, y: y * along - x * across, size: Math.abs(this.#state.size) * length }
  }
}

function numberAt(values: readonly PdfValue[], at: number): number {
  const value = values[at]
  return typeof value === 'number' ? value : 0
}

function matrixOf(values: readonly PdfValue[]): Matrix | null {
  if (values.length < 6) return null
  const [a, b, c, d, e, f] = [0, 1, 2, 3, 4, 5].map((at) => numberAt(values, at))
  return [a ?? 1, b ?? 0, c ?? 0, d ?? 1, e ?? 0, f ?? 0]
}

/** Where a picture within the content ends. */
function endOfPicture(content: string, at: number): number {
  const end = /[\0\t\n\f\r ]EI(?=[\0\t\n\f\r ]|$)/g
  end.lastIndex = at
  const found = end.exec(content)
  return found === null ? content.length : found.index + found[0].length
}
