import { codeText } from './code-text.ts'
import { type ElementNode, joined } from './node.ts'
import { TAG } from './tags.ts'

/** The text of what is not left out: a line a block, cells apart by tabs, lines of code as they are. */
export function plainText(root: ElementNode): string {
  const lines: string[] = []
  let line = ''
  /** Texts that the line is made of; each by itself has its white space collapsed. */
  let pieces = 0
  const endLine = () => {
    if (line === '') return
    const text = pieces === 1 ? line.trim() : joined(line)
    if (text !== '') lines.push(text)
    line = ''
    pieces = 0
  }
  const visit = (node: ElementNode): void => {
    if (node.skipped) return
    if (node.name === 'pre') return preformatted(node)
    const isBlock = (node.bits & TAG.block) !== 0
    const isCell = node.name === 'td' || node.name === 'th'
    if ((isBlock && (!isCell || node.hasBlock)) || node.name === 'br') endLine()
    for (const child of node.children) {
      if (typeof child === 'string') {
        line += child
        pieces += 1
      } else visit(child)
    }
    if (isCell && !node.hasBlock) {
      line += ' '
      pieces += 1
    } else if (isBlock) endLine()
  }
  const preformatted = (node: ElementNode): void => {
    endLine()
    lines.push(codeText(node).trimEnd())
  }
  visit(root)
  endLine()
  return lines.join('\n')
}
