import { wordsOf } from './words.ts'

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

/** The `count` sentences that say most of what a text is about, in the order of the text: words count by how many
 *  sentences hold them, more when the task names them, evened out by length; near repetitions are left out. */
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
