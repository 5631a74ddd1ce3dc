import { graphemeStart } from '../lib/text.ts'
import { chooseUnits, GAP } from './choose.ts'
import { queryTerms } from './query.ts'
import { sections } from './units.ts'

const UNIT_CHARS_MAX = 800

/** What of a text speaks of a query, in its order and within `charsMax`; its start, where too little does. */
export function relevantPart(text: string, query: string, charsMax: number): string {
  if (text.length <= charsMax) return text
  const room = { charsMax: Math.max(1, charsMax - 2 * GAP.length), linesMax: Infinity }
  const chosen = chooseUnits(text, sections(text, Math.min(UNIT_CHARS_MAX, room.charsMax)), queryTerms(query), room)
  const parts = chosen
    ? chosen.ranges.map(({ start, end }) => text.slice(start, end).trim())
    : [text.slice(0, graphemeStart(text, room.charsMax))]
  return [...parts, ''].join(`\n\n${GAP}\n\n`).trim()
}
