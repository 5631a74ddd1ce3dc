import { LIMITS } from '../domain/limits.ts'

/** Scripts that put no spaces between words; Korean too, whose words end in many ways. */
const DENSE =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\u30fc\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}'
const PIECE = new RegExp(`[${DENSE}]+|(?:(?![${DENSE}])[\\p{L}\\p{N}\\p{M}])+`, 'gu')
const IS_DENSE = new RegExp(`^[${DENSE}]`, 'u')

/** What the index holds of a text: its words as they are spaced; of text without spaces every two characters that are side
 *  by side, and the last one, so that a search finds any part of it. */
export function indexedWords(text: string): string {
  return piecesOf(text).flatMap(tokensOf).join(' ')
}

/** The FTS5 query for rows that hold every word (or its beginning) of a text; null: there is no word in it. */
export function matchAll(query: string): string | null {
  const phrases = piecesOf(query).slice(0, LIMITS.memory.queryWordsMax).map(phraseOf)
  return phrases.length === 0 ? null : phrases.join(' AND ')
}

/** The FTS5 query for rows that hold any word of a text, single characters aside where there is more; null: as above. */
export function matchAny(query: string): string | null {
  segmenter ??= new Intl.Segmenter('zh', { granularity: 'word' })
  const words = Array.from(segmenter.segment(query), ({ segment }) => segment).filter(
    (word) => Array.from(word).length > 1,
  )
  const matches = words.slice(0, LIMITS.memory.queryWordsMax).flatMap((word) => matchAll(word) ?? [])
  return matches.length === 0 ? matchAll(query) : matches.map((match) => `(${match})`).join(' OR ')
}

let segmenter: Intl.Segmenter | undefined

function piecesOf(text: string): string[] {
  return text.normalize('NFKC').toLowerCase().match(PIECE) ?? []
}

function tokensOf(piece: string): string[] {
  if (!IS_DENSE.test(piece)) return [piece]
  const characters = Array.from(piece)
  return characters.map((character, index) => `${character}${characters[index + 1] ?? ''}`)
}

/** A piece holds letters and digits alone, so nothing in it has to be escaped. */
function phraseOf(piece: string): string {
  const tokens = tokensOf(piece)
  return tokens.length === 1 ? `"${piece}"*` : `"${tokens.slice(0, -1).join(' ')}"`
}
