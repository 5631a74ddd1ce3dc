import { columnsOf, cutTo } from './text.ts'

const GAP = '  '

/** Columns that lines have on a stream: those of its terminal, as many as they need elsewhere. */
export const widthOf = (stream: { isTTY?: boolean; columns?: number }): number =>
  stream.isTTY ? stream.columns || 80 : Infinity

/** Rows as lines with their cells below each other, each on one line of at most `width` columns. */
export function rowLines(rows: readonly (readonly string[])[], width: number): string[] {
  const widths: number[] = []
  for (const row of rows)
    for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, columnsOf(cell))
  return rows.map((row) => {
    const cells = row.map((cell, at) => cell + ' '.repeat((widths[at] ?? 0) - columnsOf(cell)))
    return cutTo(cells.join(GAP).trimEnd(), width)
  })
}
