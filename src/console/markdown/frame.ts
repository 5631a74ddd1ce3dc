import { texts } from '../language.ts'
import { copyText } from '../ui/copied.ts'

/** Text as HTML that says just this text. */
export const htmlText = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** Something that scrolls by itself, below a line that says what it is and what can be done with it. */
export function framed(
  className: string,
  label: string,
  buttons: readonly HTMLElement[],
  inner: HTMLElement,
): HTMLElement {
  const frame = document.createElement('div')
  frame.className = className
  const head = document.createElement('div')
  head.className = 'frame-head'
  const name = document.createElement('span')
  name.textContent = label
  head.append(name, ...buttons)
  frame.append(head, inner)
  return frame
}

export function headButton(label: string, onClick: () => void): HTMLButtonElement {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'quiet'
  button.textContent = label
  button.addEventListener('click', onClick)
  return button
}

/** Takes a text along, and says that it did. */
export function copyButton(label: string, text: () => string): HTMLButtonElement {
  const button = headButton(label, () => {
    void copyText(text()).then(() => (button.textContent = texts().copied))
  })
  return button
}
