import { texts } from '../language.ts'
import { drawInto } from './chart.ts'
import { codeFrame, paint } from './code.ts'
import { linkNotes } from './footnotes.ts'
import { typesetIn } from './maths.ts'
import { dotted } from './plain-parts.ts'
import { linkFiles } from './workspace.ts'
import { tableFrame } from './table.ts'

/** Prepares a block of the sanitiser's elements for a reader: links leave the page, tables and code have their frames, formulas are
 *  set. `root`: where all blocks of the text are. */
export function finishBlock(block: HTMLElement, root: HTMLElement, isComplete: boolean): void {
  for (const link of block.querySelectorAll('a')) {
    link.rel = 'noopener noreferrer nofollow'
    link.target = '_blank'
  }
  for (const table of block.querySelectorAll('table')) tableFrame(table)
  for (const cell of block.querySelectorAll('th[align], td[align]')) align(cell)
  for (const box of block.querySelectorAll('input')) {
    box.disabled = true
    box.ariaLabel = texts().chat.noteStates[box.checked ? 'done' : 'todo'] ?? ''
  }
  for (const words of block.querySelectorAll('em')) dotted(words)
  for (const code of block.querySelectorAll('pre')) finishCode(code, isComplete)
  linkNotes(block, root)
  linkFiles(block)
  typesetIn(block)
}

/** By class: the page's policy lets no style through. */
function align(cell: Element): void {
  const side = cell.getAttribute('align')
  if (side === 'right' || side === 'center') cell.classList.add(`align-${side}`)
}

function finishCode(code: HTMLPreElement, isComplete: boolean): void {
  const language = code.title.split(/\s/)[0] ?? ''
  code.removeAttribute('title')
  const place = document.createComment('')
  code.replaceWith(place)
  const frame = codeFrame(code, language)
  place.replaceWith(frame)
  if (!isComplete) return
  if (language === 'mermaid') drawInto(frame, code.textContent)
  else void paint(code, language)
}
