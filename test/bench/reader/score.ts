/** Words in a row that make one shingle. */
const SHINGLE_WORDS = 4

/** A word: a run of letters, marks and digits; in Chinese and Japanese, which put no spaces, one character. */
const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[[\p{L}\p{M}\p{N}_]--[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]]+/gv

export interface Score {
  precision: number
  recall: number
  f1: number
}

/** How far `text` has the shingles of `expected`, each as often as it is there. Two texts without words are the same. */
export function score(text: string, expected: string): Score {
  const have = shinglesOf(text)
  const want = shinglesOf(expected)
  const haveCount = total(have)
  const wantCount = total(want)
  if (haveCount === 0 || wantCount === 0) {
    const same = haveCount === wantCount ? 1 : 0
    return { precision: same, recall: same, f1: same }
  }
  let shared = 0
  for (const [shingle, count] of have) shared += Math.min(count, want.get(shingle) ?? 0)
  const precision = shared / haveCount
  const recall = shared / wantCount
  return { precision, recall, f1: shared === 0 ? 0 : (2 * precision * recall) / (precision + recall) }
}

/** Shingles with their numbers; a text of fewer words is one shingle. */
function shinglesOf(text: string): Map<string, number> {
  const words = text.normalize('NFKC').toLowerCase().match(WORD) ?? []
  const shingles = new Map<string, number>()
  const last = Math.max(words.length - SHINGLE_WORDS, 0)
  for (let start = 0; words.length > 0 && start <= last; start += 1) {
    const shingle = words.slice(start, start + SHINGLE_WORDS).join(' ')
    shingles.set(shingle, (shingles.get(shingle) ?? 0) + 1)
  }
  return shingles
}

function total(shingles: ReadonlyMap<string, number>): number {
  let sum = 0
  for (const count of shingles.values()) sum += count
  return sum
}
