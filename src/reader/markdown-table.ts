import type { Resolve } from './addresses.ts'
import { inlineMarkdown } from './markdown-inline.ts'
import { attribute, collapse, type ElementNode } from './node.ts'
import { plainText } from './plain-text.ts'
import { TAG } from './tags.ts'

const COLUMNS_MAX = 50
/** A cell longer than this is an article in a layout table. */
const CELL_CHARS_MAX = 1_500

const isCell = ({ name }: ElementNode) => name === 'td' || name === 'th'

/** A table of data as Markdown; null for one that only arranges the page (it is read as blocks). */
export function tableMarkdown(table: ElementNode, resolve: Resolve): string | null {
  const rows = rowsOf(table).map((row) => elements(row).filter((cell) => isCell(cell) && !cell.skipped))
  const filled = rows.filter((cells) => cells.length > 0)
  if (!isData(filled)) return null
  const lines = filled.map((cells) => rowMarkdown(cells, resolve))
  const columns = Math.min(Math.max(1, (lines[0]?.match(/(?<!\\)\|/g)?.length ?? 2) - 1), COLUMNS_MAX)
  const caption = elements(table).find((child) => child.name === 'caption')
  const above = caption === undefined ? '' : `${inlineMarkdown(caption.children, resolve)}\n\n`
  return `${above}${lines[0]}\n|${' --- |'.repeat(columns)}\n${lines.slice(1).join('\n')}`.trim()
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

function rowMarkdown(cells: readonly ElementNode[], resolve: Resolve): string {
  const texts = cells.flatMap((cell) => [cellMarkdown(cell, resolve), ...blanks(cell)])
  return `| ${texts.slice(0, COLUMNS_MAX).join(' | ')} |`
}

function cellMarkdown(cell: ElementNode, resolve: Resolve): string {
  const text = cell.hasBlock ? plainText(cell).replaceAll('\n', '; ') : inlineMarkdown(cell.children, resolve)
  return collapse(text.replaceAll('\n', ' ')).replaceAll('|', '\\|')
}

/** Empty cells for the columns that a cell spans beside its own. */
function blanks({ attributes }: ElementNode): string[] {
  const span = Number.parseInt(attribute(attributes, 'colspan') ?? '1', 10)
  return span > 1 ? Array.from({ length: Math.min(span, COLUMNS_MAX) - 1 }, () => '') : []
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
