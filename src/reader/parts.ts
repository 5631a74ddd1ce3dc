import { paginate, type PageSize } from '../lib/paginate.ts'
import type { PageKind } from './page.ts'

/** What is cut by its kind. */
export interface KindOfText {
  kind: PageKind
  markdown: string
}

/** Stands for elements that are on another part. */
const LEFT_OUT = '…'
/** Share of a part that the brackets around it, or the head of its table, may take. */
const AROUND_SHARE = 1 / 3
/** A longer line of JSON comes in pieces: this share of a part is always left by what stands around it. */
const LINE_SHARE = 0.6

/** A text in parts of at most `size`: JSON with the brackets around each part, a table with its head, other text between lines. */
export function partsOf({ kind, markdown }: KindOfText, size: PageSize): string[] {
  if (isOne(markdown, size)) return [markdown]
  if (kind === 'json') return jsonParts(markdown, size)
  return kind === 'csv' ? tableParts(markdown, size) : paginate(markdown, size)
}

function isOne(markdown: string, { charsMax, linesMax }: PageSize): boolean {
  return markdown.length <= charsMax && markdown.split('\n').length <= linesMax
}

function tableParts(markdown: string, size: PageSize): string[] {
  const [head = '', rule = '', ...rows] = markdown.split('\n')
  const around = `${head}\n${rule}\n`
  if (around.length > size.charsMax * AROUND_SHARE) return paginate(markdown, size)
  const room = { charsMax: size.charsMax - around.length, linesMax: size.linesMax - 2 }
  return paginate(rows.join('\n'), room).map((part) => around + part)
}

/** Lines of JSON; those that are long for a part come in pieces. `kinds`: what each does to the brackets. */
interface Lines {
  texts: readonly string[]
  kinds: Uint8Array
}

const OPENS = 1
const CLOSES = 2

/** A bracket that is open after a line, and those around it. */
interface Level {
  opening: string
  /** Index of its line. */
  at: number
  outer: Level | null
}

/** What is open where a part begins or ends. */
interface Place {
  at: number
  level: Level | null
}

/** Pretty-printed JSON, an element or a bracket a line, in parts that close what they open. */
function jsonParts(markdown: string, size: PageSize): string[] {
  const lines = linesOf(markdown, size)
  const parts: string[] = []
  let begin: Place = { at: 0, level: null }
  while (begin.at < lines.texts.length) {
    const around = levelsShown(begin.level, size)
    const head = around.flatMap(({ opening, at }) => (at < begin.at - 1 ? [opening, inside(opening)] : [opening]))
    const end = endOf(lines, begin, head, size)
    parts.push([...head, ...lines.texts.slice(begin.at, end.at), ...tailOf(lines, end, size)].join('\n'))
    begin = end
  }
  return parts
}

function linesOf(markdown: string, { charsMax }: PageSize): Lines {
  const lineSize = { charsMax: Math.floor(charsMax * LINE_SHARE), linesMax: 1 }
  const texts: string[] = []
  const kinds: number[] = []
  for (const line of markdown.split('\n')) {
    const pieces = line.length <= lineSize.charsMax ? [line] : paginate(line, lineSize)
    for (const [index, piece] of pieces.entries()) {
      const opens = index === pieces.length - 1 && (line.endsWith('{') || line.endsWith('['))
      texts.push(piece)
      kinds.push((opens ? OPENS : 0) | (index === 0 && isClosing(line) ? CLOSES : 0))
    }
  }
  return { texts, kinds: Uint8Array.from(kinds) }
}

function isClosing(line: string): boolean {
  const first = line.trimStart()[0]
  return first === '}' || first === ']'
}

/** Where a part stops: it is full, and of the places in its second half the one with the fewest brackets open. */
function endOf({ texts, kinds }: Lines, begin: Place, head: readonly string[], size: PageSize): Place {
  const { charsMax, linesMax } = roomIn(size)
  let chars = head.reduce((sum, line) => sum + line.length + 1, 0)
  let { level } = begin
  let depth = 0
  let best: Place | null = null
  let bestDepth = 0
  for (let at = begin.at; at < texts.length; at += 1) {
    const text = texts[at] ?? ''
    const kind = kinds[at] ?? 0
    chars += text.length + 1
    const count = head.length + at - begin.at + 1
    if (best !== null && (chars > charsMax || count > linesMax)) return best
    if ((kind & CLOSES) !== 0) {
      level = level?.outer ?? null
      depth -= 1
    }
    if ((kind & OPENS) !== 0) {
      level = { opening: text, at, outer: level }
      depth += 1
    }
    const isEarly = chars < charsMax / 2 && count < linesMax / 2
    if (best !== null && !isEarly && depth > bestDepth) continue
    best = { at: at + 1, level }
    bestDepth = depth
  }
  return { at: texts.length, level: null }
}

/** Room for what is not the tail. */
function roomIn({ charsMax, linesMax }: PageSize): PageSize {
  const share = 1 - AROUND_SHARE / 2
  return { charsMax: Math.floor(charsMax * share), linesMax: Math.floor(linesMax * share) }
}

/** The brackets that are open, outermost first; only the inner ones of very many. */
function levelsShown(innermost: Level | null, { charsMax, linesMax }: PageSize): Level[] {
  const shown: Level[] = []
  let chars = 0
  for (let level = innermost; level !== null; level = level.outer) {
    chars += 2 * (level.opening.length + LEFT_OUT.length + 4)
    if (chars > (charsMax * AROUND_SHARE) / 2 || shown.length >= (linesMax * AROUND_SHARE) / 4 - 1) break
    shown.push(level)
  }
  return shown.toReversed()
}

/** What closes the brackets that are open where a part ends. */
function tailOf({ kinds }: Lines, { at, level }: Place, size: PageSize): string[] {
  const closings = levelsShown(level, size)
    .toReversed()
    .map(({ opening }) => indentOf(opening) + (opening.endsWith('{') ? '}' : ']'))
  return level === null || ((kinds[at] ?? 0) & CLOSES) !== 0 ? closings : [inside(level.opening), ...closings]
}

function inside(opening: string): string {
  return `${indentOf(opening)}  ${LEFT_OUT}`
}

function indentOf(line: string): string {
  return /^\s*/.exec(line)?.[0] ?? ''
}
