import type { Resolve } from './addresses.ts'
import { inlineMarkdown } from './markdown-inline.ts'
import { collapse, type ElementNode, isBlock, type PageNode, attribute, type Attributes } from './node.ts'
import { TAG } from './tags.ts'
import { keepShape } from './shapes.ts'

/** A cell longer than this is an article in a layout table. */
const CELL_CHARS_MAX = 1_500
/** A link around blocks with fewer letters stays a link in a cell. */
const LINK_CHARS_MAX = 200

const TABLES: ReadonlySet<string> = new Set(['table', 'grid', 'treegrid'])
const CELLS: ReadonlySet<string> = new Set(['cell', 'gridcell', 'columnheader', 'rowheader'])
/** Elements between a table that is made of roles and its rows. */
const ROW_DEPTH_MAX = 3

const roleOf = ({ attributes }: ElementNode) => (attributes.length === 0 ? '' : (attribute(attributes, 'role') ?? ''))

const isCell = (node: ElementNode) => node.name === 'td' || node.name === 'th' || CELLS.has(roleOf(node))

/** Whether it is a table, by its tag or its role. */
export function isTable(node: ElementNode): boolean {
  return node.name === 'table' || TABLES.has(roleOf(node))
}

/** A table of data as Markdown; null for one that only arranges the page (it is read as blocks). */
export function tableMarkdown(table: ElementNode, resolve: Resolve): string | null {
  const filled = filledRows(table)
  if (!isData(filled)) return null
  const [header = '', ...lines] = gridOf(filled, resolve).map((texts) => `| ${texts.join(' | ')} |`)
  const columns = header.match(/(?<!\\)\|/g)?.length ?? 2
  const caption = elements(table).find((child) => child.name === 'caption')
  const above = caption === undefined ? '' : `${inlineMarkdown(caption.children, resolve)}\n\n`
  return `${above}${header}\n|${' --- |'.repeat(columns - 1)}\n${lines.join('\n')}`.trim()
}

/** Whether a table holds data and does not arrange the page. */
export function isDataTable(table: ElementNode): boolean {
  return isData(filledRows(table))
}

function filledRows(table: ElementNode): ElementNode[][] {
  const rows = rowsOf(table).map((row) => elements(row).filter((cell) => isCell(cell) && !cell.skipped))
  return rows.filter((cells) => cells.length > 0)
}

function gridOf(rows: readonly (readonly ElementNode[])[], resolve: Resolve): string[][] {
  const grid = new Grid()
  for (const row of rows) {
    const cells = row.slice(0, COLUMNS_MAX)
    grid.addRow(
      cells.map((cell) => cellMarkdown(cell, resolve)),
      cells.map(({ attributes }) => attributes),
    )
  }
  return grid.filled()
}

function isData(rows: readonly (readonly ElementNode[])[]): boolean {
  if (rows.length < 2 || !rows.some((cells) => cells.length > 1)) return false
  return rows.every((cells) => cells.every((cell) => cell.chars <= CELL_CHARS_MAX && !holdsLayout(cell)))
}

/** Whether a cell holds what no cell of a Markdown table can. */
function holdsLayout(cell: ElementNode): boolean {
  return cell.hasBlock && elements(cell).some((child) => isLayout(child))
}

function isLayout(node: ElementNode): boolean {
  if ((node.bits & TAG.heading) !== 0 || node.name === 'table' || node.name === 'pre') return true
  return node.hasBlock && elements(node).some((child) => isLayout(child))
}

/** The blocks of a cell on one line. */
function cellMarkdown(cell: ElementNode, resolve: Resolve): string {
  const text = cell.hasBlock
    ? runsOf(cell)
        .map((run) => collapse(inlineMarkdown(run, resolve)))
        .filter((run) => run !== '')
        .join('; ')
    : collapse(inlineMarkdown(cell.children, resolve))
  return text.includes('|') ? text.replaceAll('|', '\\|') : text
}

