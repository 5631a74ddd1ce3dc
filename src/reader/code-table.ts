import { codeText, isNamedNumbers } from './code-text.ts'
import { createElement, type ElementNode, isBlock, NO_ATTRIBUTES, rawText, setTag } from './node.ts'
import { tagAt } from './tags.ts'

const PRE = tagAt('pre', 0, 3)

/** Two cells, and white space around them. */
const BESIDE_MAX = 4

/** What a cell of code is read into, whose white space counts; null: no numbers of lines stand in the cell before it. */
export function codeInCell(cell: ElementNode): ElementNode | null {
  const beside = cell.parent?.children ?? []
  if (beside.length > BESIDE_MAX) return null
  const [before, self] = beside.filter((child) => typeof child !== 'string')
  return self === cell && before !== undefined && isNumbers(before) ? createElement(PRE, NO_ATTRIBUTES, cell) : null
}

function isNumbers(cell: ElementNode): boolean {
  return cell.attributes.length > 0 && isNamedNumbers(cell) && /^[\s\d]*$/.test(rawText(cell))
}

/** Make one piece of code of a table whose rows are nothing but numbers of lines with their code beside. */
export function joinCode(table: ElementNode): void {
  const rows = rowsOf(table)
  const lines = rows.map((row) => {
    const [numbers, cell, ...rest] = row.children.filter((child) => typeof child !== 'string')
    const [code] = cell?.children ?? []
    const isLine = numbers !== undefined && isNumbers(numbers) && rest.length === 0
    return isLine && typeof code === 'object' && code.tag === PRE ? code : null
  })
  if (lines.length === 0 || lines.includes(null)) return
  const codes = lines.filter((line) => line !== null)
  setTag(table, PRE)
  table.hasBlock = false
  table.prose = table.dense = table.paragraphs = 0
  table.children = [codes.map((code) => codeText(code).replace(/\n$/, '')).join('\n')]
  table.chars = table.ownChars = codes.reduce((sum, { chars }) => sum + chars, 0)
  table.linkChars = table.ownLinkChars = table.ownParagraphs = table.ownParagraphChars = 0
}

function rowsOf(node: ElementNode): ElementNode[] {
  const inner = node.children.filter((child) => typeof child !== 'string')
  return inner.flatMap((child) => (child.name === 'tr' ? [child] : isBlock(child) ? rowsOf(child) : []))
}
