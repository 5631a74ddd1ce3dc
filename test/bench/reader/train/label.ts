const WORD = /[\p{L}\p{N}_]+/gu
/** Cells of the table of an alignment; longer pages are aligned by whole texts only. */
const CELLS_MAX = 400_000_000
const MATCH = 3
const OPEN = 4
const OPEN_AT_START = 1

export const wordsOf = (text: string): string[] => text.toLowerCase().match(WORD) ?? []

/** For each block the share of its words that stand in the marked text. */
export function labelBlocks(texts: readonly string[], truth: string): number[] {
  const blocks = texts.map(wordsOf)
  const lines = truth
    .split('\n')
    .map(wordsOf)
    .filter((line) => line.length > 0)
  const matched = blocks.map(() => 0)
  const taken = align(blocks, lines, matched)
  matchElsewhere(blocks, lines, taken, matched)
  return blocks.map((words, index) => (words.length === 0 ? 0 : (matched[index] ?? 0) / words.length))
}

/** Runs of words that both have in the same order. Adds to `matched`; gives which marked words were found. */
function align(blocks: readonly string[][], lines: readonly string[][], matched: number[]): Uint8Array {
  const ids = new Map<string, number>()
  const idOf = (word: string) => {
    let id = ids.get(word)
    if (id === undefined) ids.set(word, (id = ids.size + 1))
    return id
  }
  const flat = (groups: readonly string[][]) => ({
    words: Int32Array.from(groups.flatMap((group) => group.map(idOf))),
    starts: Uint8Array.from(groups.flatMap((group) => group.map((_, index) => (index === 0 ? 1 : 0)))),
    owner: Int32Array.from(groups.flatMap((group, owner) => group.map(() => owner))),
  })
  const want = flat(lines)
  const have = flat(blocks)
  const [n, m] = [have.words.length, want.words.length]
  const taken = new Uint8Array(m)
  if (n === 0 || m === 0 || n * m > CELLS_MAX) return taken
  const width = m + 1
  const from = new Uint8Array((n + 1) * width)
  let best = new Int32Array(width)
  let run = new Int32Array(width).fill(-1_000_000)
  for (let i = 1; i <= n; i += 1) {
    const nextBest = new Int32Array(width)
    const nextRun = new Int32Array(width).fill(-1_000_000)
    const word = have.words[i - 1]
    const starts = have.starts[i - 1] === 1
    for (let j = 1; j <= m; j += 1) {
      let way = 0
      if (word === want.words[j - 1]) {
        const opening = (best[j - 1] as number) - (starts && want.starts[j - 1] === 1 ? OPEN_AT_START : OPEN)
        const going = run[j - 1] as number
        nextRun[j] = MATCH + Math.max(opening, going)
        if (going >= opening) way |= 4
      }
      const up = best[j] as number
      const left = nextBest[j - 1] as number
      let top = up
      if (left > top) {
        top = left
        way |= 1
      }
      if ((nextRun[j] as number) > top) {
        top = nextRun[j] as number
        way |= 2
      }
      nextBest[j] = top
      from[i * width + j] = way
    }
    best = nextBest
    run = nextRun
  }
  let [i, j, inRun] = [n, m, false]
  while (i > 0 && j > 0) {
    const way = from[i * width + j] as number
    if (inRun || (way & 2) !== 0) {
      taken[j - 1] = 1
      const owner = have.owner[i - 1] as number
      matched[owner] = (matched[owner] as number) + 1
      inRun = (way & 4) !== 0
      i -= 1
      j -= 1
    } else if ((way & 1) !== 0) j -= 1
    else i -= 1
  }
  return taken
}

/** Blocks whose whole text the marked one has at another place. */
function matchElsewhere(
  blocks: readonly string[][],
  lines: readonly string[][],
  taken: Uint8Array,
  matched: number[],
): void {
  const whole = new Map<string, number>()
  let rest = ' '
  let at = 0
  for (const line of lines) {
    const free = line.filter((_, index) => taken[at + index] === 0)
    if (free.length === line.length) whole.set(line.join(' '), (whole.get(line.join(' ')) ?? 0) + 1)
    rest += line.map((word, index) => (taken[at + index] === 0 ? `${word} ` : '\n ')).join('') + '\n '
    at += line.length
  }
  blocks.forEach((words, index) => {
    if ((matched[index] as number) > 0.3 * words.length || words.length === 0) return
    const text = words.join(' ')
    const count = whole.get(text) ?? 0
    if (count > 0) {
      whole.set(text, count - 1)
      matched[index] = words.length
      return
    }
    if (words.length < 4) return
    const place = rest.indexOf(` ${text} `)
    if (place < 0) return
    matched[index] = words.length
    rest = `${rest.slice(0, place)} \n ${rest.slice(place + text.length + 2)}`
  })
}

/** For each block 1 where it has to be there, 0 where it must not, null where nobody says; by passages. */
export function labelByPassages(
  texts: readonly string[],
  passages: { with: readonly string[]; without: readonly string[] },
): (number | null)[] {
  const labels: (number | null)[] = texts.map(() => null)
  const starts: number[] = []
  let all = ''
  for (const text of texts) {
    starts.push(all.length)
    all += text.replace(/\s+/g, ' ').trim() + ' '
  }
  const mark = (passage: string, label: number) => {
    const wanted = passage.replace(/\s+/g, ' ').trim()
    if (wanted === '') return
    for (let at = all.indexOf(wanted); at >= 0; at = all.indexOf(wanted, at + wanted.length)) {
      starts.forEach((start, index) => {
        const end = starts[index + 1] ?? all.length
        if (start < at + wanted.length && end - 1 > at) labels[index] = label
      })
      if (label === 1) break
    }
  }
  for (const passage of passages.without) mark(passage, 0)
  for (const passage of passages.with) mark(passage, 1)
  return labels
}
