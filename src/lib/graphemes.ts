/** UTF-16 units before a place that are looked at for the borders of a grapheme; a longer one (a letter under hundreds of
 *  accents) may be parted. */
const AROUND = 256
/** Flags in a row of which it is still known where one begins. */
const FLAGS_MAX = 1_024
/** Between two of these there is always a border: printable ASCII, CJK punctuation, Chinese characters, kana. */
const PLAIN = /[ -~\u3001-\u3029\u3041-\u3096\u30a1-\u30fa\u3400-\u9fff]/

/** Made when it is first needed: its data takes some 10 ms to load. */
let segmenter: Intl.Segmenter | undefined

/** The last border of graphemes at or before `at`. */
export function graphemeStart(text: string, at: number): number {
  if (at <= 0 || at >= text.length) return Math.min(Math.max(at, 0), text.length)
  if (isPlain(text, at - 1) && isPlain(text, at)) return at
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' })
  const from = borderBefore(text, at)
  let border = from
  for (const { index } of segmenter.segment(text.slice(from, at + 2))) {
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
