const POINT_CHARS_MIN = 6
const POINT_CHARS_MAX = 300
const SENTENCES_MAX = 2_000
/** Weight of a word that the task names, and of the sentence that opens a text. */
const TASK_WEIGHT = 2
const OPENING_WEIGHT = 1.3
/** A sentence whose words are this much those of a chosen one says nothing new. */
const SAME_SHARE = 0.7

interface Candidate {
  place: number
  sentence: string
  words: Set<string>
  score: number
}

/** The `count` sentences that say most of what a text is about, in the order of the text. A word counts by the number of sentences that
 *  hold it, and more when the task names it. Scores are evened out by length. Near repetitions are left out. */
export function keySentences(sentences: string[], task: string, count: number): string[] {
  const candidates = candidatesOf(sentences.slice(0, SENTENCES_MAX))
  const weights = weigh(candidates, new Set(wordsOf(task)))
  for (const candidate of candidates) candidate.score = scoreOf(candidate, weights)
  const chosen: Candidate[] = []
  for (const candidate of candidates.toSorted((a, b) => b.score - a.score || a.place - b.place)) {
    if (chosen.length === count) break
    if (!chosen.some((other) => saysTheSame(candidate, other))) chosen.push(candidate)
  }
  return chosen.toSorted((a, b) => a.place - b.place).map(({ sentence }) => shorten(sentence))
}

/** Sentences long enough to say something; all of them when none is. */
function candidatesOf(sentences: string[]): Candidate[] {
  const long = sentences.filter((sentence) => sentence.length >= POINT_CHARS_MIN)
  return (long.length > 0 ? long : sentences).map((sentence, place) => ({
    place,
    sentence,
    words: new Set(wordsOf(sentence)),
    score: 0,
  }))
}

function weigh(candidates: Candidate[], asked: ReadonlySet<string>): Map<string, number> {
  const weights = new Map<string, number>()
  for (const { words } of candidates) {
    for (const word of words) weights.set(word, (weights.get(word) ?? 0) + (asked.has(word) ? TASK_WEIGHT : 1))
  }
  return weights
}

function scoreOf({ words, place }: Candidate, weights: ReadonlyMap<string, number>): number {
  let sum = 0
  for (const word of words) sum += weights.get(word) ?? 0
  return (sum / Math.sqrt(words.size + 1)) * (place === 0 ? OPENING_WEIGHT : 1)
}

function saysTheSame(candidate: Candidate, other: Candidate): boolean {
  const shared = [...candidate.words].filter((word) => other.words.has(word)).length
  return (
    candidate.sentence === other.sentence || (candidate.words.size > 0 && shared / candidate.words.size >= SAME_SHARE)
  )
}

function shorten(sentence: string): string {
  const chars = Array.from(sentence)
  return chars.length <= POINT_CHARS_MAX ? sentence : `${chars.slice(0, POINT_CHARS_MAX).join('')}…`
}

/** Words too common to tell what a text is about. */
const STOP_WORDS = new Set(
  (
    'the a an and or but if of to in on at by for from with as is are was were be been being it its this that these those ' +
    'he she they we you i his her their our your not no so than then there here which who what when where how can could ' +
    'will would may might must shall should do does did has have had about into over also more most other some such only ' +
    '的 了 和 与 及 或 在 是 有 为 以 于 对 从 到 被 把 让 向 由 等 也 都 就 而 但 并 且 又 还 很 更 最 不 没 没有 这 那 这个 那个 ' +
    '这些 那些 它 他 她 我 你 您 我们 你们 他们 它们 一个 一种 一些 可以 能 会 要 将 之 其 中 上 下 个 所 如果 因为 所以 通过 进行'
  ).split(' '),
)

const CHINESE = /[\u3400-\u9fff]/

/** The language whose rules cut `text` into words and sentences. */
export function scriptOf(text: string): 'zh' | 'en' {
  return CHINESE.test(text) ? 'zh' : 'en'
}

/** The words of a text that carry meaning, in lower case, in order. */
export function wordsOf(text: string): string[] {
  const words: string[] = []
  for (const { segment, isWordLike } of segmenter(text, 'word').segment(text)) {
    const word = segment.toLowerCase()
    if (isWordLike && !STOP_WORDS.has(word) && (word.length > 1 || CHINESE.test(word))) words.push(word)
  }
  return words
}

/** The sentences of one paragraph, without outer white space. */
export function sentencesOf(paragraph: string): string[] {
  const segments = segmenter(paragraph, 'sentence').segment(paragraph)
  return Array.from(segments, ({ segment }) => segment.trim()).filter((sentence) => sentence !== '')
}

const segmenters = new Map<string, Intl.Segmenter>()

function segmenter(text: string, granularity: 'word' | 'sentence'): Intl.Segmenter {
  const key = `${scriptOf(text)} ${granularity}`
  const known = segmenters.get(key) ?? new Intl.Segmenter(scriptOf(text), { granularity })
  segmenters.set(key, known)
  return known
}
