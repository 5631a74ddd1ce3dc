import { attribute, type Attributes } from './node.ts'

export const COLUMNS_MAX = 50
const ROWS_SPANNED_MAX = 1_000
/** Empty cells that a table may be filled up with, for each of its own; bounds what spans can cost. */
const BLANKS_PER_CELL = 4
const BLANKS_MIN = 100

/** Lays out the cells of a table, row by row, with empty ones for the places that others span. */
export class Grid {
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
      return [...row, ...Array.from({ length: lacking }, () => '')]
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
