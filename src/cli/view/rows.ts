import { brokenTo, columnsOf, cutTo } from './text.ts'

const GAP = '  '

/** Columns that lines have on a stream: those of its terminal, as many as they need elsewhere. */
export const widthOf = (stream: { isTTY?: boolean; columns?: number }): number =>
  stream.isTTY ? stream.columns || 80 : Infinity

/** A column that may be cut is left out where it would have less room. */
const CUT_COLUMNS_MIN = 8
/** The same of one whose cells go on below. */
const BROKEN_COLUMNS_MIN = 24

type Rows = readonly (readonly string[])[]

/** Rows as lines with their cells below each other, each on one line of at most `width` columns. A column that does not fit is left
 *  out, and the last one that does is cut. */
export function rowLines(rows: Rows, width: number): string[] {
  const widths = widthsOf(rows)
  while (widths.length > 1 && total(widths) - roomOfLast(widths) > width) widths.pop()
  return rows.map((row) => cutTo(line(row, widths), width))
}

/** What the last column can do without. */
const roomOfLast = (widths: readonly number[]) => Math.max(0, (widths.at(-1) ?? 0) - CUT_COLUMNS_MIN)

/** Rows of a name, a value and more about it: no cell is cut. A value that is too long goes on below; what there is no room for beside
 *  it is left out. */
export function factLines(rows: Rows, width: number): string[] {
  const widths = widthsOf(rows)
  const room = () => width - total(widths.with(1, 0))
  while (widths.length > 2 && room() < Math.min(widths[1] ?? 0, BROKEN_COLUMNS_MIN)) widths.pop()
  if (width === Infinity || widths.length < 2 || total(widths) <= width) return rows.map((row) => line(row, widths))
  widths[1] = Math.max(room(), CUT_COLUMNS_MIN)
  return rows.flatMap(([name = '', value = '', ...rest]) => {
    const [first = '', ...below] = brokenTo(value, widths[1] ?? 0)
    return [line([name, first, ...rest], widths), ...below.map((part) => line(['', part], widths))]
  })
}

function widthsOf(rows: Rows): number[] {
  const widths: number[] = []
  for (const row of rows)
    for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, columnsOf(cell))
  return widths
}

const total = (widths: readonly number[]) => widths.reduce((sum, one) => sum + one, GAP.length * (widths.length - 1))

/** The cells of a row that have a width. */
function line(row: readonly string[], widths: readonly number[]): string {
  const cells = widths.map((width, at) => (row[at] ?? '') + ' '.repeat(Math.max(0, width - columnsOf(row[at] ?? ''))))
  return cells.join(GAP).trimEnd()
}
