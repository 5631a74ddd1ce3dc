/** A section without headings is cut at the first empty line after so many characters. */
const SECTION_CHARS = 1_500
const WORDS_MAX = 50
const HEADING = /^#{1,6} /
const FENCE = /^ {0,3}(`{3,}|~{3,})/
/** Written where sections were left out. */
const GAP = '[…]'

/** `kept` of `total` sections are in `markdown`, in the order of the page. */
export interface Focused {
  markdown: string
  kept: number
  total: number
}

/** The sections of a long text that speak of `focus`, best matches only; null when none does. */
export function focusOn(markdown: string, focus: string): Focused | null {
  const sections = sectionsOf(markdown)
  const scores = scoresOf(sections, focusWords(focus))
  const best = Math.max(0, ...scores)
  return best === 0
    ? null
    : keptOf(
        sections,
        scores.map((score) => score > 0 && score >= best / 2),
      )
}

/** The beginning of a long text and those sections that speak most of `words`, in about `charsMax`; null when none does. */
export function chooseBy(markdown: string, words: readonly string[], charsMax: number): Focused | null {
  const sections = sectionsOf(markdown)
  const scores = scoresOf(sections, words)
  const order = sections.map((_, index) => index).filter((index) => (scores[index] ?? 0) > 0)
  order.sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || a - b)
  if (order.length === 0) return null
  const kept = new Set<number>()
  let chars = 0
  for (const index of [0, ...order]) {
    const length = (sections[index]?.length ?? 0) + GAP.length + 4
    if (kept.has(index) || chars + length > charsMax) continue
    kept.add(index)
    chars += length
  }
  return keptOf(
    sections,
    sections.map((_, index) => kept.has(index)),
  )
}

function scoresOf(sections: readonly string[], words: readonly string[]): number[] {
  const searched = sections.map(searchable)
  const weights = new Map(words.map((word) => [word, rarity(word, searched)]))
  return searched.map((section) => scoreOf(section, weights))
}

function keptOf(sections: readonly string[], isKept: readonly boolean[]): Focused {
  const parts = sections.flatMap((section, index) => {
    if (isKept[index]) return [section]
    return index === 0 || isKept[index - 1] ? [GAP] : []
  })
  return { markdown: parts.join('\n\n'), kept: isKept.filter(Boolean).length, total: sections.length }
}

/** The words of a query, lower case; Chinese and Japanese ones as a dictionary divides them. */
export function focusWords(focus: string): string[] {
  const segments = new Intl.Segmenter('zh', { granularity: 'word' }).segment(focus.normalize('NFKC').toLowerCase())
  const words = [...segments].filter(({ segment, isWordLike }) => isWordLike && isTelling(segment))
  return [...new Set(words.map(({ segment }) => segment))].slice(0, WORDS_MAX)
}

/** Words of a request that say nothing of what it is about. */
const REQUEST_WORDS: ReadonlySet<string> = new Set(
  (
    'about address all also an and any are article as at be brief by can content could do for from get give go has have how i ' +
    'in information into is it its list look me my of on or page pages please read report short show site summarise summarize ' +
    'summary tell text that the their them then there these this to translate up us use visit want was web website were what ' +
    'when where which who why will with word words would you your 一下 一个 一篇 一页 一句话 中文 介绍 什么 从 以及 你 使用 信息 全文 内容 列出 ' +
    '后 哪些 告诉 如何 对 并 总结 您 我 我们 所有 打开 把 文章 显示 有 查看 概括 概述 概要 用 网址 网站 网页 翻译 英文 访问 请 读 读取 这 这个 这篇 进行 ' +
    '那 阅读 需要 页面 要点 摘要 帮 主要 其中 几 句 中 地址 给 看看 写 关于'
  ).split(' '),
)
const ADDRESS = /https?:\/\/[^\s<>"'，。；、）]+/gi
const TASK_CHARS_MAX = 2_000

/** The telling words of a task, without addresses, figures and what every request says. */
export function taskWords(task: string): string[] {
  const words = focusWords(task.slice(0, TASK_CHARS_MAX).replace(ADDRESS, ' '))
  return words.filter((word) => !REQUEST_WORDS.has(word) && !/^\p{N}+$/u.test(word))
}

/** One character says something in CJK or as a digit, not as a letter. */
function isTelling(word: string): boolean {
  return word.length > 1 || !/[\p{Script=Latin}的了和与及在是]/u.test(word)
}

interface Searchable {
  heading: string
  text: string
}

function searchable(section: string): Searchable {
  const text = section.normalize('NFKC').toLowerCase()
  const [first = ''] = text.split('\n', 1)
  return { heading: HEADING.test(first) ? first : '', text }
}

/** The fewer sections hold a word, the more it tells. */
function rarity(word: string, sections: readonly Searchable[]): number {
  const holding = sections.filter(({ text }) => text.includes(word)).length
  return holding === 0 ? 0 : Math.log(1 + sections.length / holding)
}

/** What the words in a section weigh; those in its heading count three times. */
function scoreOf({ heading, text }: Searchable, weights: ReadonlyMap<string, number>): number {
  let score = 0
  for (const [word, weight] of weights) score += weight * (heading.includes(word) ? 3 : text.includes(word) ? 1 : 0)
  return score
}

/** A text cut before its headings, and before paragraphs where it has few; never inside of code. */
function sectionsOf(markdown: string): string[] {
  const sections: string[] = []
  let lines: string[] = []
  let chars = 0
  let fence: string | null = null
  const end = () => {
    const section = lines.join('\n').trim()
    if (section !== '') sections.push(section)
    lines = []
    chars = 0
  }
  for (const line of markdown.split('\n')) {
    const isLong = line === '' && chars >= SECTION_CHARS
    if (fence === null && (HEADING.test(line) || isLong)) end()
    fence = fenceAfter(fence, line)
    lines.push(line)
    chars += line.length
  }
  end()
  return sections
}

/** The fence that is open after a line. */
function fenceAfter(open: string | null, line: string): string | null {
  const mark = FENCE.exec(line)?.[1] ?? null
  if (open === null) return mark
  return mark !== null && mark.startsWith(open) && line.trim() === mark ? null : open
}
