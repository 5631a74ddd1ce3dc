const COLUMNS_MAX = 50
const ROWS_MAX = 100_000
/** Written below a table that has more rows than are read. */
const GAP = '\n\n[…]'
/** Where a separator is looked for. */
const SAMPLE_CHARS = 4_096
/** Rows that say how wide a table is. */
const SAMPLE_ROWS = 1_000
/** Excel is told the separator by a line of its own. */
const NAMED = /^sep=([,;|\t])\r?\n/i
const SEPARATORS = [',', '\t', ';', '|'] as const

/** Separated values (RFC 4180, any of the usual separators) as a Markdown table; `…` heads the columns and `[…]` ends the rows that
 *  are too many. Null when they are no table. */
export function csvMarkdown(text: string): string | null {
  const named = NAMED.exec(text)
  const rows = csvRows(text.slice(named?.[0].length), named?.[1] ?? separatorOf(text.slice(0, SAMPLE_CHARS)))
  const [head, ...body] = rows
  if (head === undefined || body.length === 0 || head.length < 2) return null
  const widest = Math.max(...rows.slice(0, SAMPLE_ROWS).map((row) => row.length))
  const columns = Math.min(widest, COLUMNS_MAX)
  const more = widest > columns ? 1 : 0
  const lines = [
    lineOf(head, columns) + '  |'.repeat(Math.max(0, columns - head.length)) + ' … |'.repeat(more),
    `|${' --- |'.repeat(columns + more)}`,
  ]
  for (const row of body) lines.push(lineOf(row, columns))
  return lines.join('\n') + (rows.length === ROWS_MAX ? GAP : '')
}

function lineOf(row: readonly string[], columns: number): string {
  let line = '|'
  for (const text of row.slice(0, columns)) line += ` ${cell(text)} |`
  return line
}

function cell(text: string): string {
  const bare = text.trim()
  return /[\n|]/.test(bare) ? bare.replace(/\s*\n\s*/g, ' ').replaceAll('|', '\\|') : bare
}

/** The separator that the first line has most of, outside of quotes. */
function separatorOf(sample: string): string {
  const [first = ''] = sample.replace(/"[^"]*"/g, '').split('\n', 1)
  const counts = SEPARATORS.map((separator) => first.split(separator).length)
  return SEPARATORS[counts.indexOf(Math.max(...counts))] ?? ','
}

/** Rows of fields, at most `ROWS_MAX`; empty lines are none. A quote that is not closed is a character like any other. */
export function csvRows(text: string, separator: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  let at = 0
  const endRow = () => {
    if (row.length > 1 || row[0] !== '') rows.push(row)
    row = []
  }
  while (at < text.length && rows.length < ROWS_MAX) {
    const { value, end } = fieldAt(text, at, separator)
    row.push(value)
    at = end + 1
    if (text[end] !== separator) endRow()
    else if (at === text.length) row.push('')
  }
  if (row.length > 0) endRow()
  return rows
}

/** The field that begins at `start`, and the position of the separator or line break behind it. */
function fieldAt(text: string, start: number, separator: string): { value: string; end: number } {
  const quoted = text[start] === '"' ? quotedAt(text, start) : null
  const from = quoted === null ? start : quoted.end
  let end = from
  while (end < text.length && text[end] !== separator && text[end] !== '\n') end += 1
  const rest = text.slice(from, end).replace(/\r$/, '')
  return { value: quoted === null ? rest : quoted.value + rest, end }
}

/** What stands in quotes from `start`, doubled ones as one; null when they are not closed. */
function quotedAt(text: string, start: number): { value: string; end: number } | null {
  let at = start + 1
  for (;;) {
    const quote = text.indexOf('"', at)
    if (quote < 0) return null
    if (text[quote + 1] !== '"') return { value: text.slice(start + 1, quote).replaceAll('""', '"'), end: quote + 1 }
    at = quote + 2
  }
}
