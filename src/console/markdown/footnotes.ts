import type { TokenizerAndRendererExtension, Tokens } from 'marked'
import { texts } from '../language.ts'
import { htmlText } from './frame.ts'

const NAME = String.raw`\[\^([^\]\s]{1,40})\]`
const REFERENCE = new RegExp(`^${NAME}(?!:)`)
const NOTE = new RegExp(String.raw`^${NAME}:[ \t]*([^\n]*(?:\n(?!\n|\[\^)[^\n]+)*)(?:\n|$)`)
/** How a title says that an element is of footnotes; nothing that is written in Markdown makes such elements. */
const MARK = 'footnote '

/** Footnotes as GitHub writes them: `[^1]` in a text, `[^1]: …` anywhere in it. */
export const FOOTNOTES: TokenizerAndRendererExtension[] = [
  {
    name: 'footnote-reference',
    level: 'inline',
    start: (text) => text.indexOf('[^'),
    tokenizer: (text) => {
      const [raw, name] = REFERENCE.exec(text) ?? []
      return raw === undefined ? undefined : { type: 'footnote-reference', raw, name }
    },
    renderer: ({ name }) => `<sup title="${MARK}${htmlText(String(name))}">${htmlText(String(name))}</sup>`,
  },
  {
    name: 'footnote',
    level: 'block',
    start: (text) => /^\[\^/m.exec(text)?.index,
    tokenizer(text) {
      const [raw, name, words = ''] = NOTE.exec(text) ?? []
      if (raw === undefined) return undefined
      return { type: 'footnote', raw, name, tokens: this.lexer.inlineTokens(words) }
    },
    renderer({ name, tokens = [] }: Tokens.Generic) {
      const mark = htmlText(String(name))
      return `<p title="${MARK}${mark}"><sup>${mark}</sup> ${this.parser.parseInline(tokens)}</p>`
    },
  },
]

/** Has references lead to their notes, and notes back to where they were made. */
export function linkNotes(block: HTMLElement, root: HTMLElement): void {
  for (const place of block.querySelectorAll<HTMLElement>(`[title^="${MARK}"]`)) {
    const name = place.title.slice(MARK.length)
    const isNote = place.tagName === 'P'
    place.removeAttribute('title')
    place.dataset[isNote ? 'note' : 'reference'] = name
    const mark = isNote ? place.querySelector('sup') : place
    mark?.replaceChildren(leading(root, isNote ? 'reference' : 'note', name))
  }
}

function leading(root: HTMLElement, to: 'note' | 'reference', name: string): HTMLButtonElement {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'link'
  button.textContent = name
  button.title = texts().markdown.footnote(name)
  button.addEventListener('click', () => {
    const target = root.querySelector(`[data-${to}="${CSS.escape(name)}"]`)
    target?.scrollIntoView({ block: 'center' })
    target?.querySelector('button')?.focus({ preventScroll: true })
  })
  return button
}
