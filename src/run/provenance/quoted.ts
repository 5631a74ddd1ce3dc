import { attachedText, contentText } from '../../domain/content.ts'
import type { Journal } from '../../log/journal.ts'
import { newest } from './evidence.ts'

/** Letters and digits of a line that make it one; shorter lines stand in many texts. */
const LINE_CHARS_MIN = 8

/** The letters and digits of recent results of tools, and of messages that a stranger may have written: a page reaches the model without
 *  its markup, and is quoted without it. */
export function plainOutside(journal: Journal): string {
  const fromOutside = journal.state.taint.includes('webhook') ? ['tool', 'user'] : ['tool']
  const outside: string[] = []
  for (const { role, content } of newest(journal))
    outside.push(plain(attachedText(content)), fromOutside.includes(role) ? plain(contentText(content, null)) : '')
  return outside.filter((text) => text !== '').join(' ')
}

/** A text without the lines that stand outside, too. */
export function withoutQuoted(text: string, outside: string): string {
  const isOwn = (line: string) => {
    const said = plain(line)
    return said.length < LINE_CHARS_MIN || !outside.includes(said)
  }
  return outside === '' ? text : text.split(LINE_END).filter(isOwn).join('\n')
}

const LINE_END = /\r\n|[\n\r\u2028\u2029]/

/** Places of a name in a reply that are looked at. */
const PLACES_MAX = 16
/** Letters and digits around a name that has no arguments. */
const AROUND = 8

/** Whether a reply has a call, from the tool's name to its last argument or the other way round, as it stands outside. An argument alone may:
 *  an address of a result is there to be read. */
export function quotesCall(
  reply: string,
  { names, args }: { names: readonly string[]; args: Record<string, unknown> },
  outside: string,
): boolean {
  const said = plain(reply)
  const values = Object.values(args)
    .map((value) => plain(typeof value === 'string' ? value : JSON.stringify(value)))
    .filter((value) => value !== '')
  return names.map(plain).some((name) => {
    const spans = placesOf(name, said).flatMap((at) => spansAt(said, { at, end: at + name.length }, values))
    return spans.some((span) => outside.includes(span))
  })
}

function placesOf(name: string, said: string): number[] {
  const places: number[] = []
  for (let at = said.indexOf(name); at >= 0 && places.length < PLACES_MAX; at = said.indexOf(name, at + 1))
    places.push(at)
  return places
}

function spansAt(said: string, name: { at: number; end: number }, values: readonly string[]): string[] {
  if (values.length === 0) return [said.slice(Math.max(0, name.at - AROUND), name.end + AROUND)]
  const behind = values.map((value) => ({ at: said.indexOf(value, name.end), length: value.length }))
  const before = values.map((value) => said.lastIndexOf(value, name.at))
  return [
    ...(behind.every(({ at }) => at >= 0)
      ? [said.slice(name.at, Math.max(...behind.map(({ at, length }) => at + length)))]
      : []),
    ...(before.every((at) => at >= 0) ? [said.slice(Math.min(...before), name.end)] : []),
  ]
}

function plain(text: string): string {
  return text.replaceAll(/[^\p{L}\p{N}]+/gu, '').toLowerCase()
}
