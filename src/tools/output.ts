import type { Language } from '../domain/language.ts'
import { LIMITS } from '../domain/limits.ts'
import type { OutputLimits, TextRange, UnitsOf } from '../domain/tool.ts'
import { graphemeStart } from '../lib/text.ts'
import { chooseUnits, GAP } from '../relevance/choose.ts'
import { queryTerms } from '../relevance/query.ts'
import { headEnd, lineCount, type Room, tailStart } from './cut.ts'
import { fencedPart } from '../lib/fence.ts'
import { FenceState } from '../lib/markdown-fence.ts'

/** A text within its limits. Lengths are UTF-16 units of the tool's own text; what says so comes on top of them. */
export interface CutText {
  text: string
  originalLength: number
  keptLength: number
}

export interface OutputOptions {
  limits: OutputLimits
  language: Language
  /** It may be fenced: the fence and what stands before it stay. */
  isUntrusted?: boolean
  /** By which the rest is read on; null: it cannot be. */
  callId?: string | null
  /** How the tool's text falls into units, and the words that choose among them. */
  relevance?: { units: UnitsOf; words: string } | null
}

/** Share of the limits that the head gets in `head_tail`, and that what stands around fenced text may take. */
const HEAD_SHARE = 0.7
const FRAME_SHARE = 2 / 3
/** A unit takes at most this share of the limit, within these bounds. */
const UNIT_SHARE = 1 / 6
const UNIT_CHARS = { min: 120, max: 1_200 }

/** Cut a text that is over its limits. What speaks of the task is kept, or else what the strategy says. The cut is at a boundary of the
 *  structure where one is near, and never inside a grapheme. Null: the text fits. */
export function cutOutput(text: string, options: OutputOptions): CutText | null {
  const { limits } = options
  if (limits.strategy === 'none' || fits(text, limits)) return null
  const frame = frameOf(text, options)
  const body = text.slice(frame.inside.start, frame.inside.end)
  const kept = chosenParts(body, frame.room, options) ?? strategyParts(body, frame.room, options)
  const keptLength = frame.length + kept.ranges.reduce((sum, { start, end }) => sum + end - start, 0)
  const notice = noticeOf(kept, { keptLength, total: text.length, start: frame.inside.start }, options)
  return {
    text: `${frame.before}${joined(body, kept)}${frame.after}\n\n${notice}`,
    originalLength: text.length,
    keptLength,
  }
}

function fits(text: string, { charsMax, linesMax }: Room): boolean {
  return text.length <= charsMax && lineCount(text) <= linesMax
}

interface Frame {
  inside: TextRange
  before: string
  after: string
  /** How much of the tool's own text it is, and what is left for the rest. */
  length: number
  room: Room
}

/** What stays around the text that is cut: nothing, or the fence and our words before it. Where there is no room for that, only the first
 *  line and the markers stay. */
function frameOf(text: string, { limits, isUntrusted = false }: OutputOptions): Frame {
  const fenced = isUntrusted ? fencedPart(text) : null
  if (fenced === null) return { inside: { start: 0, end: text.length }, before: '', after: '', length: 0, room: limits }
  const { inside } = fenced
  const [before, after] = [text.slice(0, inside.start), text.slice(inside.end)]
  const whole = { inside, before, after, ...roomBeside(before.length + after.length, lineCount(before) + 1, limits) }
  if (whole.fitsWell) return whole
  const lines = before.trimEnd().split('\n')
  const marker = `${lines.at(-1)}\n`
  const source = lines.length > 1 ? `${lines[0]}\n` : ''
  const beside = roomBeside(source.length, source === '' ? 0 : 1, limits)
  if (beside.fitsWell) return { inside, before: source + marker, after, ...beside }
  return { inside, before: marker, after, length: 0, room: limits }
}

function roomBeside(length: number, lines: number, { charsMax, linesMax }: Room) {
  return {
    length,
    room: { charsMax: charsMax - length, linesMax: linesMax - lines },
    fitsWell: length <= charsMax * FRAME_SHARE && lines <= linesMax * FRAME_SHARE,
  }
}

interface Parts {
  ranges: TextRange[]
  /** Of how many units so many are kept; null: it was cut by strategy. */
  units: { kept: number; total: number } | null
  /** What stands between two ranges, and at the end, where something is missing. */
  gap: string
}

function chosenParts(body: string, room: Room, { relevance, limits }: OutputOptions): Parts | null {
  if (!relevance) return null
  const terms = queryTerms(relevance.words)
  if (terms.length === 0) return null
  const wanted = Math.floor(Math.min(limits.charsMax, room.charsMax) * UNIT_SHARE)
  const looked = body.slice(0, graphemeStart(body, LIMITS.tool.relevanceCharsMax))
  const units = relevance.units(looked, Math.min(Math.max(wanted, UNIT_CHARS.min), UNIT_CHARS.max))
  const chosen = chooseUnits(looked, units, terms, room)
  return chosen && { ranges: chosen.ranges, units: chosen, gap: GAP }
}

