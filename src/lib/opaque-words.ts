/** What stands between words, in any script. */
const BETWEEN = /[\s,;|"'`<>(){}[\]，。、；：！？“”‘’（）《》【】]+/
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?$/
const WORD_CHARS_MAX = 40
const PIECE_CHARS_MIN = 10
const NUMBER_CHARS_MIN = 9

/** Words of a text that say nothing to a reader and may be a code, a key or a number of somebody: long ones, and long pieces that
 *  mix digits with letters or are a long number. Words of a language, dates and names of versions are not among them. */
export function opaqueWords(text: string): string[] {
  return [...new Set(text.split(BETWEEN).filter((word) => isOpaque(word) && !TIME.test(word)))]
}

function isOpaque(word: string): boolean {
  const ascii = word.replaceAll(/[^\u0021-\u007e]+/g, '')
  if (ascii.length > WORD_CHARS_MAX || /\d{4}[ -]?\d{4}[ -]?\d{4}/.test(word)) return true
  if (/^[^@\s]+@[^@\s]+\.[a-z]{2,}$/i.test(ascii)) return true
  return ascii.split(/[-_./:@=&?#%+~\\]+/).some(isMixed)
}

function isMixed(piece: string): boolean {
  if (/^\d+$/.test(piece)) return piece.length >= NUMBER_CHARS_MIN
  return piece.length >= PIECE_CHARS_MIN && /\d/.test(piece) && /[a-z]/i.test(piece)
}
