import { contentText } from '../../domain/content.ts'
import type { Journal } from '../../log/journal.ts'
import { newest } from './evidence.ts'

/** Letters and digits of a line that make it one; shorter lines stand in many texts. */
const LINE_CHARS_MIN = 8

/** A text without the lines that a recent result of a tool has, too, or a message that a stranger may have written. Only letters and
 *  digits are compared: a page reaches the model without its markup. */
export function withoutQuoted(text: string, journal: Journal): string {
  const fromOutside = journal.state.taint.includes('webhook') ? ['tool', 'user'] : ['tool']
  const outside: string[] = []
  for (const { role, content } of newest(journal))
    if (fromOutside.includes(role)) outside.push(plain(contentText(content, null)))
  const all = outside.join(' ')
  const isOwn = (line: string) => {
    const said = plain(line)
    return said.length < LINE_CHARS_MIN || !all.includes(said)
  }
  return all === '' ? text : text.split('\n').filter(isOwn).join('\n')
}

function plain(text: string): string {
  return text.replaceAll(/[^\p{L}\p{N}]+/gu, '').toLowerCase()
}
