import { Readability } from '@mozilla/readability'
import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2'
import { parseHTML } from 'linkedom'
import { textOfHtml } from './pages.ts'

const nothing = () => {}
const IGNORE: TokenizerCallbacks = {
  onattribdata: nothing,
  onattribend: nothing,
  onattribentity: nothing,
  onattribname: nothing,
  oncdata: nothing,
  onclosetag: nothing,
  oncomment: nothing,
  ondeclaration: nothing,
  onend: nothing,
  onopentagend: nothing,
  onopentagname: nothing,
  onprocessinginstruction: nothing,
  onselfclosingtag: nothing,
  ontext: nothing,
  ontextentity: nothing,
}

/** htmlparser2's tokens of a page, thrown away: what no reader on it can be faster than. */
export function tokenize(html: string): void {
  const tokenizer = new Tokenizer({ xmlMode: false, decodeEntities: true }, IGNORE)
  tokenizer.write(html)
  tokenizer.end()
}

/** The article as Readability has it on linkedom's document; empty when it finds none. */
export function readability(html: string): string {
  const { document } = parseHTML(html)
  return new Readability(document).parse()?.content ?? ''
}

export const readabilityText = (html: string): string => textOfHtml(readability(html))
