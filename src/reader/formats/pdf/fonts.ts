import type { Budget } from './budget.ts'
import { letterShown } from './direction.ts'
import type { PdfDocument } from './document.ts'
import { lettersOf, usualWidths } from './letters.ts'
import { isOperator, isRef, type PdfDict, PdfReader, type PdfValue } from './syntax.ts'

/** A letter of a shown text: its characters, its width in thousandths of its size, and whether it is the space that words are set apart by. */
export interface Glyph {
  text: string
  width: number
  isSpace: boolean
}

/** Reads the codes of a text that is shown with it. */
export interface Font {
  glyphs(codes: string): Glyph[]
}

const CODES_MAX = 70_000
/** Bytes of a code, and those of the characters that one stands for. */
const CODE_BYTES = 4
const CHARACTERS_BYTES = 256
/** Work of a font, and of a code that is held of it. */
const FONT_WORK = 4_000
const CODE_WORK = 16
const WIDE = 1_000

type Codes = ReadonlyMap<number, string>

/** Reads fonts; a table of characters that more of them share is read once. */
export class FontReader {
  readonly #document: PdfDocument
  readonly #codes = new Map<number, Codes>()

  constructor(document: PdfDocument) {
    this.#document = document
  }

  read(dict: PdfDict): Font {
    this.#document.budget.spend(FONT_WORK)
    const unicode = this.#codesOf(dict.get('ToUnicode'))
    return this.#document.name(dict.get('Subtype')) === 'Type0'
      ? wideFont(this.#document, dict, unicode)
      : simpleFont(this.#document, dict, unicode)
  }

  #codesOf(table: PdfValue | undefined): Codes | null {
    const stream = this.#document.stream(table)
    if (!isRef(table) || stream === null) return null
    const known = this.#codes.get(table.ref)
    if (known !== undefined) return known
    const codes = readCodes(this.#document.text(stream), this.#document.budget)
    this.#codes.set(table.ref, codes)
    return codes
  }
}

/** A font of one byte a letter: by its table of characters, else by the names of its letters. */
function simpleFont(document: PdfDocument, dict: PdfDict, unicode: Codes | null): Font {
  const name = document.name(dict.get('BaseFont'))
  const letters = lettersOf(document, dict.get('Encoding'), name)
  const usual = usualWidths(name, letters)
  const widths = document.array(dict.get('Widths'))
  const first = document.number(dict.get('FirstChar'))
  const scale =
    document.name(dict.get('Subtype')) === 'Type3'
      ? 1_000 * Math.abs(document.number(document.array(dict.get('FontMatrix'))[0]) || 0.001)
      : 1
  const glyphs = Array.from({ length: 256 }, (_, code): Glyph => {
    const width =
      widths[code - first] === undefined ? (usual[code] ?? 0) : document.number(widths[code - first]) * scale
    return { text: unicode?.get(code) ?? letters[code] ?? '', width, isSpace: code === 32 }
  })
  return {
    glyphs: (codes) => Array.from(codes, (code) => glyphs[code.charCodeAt(0)]).filter((glyph) => glyph !== undefined),
  }
}

/** A font of two bytes a letter, nearly always. Without a table of characters only codes that are Unicode, or of an older encoding, can be read. */
function wideFont(document: PdfDocument, dict: PdfDict, unicode: Codes | null): Font {
  const descendant = document.dict(document.array(dict.get('DescendantFonts'))[0])
  const widths = readWidths(document, document.array(descendant?.get('W')))
  const otherwise = descendant?.has('DW') === true ? document.number(descendant.get('DW')) : WIDE
  const encoding = document.name(dict.get('Encoding'))
  const older = unicode === null ? OLDER.find(([names]) => names.test(encoding))?.[1] : undefined
  if (older !== undefined) return olderFont(older, otherwise)
  const isUnicode = /UCS2|UTF16/.test(encoding)
  const glyphOf = (code: number): Glyph => ({
    text: unicode?.get(code) ?? (isUnicode ? String.fromCharCode(code) : ''),
    width: widths.get(code) ?? otherwise,
    isSpace: false,
  })
  return {
    glyphs: (codes) =>
      Array.from({ length: codes.length >> 1 }, (_, at) =>
        glyphOf((codes.charCodeAt(2 * at) << 8) | codes.charCodeAt(2 * at + 1)),
      ),
  }
}

/** Encodings of Adobe whose codes are those of an encoding of texts. Source: ISO 32000-1, table 118. */
const OLDER: readonly (readonly [names: RegExp, encoding: string])[] = [
  [/^(?:GB-EUC|GBpc-EUC|GBKp?-EUC|GBK2K)-[HV]$/, 'gb18030'],
  [/^(?:B5pc|HKscs-B5|ETen-B5|ETenms-B5)-[HV]$/, 'big5'],
  [/^(?:83pv|90msp?|90pv|Add)-RKSJ-[HV]$/, 'shift_jis'],
  [/^EUC-[HV]$/, 'euc-jp'],
  [/^(?:KSC-EUC|KSCms-UHC|KSCms-UHC-HW|KSCpc-EUC)-[HV]$/, 'euc-kr'],
]

/** Widths are told by other numbers than the codes: those of Latin letters are taken for half of the others. */
function olderFont(encoding: string, width: number): Font {
  const decoder = new TextDecoder(encoding)
  return {
    glyphs: (codes) => {
      const bytes = Uint8Array.from(codes, (code) => code.charCodeAt(0))
      return Array.from(decoder.decode(bytes), (text) => ({
        text,
        width: text < '\u0080' ? width / 2 : width,
        isSpace: text === ' ',
      }))
    },
  }
}

/** `c [w w …]` and `c c w`. Source: ISO 32000-1, 9.7.4.3. */
function readWidths(document: PdfDocument, told: readonly PdfValue[]): Map<number, number> {
  const widths = new Map<number, number>()
  for (let at = 0; at < told.length && widths.size < CODES_MAX;) {
    document.budget.spend(CODE_WORK)
    const first = document.number(told[at])
    const list = document.resolve(told[at + 1])
    if (Array.isArray(list)) {
      document.budget.spend(CODE_WORK * list.length)
      for (const [index, width] of list.entries()) widths.set(first + index, document.number(width))
      at += 2
    } else {
      const last = Math.min(document.number(list), first + CODES_MAX)
      const width = document.number(told[at + 2])
      for (let code = first; code <= last; code += 1) {
        document.budget.spend(CODE_WORK)
        widths.set(code, width)
      }
      at += 3
    }
  }
  return widths
}

/** The characters of codes, by `bfchar` and `bfrange` of a table. */
function readCodes(text: string, budget: Budget): Codes {
  const codes = new Map<number, string>()
  const reader = new PdfReader(text, budget)
  let operands: PdfValue[] = []
  while (!reader.isAtEnd && codes.size < CODES_MAX) {
    const value = reader.value(false)
    if (!isOperator(value)) {
      operands.push(value)
      continue
    }
    if (value.operator === 'endbfchar') {
      budget.spend(CODE_WORK * operands.length)
      for (let at = 0; at + 1 < operands.length; at += 2)
        codes.set(codeOf(operands[at]), letterShown(charactersOf(operands[at + 1])))
    } else if (value.operator === 'endbfrange') {
      for (let at = 0; at + 2 < operands.length; at += 3) addRange(codes, operands.slice(at, at + 3), budget)
    }
    operands = []
  }
  return codes
}

function addRange(codes: Map<number, string>, [first, last, to]: readonly PdfValue[], budget: Budget): void {
  const from = codeOf(first)
  const end = Math.min(codeOf(last), from + CODES_MAX)
  const start = charactersOf(to ?? null)
  for (let code = from; code <= end && codes.size < CODES_MAX; code += 1) {
    budget.spend(CODE_WORK)
    const last = String.fromCharCode(start.charCodeAt(start.length - 1) + code - from)
    const text = Array.isArray(to) ? charactersOf(to[code - from]) : start.slice(0, -1) + last
    codes.set(code, letterShown(text))
  }
}

function codeOf(value: PdfValue | undefined): number {
  const isCode = typeof value === 'string' && value.length <= CODE_BYTES
  return isCode ? Array.from(value).reduce((code, byte) => code * 256 + byte.charCodeAt(0), 0) : -1
}

/** UTF-16, the higher byte first. */
function charactersOf(value: PdfValue | undefined): string {
  if (typeof value !== 'string') return ''
  let text = ''
  for (let at = 0; at + 1 < Math.min(value.length, CHARACTERS_BYTES); at += 2)
    text += String.fromCharCode((value.charCodeAt(at) << 8) | value.charCodeAt(at + 1))
  return text
}
