/** The start of a text: at most `charsMax` UTF-16 units, of which the last is `…` where more was. */
export function shortened(text: string, charsMax: number): string {
  return text.length <= charsMax ? text : `${text.slice(0, charsMax - 1)}…`
}
