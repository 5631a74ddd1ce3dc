import type { Resolve } from './addresses.ts'
import { inlineMarkdown } from './markdown-inline.ts'
import { collapse, type ElementNode, isBlock, type PageNode } from './node.ts'
import { COLUMNS_MAX, Grid } from './table-grid.ts'
import { TAG } from './tags.ts'

/** A cell longer than this is an article in a layout table. */
const CELL_CHARS_MAX = 1_500
/** A link around blocks with fewer letters stays a link in a cell. */
const LINK_CHARS_MAX = 200

const isCell = ({ name }: ElementNode) => name === 'td' || name === 'th'

/** A table of data as Markdown; null for one that only arranges the page (it is read as blocks). */
export function tableMarkdown(table: ElementNode, resolve: Resolve): string | null {
  const rows = rowsOf(table).map((row) => elements(row).filter((cell) => isCell(cell) && !cell.skipped))
  const filled = rows.filter((cells) => cells.length > 0)
  if (!isData(filled)) return null
  const [header = '', ...lines] = gridOf(filled, resolve).map((texts) => `| ${texts.join(' | ')} |`)
  const columns = header.match(/(?<!\\)\|/g)?.length ?? 2
  const caption = elements(table).find((child) => child.name === 'caption')
  const above = caption === undefined ? '' : `${inlineMarkdown(caption.children, resolve)}\n\n`
  return `${above}${header}\n|${' --- |'.repeat(columns - 1)}\n${lines.join('\n')}`.trim()
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
  const runs = cell.hasBlock ? runsOf(cell) : [cell.children]
  const texts = runs.map((run) => collapse(inlineMarkdown(run, resolve))).filter((text) => text !== '')
  return texts.join('; ').replaceAll('|', '\\|')
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
  return elements(table).flatMap((child) => {
    if (child.name === 'tr') return [child]
    return /^t(?:head|body|foot)$/.test(child.name) ? elements(child).filter((row) => row.name === 'tr') : []
  })
}

function elements(node: ElementNode): ElementNode[] {
  return node.children.filter((child) => typeof child !== 'string')
}
