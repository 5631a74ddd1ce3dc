export interface PageSize {
  charsMax: number
  linesMax: number
}

/**
 * Cut a text into pages of at most `charsMax` UTF-16 units and `linesMax` lines, between lines where it can be. Joined by
 * line breaks (nothing within a line that is longer than a page) they are the text again. At least one page, maybe empty.
 */
export function paginate(text: string, size: PageSize): string[] {
  const pages: string[] = []
  let page: string[] = []
  let chars = 0
  const turn = () => {
    pages.push(page.join('\n'))
    page = []
    chars = 0
  }
  const add = (line: string) => {
    if (page.length > 0 && (page.length === size.linesMax || chars + line.length + 1 > size.charsMax)) turn()
    chars += line.length + (page.length === 0 ? 0 : 1)
    page.push(line)
  }
  for (const line of text.split('\n')) {
    if (line.length <= size.charsMax) add(line)
    else for (const piece of pieces(line, size.charsMax)) add(piece)
  }
  turn()
  return pages
}

/** A line in pieces that fit a page; no pair of surrogates is torn. */
function pieces(line: string, charsMax: number): string[] {
  const cut: string[] = []
  let start = 0
  while (line.length - start > charsMax) {
    const end = start + charsMax
    const isPair = /[\uD800-\uDBFF]/.test(line[end - 1] ?? '')
    cut.push(line.slice(start, isPair ? end - 1 : end))
    start = isPair ? end - 1 : end
  }
  return [...cut, line.slice(start)]
}
