import { texts } from '../language.ts'
import { copyButton, framed } from './frame.ts'

/** A table in its frame: it scrolls by itself, by keyboard too, below its head; and is copied for a sheet. */
export function tableFrame(table: HTMLTableElement): void {
  const room = document.createElement('div')
  room.className = 'table-room'
  room.tabIndex = 0
  room.setAttribute('role', 'group')
  room.setAttribute('aria-label', texts().chat.table)
  const place = document.createComment('')
  table.replaceWith(place)
  room.append(table)
  place.replaceWith(framed('table-frame', '', [copyButton(texts().markdown.csv, () => csvOf(table))], room))
}

const csvOf = (table: HTMLTableElement) =>
  [...table.rows].map((row) => [...row.cells].map((cell) => quoted(cell.textContent)).join(',')).join('\r\n')

const quoted = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
