import type { Resolve } from './addresses.ts'
import { codeLanguage, codeText, isNamedNumbers } from './code-text.ts'
import { isNotes } from './footnotes.ts'
import { inlineMarkdown, linkMarkdown, longestRun, wrapped } from './markdown-inline.ts'
import { numbered, numberIn } from './list-numbers.ts'
import { isTable, tableMarkdown } from './markdown-table.ts'
import { attribute, collapse, type ElementNode, isBlock, type PageNode } from './node.ts'
import { TAG } from './tags.ts'

/** Lists and quotes nested deeper are written at this level, so that indents stay bounded. */
const INDENTS_MAX = 8

interface Context {
  resolve: Resolve
  /** Lists and quotes around. */
  indents: number
  /** The address of a link that holds blocks; the first text in it carries it. */
  link: string | null
}

/** The Markdown of what is not left out: blocks apart by an empty line. */
export function markdownOf(root: ElementNode, resolve: Resolve): string {
  return blocks(root.children, { resolve, indents: 0, link: null }).join('\n\n')
}

function blocks(nodes: readonly PageNode[], context: Context): string[] {
  const written: string[] = []
  writeBlocks(nodes, context, written)
  return written
}

/** What stands between two blocks is one line, or several where it is broken. A block that is left out does not part it. */
function writeBlocks(nodes: readonly PageNode[], context: Context, written: string[]): void {
  let from = 0
  for (let index = 0; index < nodes.length; index += 1) {
    const node = nodes[index]
    if (node === undefined || typeof node === 'string' || !isBlock(node) || node.skipped) continue
    writeRun(nodes, from, index, context, written)
    writeBlock(node, context, written)
    from = index + 1
  }
  writeRun(nodes, from, nodes.length, context, written)
}

function writeRun(nodes: readonly PageNode[], from: number, to: number, context: Context, written: string[]): void {
  if (from === to) return
  const text = linkedOnce(inlineMarkdown(nodes, context.resolve, from, to), context)
  if (text !== '') written.push(text)
}

function writeBlock(node: ElementNode, context: Context, written: string[]): void {
  const text = blockOf(node, context)
  if (text === null) writeBlocks(node.children, node.name === 'a' ? linkedContext(node, context) : context, written)
  else if (text !== '') written.push(text)
}

/** An element that is one block; null for one that holds blocks. */
function blockOf(node: ElementNode, context: Context): string | null {
  const { name, bits } = node
  if ((bits & TAG.heading) !== 0) return heading(node, context)
  if (name === 'ul' || name === 'ol') return list(node, context)
  if (name === 'pre') return code(node)
  if (name === 'blockquote') return quote(node, context)
  if (name === 'hr') return '---'
  if (isTable(node)) return tableMarkdown(node, context.resolve)
  if (name === 'dt') return wrapped(inlineMarkdown(node.children, context.resolve), '**')
  return null
}

function heading(node: ElementNode, context: Context): string {
  const text = collapse(linkedOnce(inlineMarkdown(node.children, context.resolve), context))
  return text === '' ? '' : `${'#'.repeat(Number(node.name[1]))} ${text.replace(/^\*\*(.+)\*\*$/, '$1')}`
}

/** Within a link around blocks, as a card of a listing is. */
function linkedContext({ attributes }: ElementNode, context: Context): Context {
  return { ...context, link: context.resolve(attribute(attributes, 'href')) }
}

/** Give the link that is around to the first text that has none; later texts stay as they are. */
function linkedOnce(text: string, context: Context): string {
  if (context.link === null || text === '' || text.includes('](')) return text
  const linked = linkMarkdown(text, context.link)
  context.link = null
  return linked
}

function list(node: ElementNode, context: Context): string {
  const inner = { ...context, indents: context.indents + 1 }
  const isOfNotes = node.name === 'ol' && isNotes(node)
  let number = numberIn(node, 'start') ?? 1
  const items: string[] = []
  for (const child of node.children) {
    if (typeof child !== 'string' && child.skipped) continue
    const isNested = typeof child !== 'string' && (child.name === 'ul' || child.name === 'ol')
    const text = itemText(child, inner)
    if (text === '') continue
    if (typeof child !== 'string') number = numberIn(child, 'value') ?? number
    const marker = isOfNotes ? `[^${number}]: ` : node.name === 'ol' ? `${numbered(node, number)}. ` : '- '
    if (!isNested) number += 1
    items.push(
      isNested
        ? `  ${indented(text, '  ', inner)}`
        : marker + indented(text, ' '.repeat(isOfNotes ? 4 : marker.length), inner),
    )
  }
  return items.join('\n')
}

/** Most items are a line, for which no list is made. */
function itemText(child: PageNode, context: Context): string {
  if (typeof child !== 'string' && child.name === 'li' && !child.hasBlock)
    return linkedOnce(inlineMarkdown(child.children, context.resolve), context)
  return blocks(itemNodes(child), context).join('\n')
}

/** What an item of a list holds; pages put text and lists beside the items, too. */
function itemNodes(child: PageNode): readonly PageNode[] {
  return typeof child !== 'string' && child.name === 'li' ? child.children : [child]
}

/** All lines but the first moved in; nothing beyond the bound. */
function indented(text: string, indent: string, context: Context): string {
  return context.indents > INDENTS_MAX || !text.includes('\n') ? text : text.replaceAll('\n', `\n${indent}`)
}

function quote(node: ElementNode, context: Context): string {
  const text = blocks(node.children, { ...context, indents: context.indents + 1 }).join('\n\n')
  if (text === '' || context.indents >= INDENTS_MAX) return text
  return text
    .split('\n')
    .map((line) => (line === '' ? '>' : `> ${line}`))
    .join('\n')
}

function code(node: ElementNode): string {
  const text = codeText(node).trimEnd()
  if (text.trim() === '' || isLineNumbers(node, text)) return ''
  const fence = '`'.repeat(Math.max(3, longestRun(text) + 1))
  return `${fence}${codeLanguage(node)}\n${text}\n${fence}`
}

/** The numbers of the lines of the code beside, in a cell of their own or named so. */
function isLineNumbers(node: ElementNode, text: string): boolean {
  if (!/^\s*\d/.test(text)) return false
  const around = [node, node.parent, node.parent?.parent].filter((place) => place !== undefined && place !== null)
  const isBeside = around.some((place) => place.name === 'td' || isNamedNumbers(place))
  const numbers = text.trim().split(/\s+/)
  const first = Number(numbers[0])
  return isBeside && numbers.every((number, index) => number === String(first + index))
}
