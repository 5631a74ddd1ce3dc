/** There is no list of places beside the text. */
const SEE_ERRORS = /(?:; see errors\.|；见 errors。)$/

interface ErrorPlaces {
  detail: string
  issues: readonly { path: string; message: string }[]
}

/** An error in one text, with the places that are wrong: all, or the first few. It is joined as its language does. */
export function textOfError({ detail, issues }: ErrorPlaces, placesMax = Infinity): string {
  const ends = SEE_ERRORS.exec(detail)?.[0].startsWith(';') === true ? '.' : '。'
  const told = detail.replace(SEE_ERRORS, ends)
  const [colon, semicolon, space] = told.endsWith('。') ? ['：', '；', ''] : [': ', '; ', ' ']
  const places = issues
    .slice(0, placesMax)
    .map(({ path, message }) => [path, message].filter((part) => part !== '').join(colon))
  return [told, places.join(semicolon)].filter((part) => part !== '').join(space)
}
