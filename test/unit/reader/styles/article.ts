import type { Writer } from './words.ts'

/** An article as one kind of site writes it. `text`: what has to be read of it, in blocks. */
export interface StyledPage {
  html: string
  text: string
}

export type Style = (writer: Writer) => StyledPage

export const p = (texts: readonly string[], attributes = '') =>
  texts.map((text) => `<p${attributes}>${text}</p>`).join('\n')
export const page = (title: string, body: string, head = '') =>
  `<!DOCTYPE html><html><head><meta charset="utf-8"><title>${title}</title>${head}</head><body>${body}</body></html>`
export const links = (w: Writer, count: number, open = '<li>', close = '</li>') =>
  w.times(count, (index) => `${open}<a href="/l/${index}">${w.words(2)}</a>${close}`)
export const cards = (w: Writer, count: number) =>
  w.times(
    count,
    (index) =>
      `<div class="c"><a href="/c/${index}"><img src="/c/${index}.jpg" alt=""><h3>${w.headline()}</h3></a><p>${w.sentence()}</p></div>`,
  )
