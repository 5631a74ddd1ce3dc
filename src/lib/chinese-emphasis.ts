import type { TokenizerObject } from 'marked'

/** What marks words in Markdown, the words, and the same mark again. Within them it does not stand. */
const MARKED = /^(?<mark>\*\*|\*)(?![\s*])(?<words>(?:(?!\k<mark>)[^])+)\k<mark>(?!\*)/u
const PUNCTUATION = /[\p{P}\p{S}]/u
const SPACE_OR_PUNCTUATION = /^$|[\s\p{P}\p{S}]/u
const LETTER = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u
/** Quotes, dashes and dots too: Chinese writes them without spaces around. */
const MARK = /[\u00b7\u2014\u2018-\u201d\u2026\u3000-\u303f\uff00-\uffef]/u

/** How many characters and which mark a text begins with whose words CommonMark leaves unmarked: it takes the mark in `**注意：**请` for no end of
 *  them, because punctuation stands before it and no space behind. null: it begins with none of that kind. `before`: the character before it.
 *  `masked`: the text, with other characters where no mark is meant, such as in code. Source: markdown-cjk-friendly. */
function chineseEmphasis(masked: string, before: string): { length: number; mark: string } | null {
  const { mark = '', words = '' } = MARKED.exec(masked)?.groups ?? {}
  const [first, last] = [firstOf(words), lastOf(words)]
  if (words === '' || /\s/u.test(last)) return null
  const length = words.length + 2 * mark.length
  const [isOpen, isClosed] = [sideOf(first, before), sideOf(last, firstOf(masked.slice(length)))]
  return isOpen && isClosed && (isOpen === 'chinese' || isClosed === 'chinese') ? { length, mark } : null
}

/** The first character of a text, and the last; '' where it is empty. A pattern with `$` would look through all of the text. */
const firstOf = (text: string) => /^./su.exec(text)?.[0] ?? ''
const lastOf = (text: string) => /.$/su.exec(text.slice(-2))?.[0] ?? ''

/** Whether a mark may stand between a character of the words and the one outside: as everywhere, or only in Chinese. */
function sideOf(inner: string, outer: string): 'everywhere' | 'chinese' | null {
  if (!PUNCTUATION.test(inner) || SPACE_OR_PUNCTUATION.test(outer)) return 'everywhere'
  return MARK.test(inner) || LETTER.test(outer) ? 'chinese' : null
}

/** For marked: emphasis as Chinese writes it, and all else as CommonMark has it. */
export const CHINESE_EMPHASIS: TokenizerObject = {
  emStrong(text, masked) {
    if (!text.startsWith('*')) return false
    const at = masked.length - text.length
    const found = chineseEmphasis(masked.slice(at), lastOf(masked.slice(0, at)))
    if (!found) return false
    const raw = text.slice(0, found.length)
    const words = raw.slice(found.mark.length, -found.mark.length)
    const type = found.mark === '*' ? 'em' : 'strong'
    return { type, raw, text: words, tokens: this.lexer.inlineTokens(words) }
  },
}
