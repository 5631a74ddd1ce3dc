import type { Language } from '../domain/language.ts'
import type { OutputLimits } from '../domain/tool.ts'

/** A text within its limits. Lengths are UTF-16 units of the tool's own text; the notice comes on top of them. */
export interface CutText {
  text: string
  originalLength: number
  keptLength: number
}

const NOTICE = {
  'zh-CN': (left: number) => `\n\n……（此处省略 ${left} 个字符）……\n\n`,
  en: (left: number) => `\n\n… (${left} characters left out here) …\n\n`,
}

/** Share of the limits that the head gets in `head_tail`. */
const HEAD_SHARE = 0.7

/** Cut a text that is over its limits, at a line's end where one is near, never inside a grapheme. Null: it fits. */
export function cutOutput(text: string, limits: OutputLimits, language: Language): CutText | null {
  if (limits.strategy === 'none' || withinLimits(text, limits)) return null
  const share = limits.strategy === 'head_only' ? 1 : HEAD_SHARE
  const head = headOf(text, Math.floor(limits.charsMax * share), Math.max(1, Math.floor(limits.linesMax * share)))
  const tail =
    share === 1 ? '' : tailOf(text.slice(head.length), limits.charsMax - head.length, limits.linesMax - lineCount(head))
  const kept = head.length + tail.length
  return {
    text: `${head}${NOTICE[language](text.length - kept)}${tail}`.trimEnd(),
    originalLength: text.length,
    keptLength: kept,
  }
}

function withinLimits(text: string, limits: OutputLimits): boolean {
  return text.length <= limits.charsMax && lineCount(text) <= limits.linesMax
}

function lineCount(text: string): number {
  let count = 1
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++
  return count
}

function headOf(text: string, charsMax: number, linesMax: number): string {
  let end = 0
  for (let line = 0; line < linesMax; line++) {
    const next = text.indexOf('\n', end)
    if (next < 0 || next > charsMax) break
    end = next + 1
  }
  const byLines = lineCount(text.slice(0, charsMax)) > linesMax
  if (byLines || end > charsMax / 2) return text.slice(0, end)
  return text.slice(0, graphemeStart(text, Math.min(charsMax, text.length)))
}

function tailOf(text: string, charsMax: number, linesMax: number): string {
  if (charsMax <= 0 || linesMax <= 0) return ''
  let start = text.length
  for (let line = 0; line < linesMax && start > 0; line++) {
    const previous = text.lastIndexOf('\n', start - 2)
    if (text.length - (previous + 1) > charsMax) break
    start = previous + 1
  }
  if (text.length - start > charsMax / 2 || lineCount(text.slice(-charsMax)) > linesMax) return text.slice(start)
  return text.slice(graphemeEnd(text, text.length - charsMax))
}

/** Code units around a cut that are looked at for the borders of a grapheme. */
const AROUND = 64

/** Made when it is first needed: its data takes some 10 ms to load. */
let segmenter: Intl.Segmenter | undefined

function graphemes(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' })
  return segmenter.segment(text)
}

/** The last grapheme border at or before `at`. */
function graphemeStart(text: string, at: number): number {
  if (at >= text.length) return text.length
  const from = safeStart(text, Math.max(0, at - AROUND))
  let border = from
  for (const { index } of graphemes(text.slice(from, at + AROUND))) {
    if (from + index > at) break
    border = from + index
  }
  return border
}

/** The first grapheme border at or after `at`. */
function graphemeEnd(text: string, at: number): number {
  const start = graphemeStart(text, at)
  if (start === at) return at
  const next = [...graphemes(text.slice(start, at + AROUND))][0]
  return start + (next?.segment.length ?? 0)
}

function safeStart(text: string, at: number): number {
  const code = text.charCodeAt(at)
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at
}
