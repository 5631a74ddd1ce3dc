import type { TextRange } from '../domain/tool.ts'
import { graphemeEnd, graphemeStart } from '../lib/text.ts'

export interface Room {
  charsMax: number
  linesMax: number
}

/** Shares of the room that a better place to cut may cost: before a paragraph or a heading, before an item, before a line. */
const COST = { paragraph: 0.25, item: 0.35, line: 0.5 }
/** Characters that the end of a word may cost, where there is no line. */
const WORD_CHARS = 60
const ITEM_OR_HEADING = /^(?:#{1,6} |[-*+] |\d{1,9}[.)] )/

export function lineCount(text: string, { start, end }: TextRange = { start: 0, end: text.length }): number {
  let count = 1
  for (let at = text.indexOf('\n', start); at >= 0 && at < end; at = text.indexOf('\n', at + 1)) count++
  return count
}

/** Where the longest beginning of a range that fits ends: before a paragraph, an item, a line or a word, whichever is near,
 *  never inside a grapheme. */
export function headEnd(text: string, { start, end }: TextRange, { charsMax, linesMax }: Room): number {
  if (end - start <= charsMax && lineCount(text, { start, end }) <= linesMax) return end
  const lines: number[] = []
  for (let at = text.indexOf('\n', start); at >= 0 && at < start + charsMax; at = text.indexOf('\n', at + 1)) {
    if (at >= end || lines.length === linesMax) break
    lines.push(at + 1)
  }
  const isFull = lines.length === linesMax
  const most = isFull ? (lines.at(-1) ?? start) : Math.min(start + charsMax, end)
  const place = bestPlace(text, lines.toReversed(), (at) => (most - at) / (most - start))
  return place ?? (isFull ? most : Math.max(start, wordEnd(text, start, most)))
}

/** Where the longest end of a range that fits begins; as `headEnd`. */
export function tailStart(text: string, { start, end }: TextRange, { charsMax, linesMax }: Room): number {
  if (charsMax <= 0 || linesMax <= 0) return end
  const lines: number[] = []
  for (let at = end; lines.length < linesMax;) {
    const before = at === 0 ? -1 : text.lastIndexOf('\n', at - 1)
    if (before + 1 < start || end - (before + 1) > charsMax) break
    lines.push(before + 1)
    at = before
    if (before < 0) break
  }
  const isFull = lines.length === linesMax
  const least = isFull ? (lines.at(-1) ?? end) : Math.max(end - charsMax, start)
  const place = bestPlace(text, lines.toReversed(), (at) => (at - least) / (end - least))
  return place ?? (isFull ? least : Math.min(end, graphemeEnd(text, least)))
}

/** The first place, of those given from the fullest on, that is worth what it costs. */
function bestPlace(text: string, places: readonly number[], costOf: (at: number) => number): number | null {
  const found =
    places.find((at) => costOf(at) <= COST.paragraph && isParagraph(text, at)) ??
    places.find((at) => costOf(at) <= COST.item && ITEM_OR_HEADING.test(text.slice(at, at + 12)))
  if (found !== undefined) return found
  const [line] = places
  return line !== undefined && costOf(line) <= COST.line ? line : null
}

function isParagraph(text: string, at: number): boolean {
  return (
    text[at] === '\n' || (text[at - 1] === '\n' && text[at - 2] === '\n') || /^#{1,6} /.test(text.slice(at, at + 8))
  )
}

function wordEnd(text: string, start: number, most: number): number {
  const at = graphemeStart(text, most)
  if (/\s/.test(text[at] ?? ' ')) return at
  const space = text.slice(Math.max(start, at - WORD_CHARS), at).search(/\s\S*$/)
  return space < 0 ? at : Math.max(start, at - WORD_CHARS) + space + 1
}
