import { texts } from '../language.ts'
import { drawInto } from './chart.ts'

/** Makes a block of the sanitiser's elements what a reader needs: links that leave, tables that scroll, code that can be copied. */
export function finishBlock(block: ParentNode, isComplete: boolean): void {
  for (const link of block.querySelectorAll('a')) {
    link.rel = 'noopener noreferrer nofollow'
    link.target = '_blank'
  }
  for (const table of block.querySelectorAll('table')) wrap(table, 'table-room', texts().chat.table)
  for (const cell of block.querySelectorAll('th[align], td[align]')) align(cell)
  for (const box of block.querySelectorAll('input')) box.disabled = true
  for (const code of block.querySelectorAll('pre')) finishCode(code, isComplete)
}

/** By class: the page's policy lets no style through. */
function align(cell: Element): void {
  const side = cell.getAttribute('align')
  if (side === 'right' || side === 'center') cell.classList.add(`align-${side}`)
}

/** What is wider than the page scrolls by itself, by keyboard too. */
function wrap(element: HTMLElement, className: string, label: string): void {
  const room = document.createElement('div')
  room.className = className
  room.tabIndex = 0
  room.setAttribute('role', 'region')
  room.setAttribute('aria-label', label)
  element.replaceWith(room)
  room.append(element)
}

function finishCode(code: HTMLPreElement, isComplete: boolean): void {
  const language = code.title.split(/\s/)[0] ?? ''
  code.removeAttribute('title')
  code.tabIndex = 0
  const room = document.createElement('div')
  room.className = 'code-room'
  code.replaceWith(room)
  room.append(code)
  if (!isComplete) return
  const text = code.textContent
  room.append(copyButton(text))
  if (language === 'mermaid') drawInto(room, text)
}

function copyButton(text: string): HTMLButtonElement {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'copy'
  button.textContent = texts().copy
  button.addEventListener('click', () => {
    void navigator.clipboard.writeText(text).then(() => (button.textContent = texts().copied))
  })
  return button
}
