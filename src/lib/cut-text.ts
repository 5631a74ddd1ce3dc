import { graphemeStart } from './graphemes.ts'

/** The start of a text: at most `charsMax` UTF-16 units, never inside a grapheme, and `…` behind them where more was. */
export function cutText(text: string, charsMax: number): string {
  return text.length <= charsMax ? text : `${text.slice(0, graphemeStart(text, charsMax))}…`
}
