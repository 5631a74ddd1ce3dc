const MARK_CHARS = 16

/**
 * Untrusted text between two markers that it cannot forge: they hold a mark made of the text itself and of `secret`, which
 * nobody outside can know. `begin` and `end` are what the markers are called.
 */
export async function fence(inside: string, begin: string, end: string, secret: string): Promise<string> {
  const mark = await fenceMark(inside, secret)
  return `[${begin} ${mark}]\n${inside}\n[${end} ${mark}]`
}

/** What the markers around a text hold. */
export async function fenceMark(inside: string, secret: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(`${secret}\n${inside}`))
  const hex = [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  return hex.slice(0, MARK_CHARS)
}

interface Range {
  start: number
  end: number
}

/** Where the fenced text of a result is, without and with its markers, and how these are called. */
export interface FencedPart {
  inside: Range
  outer: Range
  begin: string
  end: string
}

/** What a header of ours may take before the first marker. */
const HEADER_CHARS_MAX = 4_000
const MARKER = /^\[(.{1,80}) ([0-9a-f]{16})\]\n/m

/** What `fence` made, within a text of ours; null: nothing of it is fenced. Without its last marker (the text was cut) all that
 *  follows is inside. */
export function fencedPart(text: string): FencedPart | null {
  const found = MARKER.exec(text.slice(0, HEADER_CHARS_MAX))
  if (found === null) return null
  const [marker, begin = '', mark = ''] = found
  const start = found.index + marker.length
  const last = text.lastIndexOf(` ${mark}]`)
  const close = last < start ? -1 : text.lastIndexOf('\n[', last)
  const isCut = close < start - 1
  const outer = { start: found.index, end: isCut ? text.length : last + ` ${mark}]`.length }
  if (isCut) return { inside: { start, end: text.length }, outer, begin, end: begin }
  return { inside: { start, end: Math.max(start, close) }, outer, begin, end: text.slice(close + 2, last) }
}

/** A text of ours in parts: what is fenced, without its markers, and what stands before, between and behind. */
export function fencedParts(text: string): { text: string; isFenced: boolean }[] {
  const parts: { text: string; isFenced: boolean }[] = []
  let left = text
  for (let found = fencedPart(left); found !== null; found = fencedPart(left)) {
    const { inside, outer } = found
    parts.push({ text: left.slice(0, outer.start).trim(), isFenced: false })
    parts.push({ text: left.slice(inside.start, inside.end), isFenced: true })
    left = left.slice(outer.end)
  }
  if (parts.length === 0) return [{ text, isFenced: false }]
  return [...parts, { text: left.trim(), isFenced: false }].filter((part) => part.isFenced || part.text !== '')
}

const QUOTED = /^\[.{1,80} ([0-9a-f]{16})\][ \t]*$/m
/** Quoted texts that are looked for in one reply. */
const QUOTED_MAX = 16

/** A reply without what it quotes with the markers of text from outside. One without its last marker reaches to the end. */
export function withoutFenced(reply: string): string {
  let own = reply
  for (let count = 0; count < QUOTED_MAX; count++) {
    const begin = QUOTED.exec(own)
    if (!begin) return own
    const last = own.lastIndexOf(` ${begin[1]}]`)
    const end = last > begin.index + begin[0].length ? last + ` ${begin[1]}]`.length : own.length
    own = `${own.slice(0, begin.index)}\n${own.slice(end)}`
  }
  return own
}

/** A text in a Markdown fence that is longer than any in it, so that the text cannot close it. */
export function fencedBlock(text: string): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length))
  const ticks = '`'.repeat(longest + 1)
  return `${ticks}text\n${text}\n${ticks}`
}
