import type { TextRange, ToolContext, ToolOutcome } from '../../domain/tool.ts'
import { graphemeEnd, graphemeStart, cutText } from '../../lib/text.ts'
import { unitScores } from '../../relevance/choose.ts'
import { comparable, queryTerms } from '../../relevance/query.ts'
import { sections } from '../../relevance/units.ts'
import { headEnd, lineCount, type Room } from '../cut.ts'
import { fence, fencedPart } from '../../lib/fence.ts'
import { TEXTS } from './texts.ts'

/** However low the limits are, a piece is as long as this. */
const PIECE_CHARS_MIN = 100
/** Room for our own words around a piece, its markers aside. */
const HEADER = { charsMax: 420, linesMax: 5 }
const PASSAGE_CHARS = 600
const PASSAGES_MAX = 20
/** Before a passage: where it is. */
const LABEL = { charsMax: 30, linesMax: 3 }

/** More than what any words score. */
const WRITTEN_SCORE = 1_000

export interface ReadOnWanted {
  call_id: string
  offset?: number | undefined
  search?: string | undefined
}

/** A page of a result that was cut, or the passages of a search in it. */
export async function readOn(wanted: ReadOnWanted, context: ToolContext): Promise<ToolOutcome> {
  const text = context.result(wanted.call_id)
  if (text === null) return { ok: false, reason: TEXTS[context.language].unknown(wanted.call_id) }
  const stored = storedResult(text, context)
  return wanted.search === undefined ? page(stored, wanted, context) : search(stored, wanted.search, wanted, context)
}

interface Stored {
  text: string
  /** What can be read of it: all, or what its fence holds. */
  inside: TextRange
  /** What stood before the fence, its source first, as far as there is room for it; null: it was not fenced. */
  fenced: { header: string; begin: string; end: string } | null
  room: Room
}

function storedResult(text: string, { output }: ToolContext): Stored {
  const part = fencedPart(text)
  const inside = part?.inside ?? { start: 0, end: text.length }
  const header = part === null ? '' : headerOf(text.slice(0, part.inside.start), output)
  const taken = { charsMax: HEADER.charsMax + header.length, linesMax: HEADER.linesMax + lineCount(header) }
  return {
    text,
    inside,
    fenced: part && { header, begin: part.begin, end: part.end },
    room: {
      charsMax: Math.max(PIECE_CHARS_MIN, output.charsMax - taken.charsMax),
      linesMax: Math.max(1, output.linesMax - taken.linesMax),
    },
  }
}

/** The lines before the first marker; where they would take much of the room, the one that names the source. */
function headerOf(before: string, { charsMax, linesMax }: Room): string {
  const lines = before.trimEnd().split('\n').slice(0, -1)
  const whole = lines.join('\n')
  return whole.length <= charsMax / 3 && lines.length <= linesMax / 3 ? whole : cutText(lines[0] ?? '', PIECE_CHARS_MIN)
}

async function page(stored: Stored, { call_id: callId, offset = 0 }: ReadOnWanted, context: ToolContext) {
  const { text, inside } = stored
  const texts = TEXTS[context.language]
  if (offset >= Math.max(inside.end, 1)) return failure(texts.beyond(offset, inside.end))
  const start = graphemeStart(text, Math.max(offset, inside.start))
  const end = Math.max(headEnd(text, { start, end: inside.end }, stored.room), graphemeEnd(text, start + 1))
  const header = [texts.part(callId, start, end, text.length), end < inside.end ? texts.next(end) : texts.last].join('')
  return resultPart(stored, header, text.slice(start, end), context)
}

async function search(
  stored: Stored,
  words: string,
  { call_id: callId, offset = 0 }: ReadOnWanted,
  context: ToolContext,
) {
  const { text, inside } = stored
  const texts = TEXTS[context.language]
  const from = Math.min(Math.max(offset, inside.start), inside.end)
  const rest = text.slice(from, inside.end)
  const found = passages(rest, words, stored.room.charsMax)
  const shown = fitting(rest, found, stored.room)
  const pieces = shown.map(({ start, end }) => `${texts.at(from + start)}\n${rest.slice(start, end)}`)
  if (pieces.length === 0) return resultPart(stored, texts.notFound(words), null, context)
  const offsets = shown.map(({ start }) => from + start)
  return resultPart(
    stored,
    texts.found(callId, shown.length, found.length, offsets, text.length),
    pieces.join('\n\n'),
    context,
  )
}

/** The units that hold the words, those that hold them as they are written first. */
function passages(text: string, words: string, charsMax: number): TextRange[] {
  const units = sections(text, Math.min(PASSAGE_CHARS, charsMax - LABEL.charsMax))
  const scores = unitScores(text, units, queryTerms(words, { isBare: true }))
  const written = comparable(words)
  const ranked = units.map((unit, index) => {
    const isWritten = comparable(text.slice(unit.start, unit.end)).includes(written)
    return { unit, score: (scores[index] ?? 0) + (isWritten ? WRITTEN_SCORE : 0) }
  })
  return ranked
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score || a.unit.start - b.unit.start)
    .map(({ unit }) => unit)
}

function fitting(text: string, found: readonly TextRange[], { charsMax, linesMax }: Room): TextRange[] {
  let [chars, lines] = [charsMax, linesMax]
  return found.slice(0, PASSAGES_MAX).filter((range) => {
    const takes = range.end - range.start + LABEL.charsMax
    const rows = lineCount(text, range) + LABEL.linesMax
    if (takes > chars || (rows > lines && lines < linesMax)) return false
    chars -= takes
    lines -= rows
    return true
  })
}

async function resultPart(
  { fenced }: Stored,
  header: string,
  piece: string | null,
  { sessionId, callId }: ToolContext,
): Promise<ToolOutcome> {
  const essence = `${header}\n${piece}`
  if (piece === null) return { ok: true, content: header, essence }
  if (fenced === null) return { ok: true, content: `${header}\n\n${piece}`, essence }
  const marked = await fence(piece, fenced.begin, fenced.end, `${sessionId}\n${callId}`)
  return { ok: true, content: [header, fenced.header, marked].join('\n'), untrusted: true, essence }
}

function failure(reason: string): ToolOutcome {
  return { ok: false, reason }
}
