import type { Writer } from './words.ts'

/** A page that is no article, as one kind of site writes it. */
export interface ListingPage {
  html: string
  /** Pieces of the Markdown, in this order. */
  has: readonly string[]
  lacks: readonly string[]
}

export type Style = (writer: Writer) => ListingPage

export const ITEMS = 12
export const links = (w: Writer, count: number, word: string) =>
  w.times(count, (index) => `<li><a href="/${word}/${index}">${word} ${w.words(2)}</a></li>`)
export const around = (w: Writer, title: string, content: string) =>
  `<!DOCTYPE html><html><head><title>${title}</title></head><body><header><nav><ul>${links(w, 20, 'NAV')}</ul></nav></header>
<div class="cookie-banner"><p>COOKIE ${w.paragraph()}</p><button>OK</button></div>${content}<footer><ul>${links(w, 20, 'FOOTER')}</ul><p>FOOTER ${w.paragraph()}</p></footer></body></html>`

export interface Item {
  title: string
  summary: string
  index: number
}

/** Items made by `make`, and what of them has to be there. */
export function items(w: Writer, make: (item: Item) => string, has: (item: Item) => readonly string[]) {
  const all = Array.from({ length: ITEMS }, (_, index) => ({ title: w.headline(), summary: w.paragraph(2), index }))
  return { html: all.map(make).join('\n'), has: all.flatMap((item) => has(item)) }
}
export const linked = ({ title, index }: Item) => `[${title}](https://site.example/p/${index})`
export const NOISE = ['COOKIE', 'NAV', 'FOOTER']
