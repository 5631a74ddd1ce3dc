import { collapse } from '../../node.ts'
import type { ShownPiece } from './content.ts'
import type { PdfDocument } from './document.ts'
import { documentText } from './letters.ts'
import type { PdfDict, PdfValue } from './syntax.ts'

/** Fields of a page that are read, and letters of one. */
const FIELDS_MAX = 5_000
const VALUE_CHARS = 20_000
/** Fields around a field, from which it has what it does not say itself. */
const PARENTS_MAX = 8
/** Pieces of a page among which the place of a field is looked for. */
const PIECES_MAX = 5_000
// Source: ISO 32000-1, tables 165, 226 and 228.
const NOT_SHOWN = 0b10_0010
const PASSWORD = 1 << 13
const PUSH_BUTTON = 1 << 16
/** Where the middle of small letters is above their line, in sizes of letters. */
const MIDDLE = 0.3
/** Between a field and what stands beside it, at least, and the size of letters alone in a field, at most. */
const APART = 0.3
const SIZE_MAX = 12

/** Where a field is on its page. */
interface Place {
  left: number
  bottom: number
  right: number
  top: number
}

/** What a page shows with what was filled in, each beside what stands on its line. */
export function withFields(document: PdfDocument, page: PdfDict, shown: ShownPiece[]): ShownPiece[] {
  const fields = document.array(page.get('Annots'))
  if (fields.length === 0 || shown.length > PIECES_MAX) return shown
  const pieces = shown.slice()
  for (const field of fields.slice(0, FIELDS_MAX)) {
    const dict = document.dict(field)
    const text = dict === null ? '' : filledIn(document, dict)
    const place = dict === null || text === '' ? null : placeOf(document, dict)
    if (place === null) continue
    document.budget.spend(pieces.length + text.length)
    add(pieces, text, place)
  }
  return pieces
}

/** What somebody wrote or chose in a field, or as a text of its own on the page. */
function filledIn(document: PdfDocument, dict: PdfDict): string {
  if ((document.number(dict.get('F')) & NOT_SHOWN) !== 0) return ''
  const subtype = document.name(dict.get('Subtype'))
  if (subtype === 'FreeText') return textOf(document.resolve(dict.get('Contents')))
  if (subtype !== 'Widget') return ''
  const flags = document.number(told(document, dict, 'Ff'))
  const value = document.resolve(told(document, dict, 'V'))
  switch (document.name(told(document, dict, 'FT'))) {
    case 'Tx':
      return (flags & PASSWORD) === 0 ? textOf(value) : ''
    case 'Ch':
      return (Array.isArray(value) ? value : [value]).map((one) => choiceOf(document, dict, one)).join(', ')
    case 'Btn':
      if ((flags & PUSH_BUTTON) !== 0) return ''
      return /^(?:Off)?$/.test(document.name(dict.get('AS')) || document.name(value)) ? '[ ]' : '[x]'
    default:
      return ''
  }
}

/** What a field says of itself, or one that it is part of. */
function told(document: PdfDocument, field: PdfDict, name: string): PdfValue | undefined {
  let dict: PdfDict | null = field
  for (let count = 0; dict !== null && count < PARENTS_MAX; count += 1) {
    const value = dict.get(name)
    if (value !== undefined) return value
    dict = document.dict(dict.get('Parent'))
  }
  return undefined
}

function textOf(value: PdfValue): string {
  return typeof value === 'string' ? collapse(documentText(value.slice(0, VALUE_CHARS))) : ''
}

/** A choice as it is shown, which may have a name of its own. */
function choiceOf(document: PdfDocument, field: PdfDict, chosen: PdfValue): string {
  const value = document.resolve(chosen)
  const options = document.array(told(document, field, 'Opt')).slice(0, FIELDS_MAX)
  document.budget.spend(options.length)
  const pair = options.map((option) => document.array(option)).find(([name]) => document.resolve(name) === value)
  return textOf(pair === undefined ? value : document.resolve(pair[1]))
}

function placeOf(document: PdfDocument, dict: PdfDict): Place | null {
  const [x1, y1, x2, y2] = document.array(dict.get('Rect')).map((side) => document.number(side))
  if (x1 === undefined || y1 === undefined || x2 === undefined || y2 === undefined) return null
  return { left: Math.min(x1, x2), bottom: Math.min(y1, y2), right: Math.max(x1, x2), top: Math.max(y1, y2) }
}

/** Behind what is left of it on its line, else before what is right of it, else behind what is next above it. */
function add(pieces: ShownPiece[], text: string, place: Place): void {
  let [left, right, above] = [-1, -1, -1]
  const at = (index: number) => pieces[index] ?? { text: '', x: 0, y: 0, end: 0, size: 0 }
  for (const [index, piece] of pieces.entries()) {
    const middle = piece.y + MIDDLE * piece.size
    if (middle >= place.top) {
      if (above < 0 || piece.y <= at(above).y) above = index
    } else if (middle < place.bottom) continue
    else if (piece.x <= place.left) {
      if (left < 0 || piece.x >= at(left).x) left = index
    } else if (right < 0 || piece.x < at(right).x) right = index
  }
  if (left >= 0) {
    const { y, size, end } = at(left)
    const x = Math.max(place.left, end + APART * size)
    pieces.splice(left + 1, 0, { text, x, y, end: Math.max(place.right, x), size })
  } else if (right >= 0) {
    const { y, size, x } = at(right)
    pieces.splice(right, 0, { text, x: place.left, y, end: Math.min(place.right, x - APART * size), size })
  } else {
    const size = Math.min(place.top - place.bottom, SIZE_MAX)
    const piece = { text, x: place.left, y: place.bottom, end: place.right, size }
    pieces.splice((above >= 0 ? above : pieces.length - 1) + 1, 0, piece)
  }
}
