import { LIMITS } from '../../domain/limits.ts'
import type { Piece } from '../assembly.ts'

/** A chunk without its text: what stands before it, what stands behind it, and what a chunk with another text says. */
interface Known {
  head: string
  tail: string
  with: (text: string) => Piece
}

/** The members of a chunk that hold its text, and how their values begin. */
const BEGINNINGS = {
  content: /"content": ?"/g,
  arguments: /"arguments": ?"/g,
}

/** Most chunks of a stream differ in one text alone. One that is an earlier one but for that text says the same with the new text: the rest need
 *  not be parsed again, which takes several times as long. */
export class RepeatedChunk {
  #known: Known | null = null
  #misses = 0

  /** What a chunk says; null: it has to be parsed. */
  read(data: string): Piece | null {
    const known = this.#known
    if (!known) return null
    const { head, tail } = known
    const isSame = data.length >= head.length + tail.length && data.startsWith(head) && data.endsWith(tail)
    const text = isSame ? unquoted(data.slice(head.length, data.length - tail.length)) : null
    if (text === null || text === '') return null
    this.#misses = 0
    return known.with(text)
  }

  /** A chunk that was parsed, and says this. */
  learn(data: string, piece: Piece): void {
    if (this.#misses >= LIMITS.model.chunkMissesMax) return
    this.#known = knownOf(data, piece)
    if (this.#known) this.#misses++
  }
}

/** Null: it says more than one text, or where that stands is not clear. */
function knownOf(data: string, piece: Piece): Known | null {
  const { content, reasoning, calls, stopReason, usage } = piece
  const [call] = calls
  if (reasoning !== '' || stopReason !== null || usage !== null) return null
  if (content !== '' && !call) return around(data, content, BEGINNINGS.content, (text) => ({ ...piece, content: text }))
  if (content !== '' || !call || calls.length > 1 || call.name !== '' || call.arguments === '') return null
  return around(data, call.arguments, BEGINNINGS.arguments, (text) => ({
    ...piece,
    calls: [{ ...call, arguments: text }],
  }))
}

/** Quotes within texts of JSON are escaped, so that only a member can begin so. */
function around(data: string, text: string, beginning: RegExp, piece: Known['with']): Known | null {
  const [found, another] = data.matchAll(beginning)
  if (!found || another) return null
  const from = found.index + found[0].length
  const to = endOfText(data, from)
  return unquoted(data.slice(from, to)) === text
    ? { head: data.slice(0, from), tail: data.slice(to), with: piece }
    : null
}

/** Where the quote stands that closes a text. */
function endOfText(data: string, from: number): number {
  for (let at = from; at < data.length; at++) {
    if (data[at] === '"') return at
    if (data[at] === '\\') at++
  }
  return data.length
}

/** JSON has none of these in a text as they are. */
const ESCAPED = /["\\\p{Cc}]/u

/** The text that stands between two quotes of JSON; null: what stands there is none. */
function unquoted(inside: string): string | null {
  if (!ESCAPED.test(inside)) return inside
  try {
    const text: unknown = JSON.parse(`"${inside}"`)
    return typeof text === 'string' ? text : null
  } catch {
    return null
  }
}
