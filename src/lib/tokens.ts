const OTHER_CHARS_PER_TOKEN = 4

/** About how many tokens a model counts for `text`: one a Chinese, Japanese or Korean character (and half of an emoji),
 *  a quarter for any other UTF-16 unit, rounded up. Meant for budgets and for services that report nothing. */
export function estimateTokens(text: string): number {
  let wide = 0
  for (let i = 0; i < text.length; i++) {
    if (isWide(text.charCodeAt(i))) wide++
  }
  return wide + Math.ceil((text.length - wide) / OTHER_CHARS_PER_TOKEN)
}

/** UTF-16 units from the CJK blocks, Hangul, full-width forms, and surrogates. Source: Unicode block list. */
function isWide(unit: number): boolean {
  return (unit >= 0x2e80 && unit <= 0xa4cf) || (unit >= 0xac00 && unit <= 0xdfff) || (unit >= 0xf900 && unit <= 0xffef)
}
