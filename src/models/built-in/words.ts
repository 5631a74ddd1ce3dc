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
