import type { Token, Tokens } from 'marked'

/** What HTML would say in another way than the text itself: the begin of an entity, and what its parser leaves out. */
const OTHER_IN_HTML = /[&\0]/

/** The element or text of a part of a paragraph that holds neither an address nor anything beside words; null: it is another part.
 *  It needs no sanitiser, since nothing of it is read as HTML, and the sanitiser makes a document for each thing that it is given. */
export function plainPart(part: Token): ChildNode | null {
  switch (part.type) {
    case 'text':
    case 'escape':
      return textOf(part as Tokens.Text)
    case 'codespan':
      return String(part.text).includes('\0') ? null : element('code', [String(part.text)])
    case 'br':
      return document.createElement('br')
    case 'strong':
    case 'em':
    case 'del':
      return around(part.type, part.tokens ?? [])
    default:
      return null
  }
}

/** `escaped`: it stands within tags, and would be read as HTML as it is. */
function textOf({ text, tokens, escaped }: Tokens.Text): Text | null {
  return tokens || OTHER_IN_HTML.test(text) || (escaped === true && text.includes('<'))
    ? null
    : document.createTextNode(text)
}

/** All of them; null: at least one is another. */
export function plainParts(parts: readonly Token[]): ChildNode[] | null {
  const made = parts.map(plainPart)
  const plain = made.filter((node) => node !== null)
  return plain.length < made.length ? null : plain
}

function around(name: string, parts: readonly Token[]): HTMLElement | null {
  const inner = plainParts(parts)
  return inner && dotted(element(name, inner))
}

export function element(
  name: string,
  inner: readonly (Node | string)[],
  attributes: Readonly<Record<string, string>> = {},
): HTMLElement {
  const made = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value)
  made.append(...inner)
  return made
}

/** Chinese has no slanted letters: what is emphasised has dots. */
export function dotted(words: HTMLElement): HTMLElement {
  if (words.localName === 'em' && /\p{Script=Han}/u.test(words.textContent)) words.classList.add('dotted')
  return words
}
