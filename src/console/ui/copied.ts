/** Takes a text along. Over a connection that is not safe, as to a machine of one's own network, browsers give a page no clipboard: they copy
 *  what is marked. */
export async function copyText(text: string): Promise<void> {
  if (isSecureContext) return navigator.clipboard.writeText(text)
  const before = document.activeElement
  const field = document.createElement('textarea')
  field.className = 'unseen'
  field.value = text
  // Beside what is shown over the page nothing can be marked.
  const room = document.querySelector('dialog[open]') ?? document.body
  room.append(field)
  field.select()
  // oxlint-disable-next-line typescript/no-deprecated -- There is no other way.
  document.execCommand('copy')
  field.remove()
  if (before instanceof HTMLElement) before.focus()
}
