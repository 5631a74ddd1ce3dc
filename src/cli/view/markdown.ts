import { Marked, type Token, type Tokens } from 'marked'
import { CHINESE_EMPHASIS } from '../../lib/chinese-emphasis.ts'
import { MATHS, mathsText } from './maths.ts'
import { type Colors, columnsOf, glued, unglued, visible, wrap } from './text.ts'

export interface MarkdownOptions {
  /** Columns of the terminal. */
  columns: number
  colors: Colors
}

const COLUMNS_MAX = 100
const marked = new Marked({ extensions: [...MATHS], tokenizer: CHINESE_EMPHASIS })

/** Markdown as coloured lines for a terminal. Charts and other code stay as they are written. */
export function renderMarkdown(markdown: string, { columns, colors }: MarkdownOptions): string {
  const width = Math.max(20, Math.min(columns, COLUMNS_MAX))
  return unglued(blocks(marked.lexer(visible(markdown, true)), width, colors).join('\n'))
}

function blocks(tokens: readonly Token[], width: number, colors: Colors): string[] {
  const shown = tokens.filter(({ type }) => type !== 'space' && type !== 'def')
  return shown.flatMap((token, index) => [...(index > 0 ? [''] : []), ...block(token, width, colors)])
}

function block(token: Token, width: number, colors: Colors): string[] {
  switch (token.type) {
    case 'heading':
      return wrap(colors.bold(colors.cyan(inlineOf(token, colors))), width)
    case 'code':
      return String(token['text'])
        .split('\n')
        .map((line) => `  ${colors.yellow(line)}`)
    case 'blockquote':
      return blocks(token.tokens ?? [], width - 2, colors).map((line) => `${colors.dim('│')} ${line}`)
    case 'list':
      return list(token as Tokens.List, width, colors)
    case 'table':
      return table(token as Tokens.Table, width, colors)
    case 'formula':
      return wrap(mathsOf(token, colors), width - 2).map((line) => `  ${line}`)
    case 'hr':
      return [colors.dim('─'.repeat(Math.min(width, 40)))]
    default:
      return wrap(inlineOf(token, colors), width)
  }
}

function list(token: Tokens.List, width: number, colors: Colors): string[] {
  const start = typeof token.start === 'number' ? token.start : 1
  return token.items.flatMap((item, index) => {
    const mark = token.ordered ? `${start + index}. ` : item.task ? `${item.checked ? '☑' : '☐'} ` : '• '
    const inner = item.tokens
      .filter(({ type }) => type !== 'checkbox')
      .flatMap((child) => block(child, width - mark.length, colors))
    const indent = ' '.repeat(columnsOf(mark))
    return inner.map((line, at) => (at === 0 ? colors.cyan(mark) : indent) + line)
  })
}

function table(token: Tokens.Table, width: number, colors: Colors): string[] {
  const rows = [token.header, ...token.rows].map((cells) => cells.map((cell) => inline(cell.tokens, colors)))
  const widths = token.header.map((_, column) => Math.max(1, ...rows.map((cells) => columnsOf(cells[column] ?? ''))))
  const total = widths.reduce((sum, each) => sum + each + 3, -3)
  if (total > width) return records(token, rows, width, colors)
  const lines = rows.map((cells) =>
    cells
      .map((cell, column) => padded(cell, widths[column] ?? 0, token.align[column]))
      .join(colors.dim(' │ '))
      .trimEnd(),
  )
  const rule = colors.dim(widths.map((each) => '─'.repeat(each)).join('─┼─'))
  return [colors.bold(lines[0] ?? ''), rule, ...lines.slice(1)]
}

/** A table that is too wide for the terminal, a line a cell. */
function records(token: Tokens.Table, rows: string[][], width: number, colors: Colors): string[] {
  const [names = [], ...data] = rows
  return data.flatMap((cells, row) => [
    ...(row > 0 ? [colors.dim('─'.repeat(Math.min(width, 40)))] : []),
    ...token.header.flatMap((_, column) => wrap(`${colors.bold(names[column] ?? '')}: ${cells[column] ?? ''}`, width)),
  ])
}

function padded(text: string, columns: number, align: Tokens.Table['align'][number] = null): string {
  const room = Math.max(0, columns - columnsOf(text))
  const before = align === 'right' ? room : align === 'center' ? Math.floor(room / 2) : 0
  return ' '.repeat(before) + text + ' '.repeat(room - before)
}

const inlineOf = (token: Token, colors: Colors) =>
  'tokens' in token && token.tokens
    ? inline(token.tokens, colors)
    : unescaped('text' in token ? String(token.text) : token.raw)

function inline(tokens: readonly Token[], colors: Colors): string {
  return tokens.map((token) => inlineToken(token, colors)).join('')
}

function inlineToken(token: Token, colors: Colors): string {
  switch (token.type) {
    case 'strong':
      return colors.bold(inlineOf(token, colors))
    case 'em':
      return colors.italic(inlineOf(token, colors))
    case 'del':
      return colors.strikethrough(inlineOf(token, colors))
    case 'codespan':
      return colors.yellow(unescaped(String(token['text'])))
    case 'maths':
      return glued(mathsOf(token, colors))
    case 'br':
      return '\n'
    case 'link':
      return linkText(inlineOf(token, colors), String(token['href']), colors)
    case 'image':
      return linkText(String(token['text']), String(token['href']), colors)
    default:
      return inlineOf(token, colors)
  }
}

/** A formula that is too much for letters stays as it is written. */
const mathsOf = ({ raw, text }: Token & { text?: unknown }, colors: Colors) =>
  mathsText(String(text)) ?? colors.yellow(raw.trim())

const linkText = (text: string, href: string, colors: Colors) =>
  text === href || `mailto:${text}` === href
    ? colors.underline(text)
    : `${colors.underline(text)} ${colors.dim(`(${href})`)}`

const ENTITIES: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" }

/** marked escapes some texts for HTML. */
const unescaped = (text: string) => text.replaceAll(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity] ?? entity)
