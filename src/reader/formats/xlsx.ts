import type { Archive } from './archive.ts'
import { cellNumber, formatsOf, type NumberFormat } from './number-format.ts'
import {
  childOf,
  decoded,
  ENOUGH,
  escaped,
  firstWithin,
  goThrough,
  LEFT_OUT,
  localName,
  parseXml,
  within,
  type XmlElement,
  xmlText,
} from './xml.ts'

const MAIN = 'xl/workbook.xml'
const TEXTS = 'xl/sharedStrings.xml'
const SHEETS_MAX = 100
/** A table of Markdown has one more, which says that there are others. */
const COLUMNS_MAX = 49
/** Cells and rows of the tables of all sheets, empty cells too, as many as the tree of a page has room for; and letters in them. */
const CELLS_MAX = 90_000
const CHARS_MAX = 4_000_000
/** Source: Excel's "Specifications and limits", characters that a cell can contain. */
const CELL_CHARS_MAX = 32_767
const CUT = '[…]'

interface Book {
  texts: readonly string[]
  /** There are more of them. */
  isCut: boolean
  /** How numbers are shown, by the style of their cell. */
  formats: ReadonlyMap<number, NumberFormat>
  /** Days are counted from 1904. */
  from1904: boolean
}

/** Each sheet that is shown as a heading and a table. Null: there is none. */
export async function xlsxHtml(archive: Archive): Promise<string | null> {
  const main = await archive.xml(MAIN)
  if (main === null) return null
  const relations = await archive.relations(MAIN)
  const shared = await archive.beginning(TEXTS, '/si')
  const told = sharedTexts(shared?.text ?? '')
  const book: Book = {
    texts: told.texts,
    isCut: archive.has(TEXTS) && (shared === null || shared.isCut || told.isCut),
    formats: formatsOf(await archive.xml('xl/styles.xml')),
    from1904: ['1', 'true'].includes(firstWithin(main, 'workbookPr')?.attributes['date1904'] ?? ''),
  }
  let html = ''
  const left = { cells: CELLS_MAX, chars: CHARS_MAX }
  const sheets = [...within(main, 'sheet')].filter(({ attributes: { state = 'visible' } }) => state === 'visible')
  for (const { attributes } of sheets.slice(0, SHEETS_MAX)) {
    const part = relations.get(attributes['r:id'] ?? '')?.target ?? ''
    if (!archive.has(part)) continue
    const { rows, isCut } = await sheetOf(archive, part, book, left)
    html += `<h2>${escaped(attributes['name'] ?? '')}</h2>${tableHtml(rows)}${isCut ? LEFT_OUT : ''}`
  }
  return sheets.length > SHEETS_MAX || main.isCut ? html + LEFT_OUT : html
}

interface Room {
  cells: number
  chars: number
}

interface Sheet {
  rows: string[][]
  isCut: boolean
}

async function sheetOf(archive: Archive, part: string, book: Book, left: Room): Promise<Sheet> {
  const found = left.cells > 0 && left.chars > 0 ? await archive.beginning(part, 'row') : null
  if (found === null) return { rows: [], isCut: true }
  const xml = parseXml(found.text)
  const { rows, isCut } = rowsOf(xml, book, left)
  return { rows, isCut: isCut || xml.isCut || found.isCut }
}

/** Texts that cells share. */
const TEXTS_MAX = 400_000

/** The texts that cells refer to by their numbers, without a tree of all of them: there may be many more than cells that are read. */
function sharedTexts(xml: string): { texts: string[]; isCut: boolean } {
  const texts: string[] = []
  let text = ''
  let isText = false
  let spoken = 0
  const isWhole = goThrough(xml, {
    onopentag: (name) => {
      const local = localName(name)
      if (local === 'si') text = ''
      else if (local === 'rPh') spoken += 1
      isText = local === 't' && spoken === 0
    },
    ontext: (data) => {
      if (isText && text.length <= CELL_CHARS_MAX) text += decoded(data)
    },
    onclosetag: (name) => {
      const local = localName(name)
      isText = false
      if (local === 'rPh') spoken -= 1
      if (local !== 'si') return
      if (texts.length >= TEXTS_MAX) throw ENOUGH
      texts.push(text)
    },
  })
  return { texts, isCut: !isWhole }
}

/** The text of a cell, or of its parts, without how it is spoken. */
function textOfItem(item: XmlElement): string {
  let text = ''
  for (const child of item.children) {
    if (typeof child === 'string') continue
    if (child.name === 't') text += xmlText(child)
    else if (child.name === 'r') text += xmlText(childOf(child, 't'))
  }
  return text
}

/** Rows with something in them, as many as there is room for; it takes the room. */
function rowsOf(sheet: XmlElement, book: Book, left: Room): Sheet {
  const rows: string[][] = []
  let columns = 0
  let isCut = false
  for (const row of within(sheet, 'row')) {
    const texts = textsOf(row, book)
    if (texts.length === 0) continue
    const wide = Math.max(columns, texts.length)
    const chars = texts.reduce((sum, text) => sum + text.length, 0)
    isCut = (wide + 1) * (rows.length + 1) > left.cells || chars > left.chars
    if (isCut) break
    columns = wide
    left.chars -= chars
    rows.push(texts)
  }
  left.cells -= (columns + 1) * rows.length
  return { rows, isCut }
}

/** The cells of a row up to the last with something in it. */
function textsOf(row: XmlElement, book: Book): string[] {
  const texts: string[] = []
  let next = 0
  for (const cell of within(row, 'c')) {
    const column = columnOf(cell.attributes['r']) ?? next
    next = column + 1
    const text = cellText(cell, book)
    if (text === '') continue
    while (texts.length < Math.min(column, COLUMNS_MAX)) texts.push('')
    if (column >= COLUMNS_MAX) texts[COLUMNS_MAX] = CUT
    else texts[column] = text.length > CELL_CHARS_MAX ? `${text.slice(0, CELL_CHARS_MAX)} ${CUT}` : text
  }
  return texts
}

/** `C7` is in column 2. */
function columnOf(reference: string | undefined): number | null {
  const letters = /^[A-Z]{1,3}/.exec(reference ?? '')?.[0]
  if (letters === undefined) return null
  let column = 0
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64
  return column - 1
}

function cellText(cell: XmlElement, { texts, isCut, formats, from1904 }: Book): string {
  const value = xmlText(childOf(cell, 'v'))
  const { t: type = 'n', s: style } = cell.attributes
  // The text of a formula may well be empty; a number is not.
  if (value === '' && (type === 'n' || type === 'b')) return formulaOf(cell)
  if (type === 's') return texts[Number(value)] ?? (isCut ? CUT : '')
  if (type === 'inlineStr') return textOfItem(childOf(cell, 'is') ?? cell)
  if (type === 'b') return value === '1' ? 'TRUE' : 'FALSE'
  const format = type === 'n' && style !== undefined ? formats.get(Number(style)) : undefined
  return format === undefined ? value : cellNumber(value, format, from1904)
}

/** A formula that no program has worked out yet, as it is written. */
function formulaOf(cell: XmlElement): string {
  const formula = xmlText(childOf(cell, 'f'))
  return formula === '' ? '' : `=${formula}`
}

function tableHtml(rows: readonly string[][]): string {
  const columns = rows.reduce((most, row) => Math.max(most, row.length), 0)
  const lines = rows.map((row) => {
    const cells = Array.from({ length: columns }, (_, column) => `<td>${escaped(row[column] ?? '')}</td>`)
    return `<tr>${cells.join('')}</tr>`
  })
  return lines.length === 0 ? '' : `<table>${lines.join('')}</table>`
}
