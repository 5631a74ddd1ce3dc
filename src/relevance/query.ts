import { STOP_WORDS } from '../../configs/stop-words.ts'

/** What is looked for. `word`: the stem of a whole word, where words stand apart; `part`: found within a text without spaces. */
export interface Term {
  text: string
  form: 'word' | 'part'
  weight: number
}

const QUERY_CHARS_MAX = 4_000
const TERMS_MAX = 80
const TERM_CHARS_MAX = 64
/** What two characters in a row weigh beside the words that they are of: names that no dictionary holds are found by them. */
const PAIR_WEIGHT = 0.4
const ADDRESS = /https?:\/\/[^\s<>"'，。；、）]+/gi
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]/u
const HANGUL = /\p{Script=Hangul}/u
const KANA_ENDING = /^\p{Script=Hiragana}{1,2}$/u
/** What Korean hangs onto a noun. */
const PARTICLE = /(?<=.)(?:에서는|에서|으로|에게|까지|부터|이나|은|는|이|가|을|를|의|에|로|와|과|도|만)$/u
const STOPS: ReadonlySet<string> = new Set(Object.values(STOP_WORDS).flatMap((words) => words.split(/\s+/)))

/** Made when it is first needed: its dictionary takes some time to load. */
let segmenter: Intl.Segmenter | undefined

/** How texts are compared: compatible forms as one, lower case. */
export function comparable(text: string): string {
  return text.normalize('NFKC').toLowerCase()
}

/** What a request is about: its words and, of unspaced text, its pairs of characters, without addresses and what every request
 *  says. None when it says nothing. `isBare`: a person's words to search by, of which all count if no other is among them. */
export function queryTerms(query: string, { isBare = false } = {}): Term[] {
  const segments = segmentsOf(comparable(query.slice(0, QUERY_CHARS_MAX).replace(ADDRESS, ' ')))
  const telling = termsOf(
    segments.filter(({ segment }) => !isStop(segment)),
    isBare,
  )
  return telling.length > 0 || !isBare ? telling : termsOf(segments, isBare)
}

function termsOf(segments: readonly Segment[], isBare: boolean): Term[] {
  const terms = new Map<string, Term>()
  for (const term of [...segments.flatMap((segment) => wordTerms(segment, isBare)), ...pairTerms(segments)]) {
    if (!terms.has(term.text) && terms.size < TERMS_MAX) terms.set(term.text, term)
  }
  return [...terms.values()]
}

type Segment = Pick<Intl.SegmentData, 'segment' | 'index'>

/** The words of a text, as a dictionary divides them where no spaces do. */
function segmentsOf(text: string): Segment[] {
  segmenter ??= new Intl.Segmenter('zh', { granularity: 'word' })
  return [...segmenter.segment(text)].filter(({ isWordLike }) => isWordLike)
}

function wordTerms({ segment }: Segment, isBare: boolean): Term[] {
  if (UNSPACED.test(segment)) return segment.length === 1 ? [] : [termOf(segment, 'part')]
  if (HANGUL.test(segment)) return [termOf(segment.replace(PARTICLE, ''), 'part')]
  const words = segment.match(PLAIN_WORD) ?? []
  return words.filter((word) => isBare || isTelling(word)).map((word) => termOf(stem(word), 'word'))
}

/** Every two characters in a row of unspaced segments that stand together, and a character that stands alone. */
function pairTerms(segments: readonly Segment[]): Term[] {
  return runsOf(segments).flatMap((run) => {
    const chars = Array.from(run)
    if (chars.length === 1) return [termOf(run, 'part', PAIR_WEIGHT)]
    const pairs = chars.slice(1).map((char, index) => `${chars[index]}${char}`)
    return pairs.filter((pair) => !isStop(pair)).map((pair) => termOf(pair, 'part', PAIR_WEIGHT))
  })
}

function runsOf(segments: readonly Segment[]): string[] {
  const runs: string[] = []
  let end = -1
  for (const { segment, index } of segments) {
    if (!UNSPACED.test(segment)) continue
    if (index === end) runs.push(`${runs.pop()}${segment}`)
    else runs.push(segment)
    end = index + segment.length
  }
  return runs
}

function termOf(text: string, form: Term['form'], weight = 1): Term {
  return { text: text.slice(0, TERM_CHARS_MAX), form, weight }
}

/** Words as they stand in a text that has spaces: `max_tokens` is two. */
export const PLAIN_WORD = /[0-9A-Za-z\u00c0-\u1fff]+/g

function isStop(segment: string): boolean {
  return STOPS.has(segment) || KANA_ENDING.test(segment)
}

/** One letter says nothing, nor does a figure that may be a number of points. */
function isTelling(word: string): boolean {
  return /^\d+$/.test(word) ? word.length > 2 : word.length > 1 && !STOPS.has(word)
}

const VOWEL = /[aeiouy]/
const LEAST = 4

/** An English word without its ending, so that forms of a word are one: a light stemmer that cuts plurals, `-ed`, `-ing`,
 *  `-ly` and a final `e`. The first two letters always stay. */
export function stem(word: string): string {
  if (word.length < LEAST || !/^[a-z]+$/.test(word)) return word
  return withoutFinalE(withoutVerbEnding(withoutPlural(word)))
}

function withoutPlural(word: string): string {
  if (word.endsWith('ies') && word.length > LEAST) return `${word.slice(0, -3)}y`
  if (/(?:ss|x|ch|sh)es$/.test(word)) return word.slice(0, -2)
  return /[^sui]s$/.test(word) ? word.slice(0, -1) : word
}

function withoutVerbEnding(word: string): string {
  const [ending] = /(?:ing|ied|ed|ly)$/.exec(word) ?? []
  if (ending === undefined) return word
  const rest = word.slice(0, -ending.length)
  if (rest.length < LEAST - 1 || !VOWEL.test(rest)) return word
  return ending === 'ied' ? `${rest}y` : rest.replace(/([bdgmnprt])\1$/, '$1')
}

function withoutFinalE(word: string): string {
  return word.length > LEAST && word.endsWith('e') ? word.slice(0, -1) : word
}
