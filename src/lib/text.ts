/** UTF-16 units before a place that are looked at for the borders of a grapheme; a longer one (a letter under hundreds of
 *  accents) may be parted. */
const AROUND = 256
/** Flags in a row of which it is still known where one begins. */
const FLAGS_MAX = 1_024
/** Between two of these there is always a border: printable ASCII, CJK punctuation, Chinese characters, kana. */
const PLAIN = /[ -~\u3001-\u3029\u3041-\u3096\u30a1-\u30fa\u3400-\u9fff]/
const ALL_PLAIN = new RegExp(`^${PLAIN.source}*$`)

/** Made when it is first needed: its data takes some 10 ms to load. */
let segmenter: Intl.Segmenter | undefined

function segmentsOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' })
  return segmenter.segment(text)
}

/** What people see as the signs of a text. */
export function graphemesOf(text: string): string[] {
  return ALL_PLAIN.test(text) ? text.split('') : Array.from(segmentsOf(text), ({ segment }) => segment)
}

/** The last border of graphemes at or before `at`. */
export function graphemeStart(text: string, at: number): number {
  if (at <= 0 || at >= text.length) return Math.min(Math.max(at, 0), text.length)
  if (isPlain(text, at - 1) && isPlain(text, at)) return at
  const from = borderBefore(text, at)
  let border = from
  for (const { index } of segmentsOf(text.slice(from, at + 2))) {
    if (from + index > at) break
    border = from + index
  }
  return border
}

/** The first border of graphemes at or after `at`. */
export function graphemeEnd(text: string, at: number): number {
  const end = Math.min(at + AROUND, text.length)
  for (let next = Math.max(at, 0); next <= end; next++) {
    if (graphemeStart(text, next) === next) return next
  }
  return end
}

function isPlain(text: string, at: number): boolean {
  return PLAIN.test(text[at] ?? '')
}

/** A place at which a grapheme begins, or, in a row without any plain character, one that tears no pair. */
function borderBefore(text: string, at: number): number {
  const least = Math.max(0, at - AROUND)
  for (let from = at - 1; from > least; from--) {
    if (isPlain(text, from - 1) && isPlain(text, from)) return from
  }
  return evenFlags(text, isLowSurrogate(text, least) ? least - 1 : least)
}

/** Flags are pairs of regional indicators (Unicode TR29 GB12, GB13): which are a pair is known only from the first of a row. */
function evenFlags(text: string, at: number): number {
  let before = at
  while (before > at - FLAGS_MAX * 4 && isIndicator(text, before - 2)) before -= 2
  return (at - before) % 4 === 0 ? at : at - 2
}

function isIndicator(text: string, at: number): boolean {
  const code = text.codePointAt(at) ?? 0
  return at >= 0 && code >= 0x1f1e6 && code <= 0x1f1ff
}

function isLowSurrogate(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code >= 0xdc00 && code <= 0xdfff
}

/** The start of a text: at most `charsMax` UTF-16 units, never inside a grapheme, and `…` behind them where more was. */
export function cutText(text: string, charsMax: number): string {
  return text.length <= charsMax ? text : `${text.slice(0, graphemeStart(text, charsMax))}…`
}

/** A value as text: a string as it is, nothing as nothing, anything else as JSON. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  return value === undefined || value === null ? '' : JSON.stringify(value)
}

const UNITS = ['B', 'KiB', 'MiB', 'GiB'] as const

/** A number of bytes for a person: `512 B`, `5 MiB`, `1.4 KiB`. */
export function byteSize(bytes: number): string {
  const power = Math.min(Math.floor(Math.log2(Math.max(bytes, 1)) / 10), UNITS.length - 1)
  const value = Math.round((bytes / 1_024 ** power) * 10) / 10
  return `${value} ${UNITS[power]}`
}

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

/** What is shown in the place of a secret; one that comes back so stays as it is. */
export const SECRET_MASK = '***'

/** A name that programs use as words: `file_path` and `filePath` as `File path`. */
export function nameAsWords(name: string): string {
  const words = name
    .replaceAll(/(?<=[a-z])[A-Z](?=[a-z])/g, (letter) => ` ${letter.toLowerCase()}`)
    .replaceAll(/[_-]+/g, ' ')
    .trim()
  return words === '' ? name : words.charAt(0).toUpperCase() + words.slice(1)
}