/** What stands together on one line, block by block. */
function runsOf(node: ElementNode): PageNode[][] {
  const runs: PageNode[][] = [[]]
  const visit = ({ children }: ElementNode): void => {
    for (const child of children) {
      if (typeof child === 'string' || !isBlock(child) || (child.name === 'a' && child.chars <= LINK_CHARS_MAX))
        runs[runs.length - 1]?.push(child)
      else if (!child.skipped) {
        runs.push([])
        visit(child)
        runs.push([])
      }
    }
  }
  visit(node)
  return runs
}

function rowsOf(table: ElementNode): ElementNode[] {
  if (table.name !== 'table') return rowsByRole(table, ROW_DEPTH_MAX)
  return elements(table).flatMap((child) => {
    if (child.name === 'tr') return [child]
    return /^t(?:head|body|foot)$/.test(child.name) ? elements(child).filter((row) => row.name === 'tr') : []
  })
}

function rowsByRole(node: ElementNode, depth: number): ElementNode[] {
  return elements(node).flatMap((child) => {
    if (roleOf(child) === 'row') return [child]
    return depth > 0 ? rowsByRole(child, depth - 1) : []
  })
}

function elements(node: ElementNode): ElementNode[] {
  return node.children.filter((child) => typeof child !== 'string')
}

const COLUMNS_MAX = 50
const ROWS_SPANNED_MAX = 1_000
/** Empty cells that a table may be filled up with, for each of its own; bounds what spans can cost. */
const BLANKS_PER_CELL = 4
const BLANKS_MIN = 100

/** Lays out the cells of a table, row by row, with empty ones for the places that others span. */
class Grid {
  readonly rows: string[][] = []
  /** Rows below the last one that are spanned, by column. */
  #spanned: number[] = []
  #blanksLeft = BLANKS_MIN

  /** Texts and attributes of the cells of the next row. */
  addRow(texts: readonly string[], attributes: readonly Attributes[]): void {
    this.#blanksLeft += BLANKS_PER_CELL * texts.length
    const row: string[] = []
    texts.forEach((text, index) => {
      this.#skipSpanned(row)
      this.#addCell(row, text, attributes[index] ?? [])
    })
    this.#skipSpanned(row)
    this.rows.push(row.slice(0, COLUMNS_MAX))
  }

  /** All rows as wide as the widest, as far as that is not wasteful. */
  filled(): string[][] {
    const columns = this.rows.reduce((most, row) => Math.max(most, row.length), 1)
    return this.rows.map((row, index) => {
      const lacking = columns - row.length
      if (index > 0 && lacking > this.#blanksLeft) return row
      this.#blanksLeft -= lacking
      return lacking === 0 ? row : [...row, ...Array.from({ length: lacking }, () => '')]
    })
  }

  /** Empty cells for the columns that cells above span. */
  #skipSpanned(row: string[]): void {
    for (let left = this.#spanned[row.length] ?? 0; left > 0; left = this.#spanned[row.length] ?? 0) {
      this.#spanned[row.length] = left - 1
      if (!this.#addBlank(row)) return
    }
  }

  #addCell(row: string[], text: string, attributes: Attributes): void {
    const below = spanOf(attributes, 'rowspan', ROWS_SPANNED_MAX) - 1
    const beside = spanOf(attributes, 'colspan', COLUMNS_MAX) - 1
    this.#spanned[row.length] = below
    row.push(text)
    for (let count = 0; count < beside && row.length < COLUMNS_MAX; count += 1) {
      this.#spanned[row.length] = below
      if (!this.#addBlank(row)) return
    }
  }

  #addBlank(row: string[]): boolean {
    if (this.#blanksLeft <= 0) return false
    this.#blanksLeft -= 1
    row.push('')
    return true
  }
}

function spanOf(attributes: Attributes, name: 'colspan' | 'rowspan', max: number): number {
  const span = Number.parseInt(attribute(attributes, name) ?? '1', 10)
  return span > 1 ? Math.min(span, max) : 1
}

keepShape(new Grid())
