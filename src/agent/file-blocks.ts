/** A file that a reply holds: its path as written, and all of its text. */
export interface FileBlock {
  path: string
  text: string
}

const HEADING = /^(?:#{1,6}\s+|[-*+]\s+|\d{1,4}[.)]\s+)?(?:\*\*|__)?FILE\s*[:：]\s*(.+?)\s*$/i
const FENCE = /^( {0,3})(`{3,}|~{3,})(.*)$/

/** Every file of a reply: a line `FILE: path` and a fenced code block behind it, with at most blank lines between the two. A block that
 *  is not closed reaches to the end of the reply. Linear in its length. */
export function fileBlocks(reply: string): FileBlock[] {
  const lines = reply.split(/\r?\n/)
  const found: FileBlock[] = []
  let path: string | null = null
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ''
    const fence = FENCE.exec(line)
    if (fence) {
      const end = endOfFence(lines, at, fence[2] ?? '')
      if (path !== null) found.push({ path, text: textOf(lines.slice(at + 1, end)) })
      path = null
      at = end
    } else if (line.trim() !== '') path = pathIn(line.trim())
  }
  return found
}

/** The line that closes a fence, or behind the last. */
function endOfFence(lines: readonly string[], start: number, mark: string): number {
  for (let at = start + 1; at < lines.length; at++) {
    const text = (lines[at] ?? '').trim()
    if (text.length >= mark.length && text === (mark[0] ?? '').repeat(text.length)) return at
  }
  return lines.length
}

/** The path of a heading, without the marks of Markdown around it; null: the line is none. */
function pathIn(line: string): string | null {
  const written = HEADING.exec(line)?.[1]
  const path = written
    ?.replace(/(?:\*\*|__)$/, '')
    .replaceAll(/^[`'"]+|[`'"]+$/g, '')
    .trim()
  return path === undefined || path === '' ? null : path
}

function textOf(lines: readonly string[]): string {
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`
}