function strategyParts(body: string, room: Room, { limits, language }: OutputOptions): Parts {
  const share = limits.strategy === 'head_only' ? 1 : HEAD_SHARE
  const all = { start: 0, end: body.length }
  const head = headEnd(body, all, {
    charsMax: Math.floor(room.charsMax * share),
    linesMax: Math.max(1, Math.floor(room.linesMax * share)),
  })
  const left = { charsMax: room.charsMax - head, linesMax: room.linesMax - lineCount(body, { start: 0, end: head }) }
  const tail = share === 1 ? body.length : tailStart(body, { start: head, end: body.length }, left)
  const ranges = [
    { start: 0, end: head },
    { start: tail, end: body.length },
  ].filter(({ start, end }) => end > start)
  return { ranges, units: null, gap: OUTPUT_TEXTS[language].gap(tail - head) }
}

/** The pieces with a mark wherever something is missing, and every code fence whole. */
function joined(body: string, { ranges, gap }: Parts): string {
  const fences = fencesAt(
    body,
    ranges.flatMap(({ start, end }) => [start, end]),
  )
  const pieces: string[] = []
  let last = 0
  for (const [index, { start, end }] of ranges.entries()) {
    if (start > last) pieces.push(gap)
    const [opened, closed] = [fences[2 * index] ?? null, fences[2 * index + 1] ?? null]
    const isWhole = end === body.length
    pieces.push(
      (opened === null ? '' : `${opened.opening}\n`) +
        body.slice(start, end).trimEnd() +
        (closed === null || isWhole ? '' : `\n${closed.closing}`),
    )
    last = end
  }
  return [...pieces, ...(body.slice(last).trim() === '' ? [] : [gap])].join('\n\n')
}

function noticeOf(
  { ranges, units }: Parts,
  { keptLength, total, start }: { keptLength: number; total: number; start: number },
  { language, callId = null }: OutputOptions,
): string {
  const texts = OUTPUT_TEXTS[language]
  const [first] = ranges
  const offset = units === null && first?.start === 0 ? start + first.end : 0
  const said = units === null ? texts.cut(keptLength, total) : texts.chosen(keptLength, total, units.kept, units.total)
  return said + (callId === null ? '' : texts.readOn(callId, offset)) + END_OF_NOTICE[language]
}

interface Texts {
  /** Stands where the middle, or the end, of a text was. */
  gap(left: number): string
  cut(kept: number, total: number): string
  /** `units` of `of` were chosen by the words of the task. */
  chosen(kept: number, total: number, units: number, of: number): string
  readOn(callId: string, offset: number): string
}

const OUTPUT_TEXTS: Record<Language, Texts> = {
  'zh-CN': {
    gap: (left) => `……（此处省略 ${left} 个字符）……`,
    cut: (kept, total) => `（内容过长：共 ${total} 个字符，给出了 ${kept} 个。`,
    chosen: (kept, total, units, of) =>
      `（内容过长：共 ${total} 个字符，按任务中的词选出 ${of} 节中的 ${units} 节，${kept} 个字符，略去处以 […] 标出。`,
    readOn: (callId, offset) =>
      `要读其余内容，请调用 读取结果（read_result），调用编号 ${callId}，偏移 ${offset}，或给出要搜索的词。`,
  },
  en: {
    gap: (left) => `… (${left} characters left out here) …`,
    cut: (kept, total) => `(Too long: ${kept} of ${total} characters are given.`,
    chosen: (kept, total, units, of) =>
      `(Too long: ${units} of ${of} sections, chosen by the words of the task, are given: ${kept} of ${total} characters, […] where some were left out.`,
    readOn: (callId, offset) =>
      ` For the rest call read_result with call_id ${callId} and offset ${offset}, or with words to search for.`,
  },
}

const END_OF_NOTICE: Record<Language, string> = { 'zh-CN': '）', en: ')' }

/** What a code fence that a cut runs through needs, so that both sides of it are whole. */
interface OpenFence {
  closing: string
  opening: string
}

const OPENING_CHARS_MAX = 24

/** The fence that is open before each place of a text; null: none. Places are in ascending order. Linear in the length of the text. */
function fencesAt(text: string, places: readonly number[]): (OpenFence | null)[] {
  const found: (OpenFence | null)[] = []
  if (!/```|~~~/.test(text)) return places.map(() => null)
  const state = new FenceState(text)
  let open: OpenFence | null = null
  for (let start = 0; start <= text.length && found.length < places.length;) {
    while ((places[found.length] ?? Infinity) <= start) found.push(open)
    const next = text.indexOf('\n', start)
    const end = next < 0 ? text.length : next
    while ((places[found.length] ?? Infinity) < end) found.push(open)
    state.enter(start, end)
    open = state.closing === null ? null : (open ?? openFence(text.slice(start, end), state.closing))
    start = end + 1
  }
  return places.map((_, index) => found[index] ?? null)
}

/** Within the quote or the item that the fence is in. */
function openFence(line: string, closing: string): OpenFence {
  const at = line.indexOf(closing)
  const around = line.slice(0, Math.max(0, at)).replace(/[^\s>]/g, ' ')
  const opening = around + line.slice(Math.max(0, at))
  return { closing: around + closing, opening: opening.length > OPENING_CHARS_MAX ? around + closing : opening }
}
