import type { Token, Tokens } from 'marked'
import { element, plainParts } from './plain-parts.ts'

type Nodes = readonly (Node | string)[]

/** The elements of blocks that hold nothing but words and code, as the sanitiser would give them; null: one of them is another. */
export function plainBlocks(blocks: readonly Token[]): Nodes | null {
  return allOf(blocks.map(plainBlock))
}

const allOf = (made: readonly (Nodes | null)[]): Nodes | null => {
  const nodes = made.filter((some) => some !== null)
  return nodes.length < made.length ? null : nodes.flat()
}

function plainBlock(block: Token): Nodes | null {
  switch (block.type) {
    case 'space':
      return []
    case 'hr':
      return [element('hr', []), '\n']
    case 'text':
      return block.tokens ? plainParts(block.tokens) : null
    case 'paragraph':
      return within('p', plainParts(block.tokens ?? []))
    case 'heading':
      return within(`h${block.depth}`, plainParts(block.tokens ?? []))
    case 'blockquote':
      return within('blockquote', onLines(plainBlocks(block.tokens ?? [])))
    case 'code':
      return codeOf(block as Tokens.Code)
    case 'list':
      return listOf(block as Tokens.List)
    case 'table':
      return tableOf(block as Tokens.Table)
    default:
      return null
  }
}

type Attributes = Parameters<typeof element>[2]

function within(name: string, nodes: Nodes | null, attributes: Attributes = {}): Nodes | null {
  return nodes && [element(name, nodes, attributes), '\n']
}

/** On lines of their own. */
const onLines = (nodes: Nodes | null): Nodes | null => nodes && ['\n', ...nodes]

/** Its language is its title until it has its frame. */
function codeOf({ text, lang = '' }: Tokens.Code): Nodes | null {
  if (/[\0<>]/.test(lang) || text.includes('\0')) return null
  return [element('pre', [element('code', [text])], { title: lang.trim() })]
}

function listOf({ ordered, start, items }: Tokens.List): Nodes | null {
  const made = items.map(({ tokens }) => within('li', plainBlocks(tokens)))
  return within(ordered ? 'ol' : 'ul', onLines(allOf(made)), ordered && start !== 1 ? { start: String(start) } : {})
}

function tableOf({ header, rows }: Tokens.Table): Nodes | null {
  const head = rowOf(header, 'th')
  const body = allOf(rows.map((row) => rowOf(row, 'td')))
  if (!head || !body) return null
  const parts = body.length === 0 ? [] : [element('tbody', body)]
  return within('table', ['\n', element('thead', ['\n', ...head]), '\n', ...parts])
}

function rowOf(cells: readonly Tokens.TableCell[], name: string): Nodes | null {
  const made = cells.map(({ tokens, align }) => within(name, plainParts(tokens), align ? { align } : {}))
  return within('tr', onLines(allOf(made)))
}
