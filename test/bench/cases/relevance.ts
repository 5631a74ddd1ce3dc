import { cutOutput } from '../../../src/tools/output.ts'
import { sections } from '../../../src/relevance/units.ts'
import { randomOf } from '../../chaos/random.ts'
import { type Document, makeDocuments } from '../relevance/documents.ts'
import { resultOf, type Case } from '../harness/result.ts'
import { measurePairs, type Block } from '../harness/rounds.ts'

const RATIO_MAX = 2
const TEXT_BYTES = 100_000
const LIMITS = { charsMax: 8_000, linesMax: 500, strategy: 'head_tail' } as const
/** Times that each side works in a round. */
const TIMES = 10

/** Choosing what speaks of a question in 100 kB, beside dividing the same text into words once. */
export const relevance: Case = {
  name: 'relevance',
  run: async (rounds) => {
    const documents = makeDocuments('answer', randomOf('bench'))
    const results = []
    for (const language of ['en', 'zh-CN'] as const) {
      const { text, question } = longText(documents.filter((document) => document.language === language))
      const pairs = await measurePairs(
        rounds,
        () =>
          timed(() => cutOutput(text, { limits: LIMITS, language, relevance: { units: sections, words: question } })),
        () => timed(() => wordCount(text)),
      )
      results.push(resultOf(`relevance of 100 kB to its words, ${language}`, RATIO_MAX, pairs, ({ wallMs }) => wallMs))
    }
    return results
  },
}

function longText(documents: readonly Document[]): { text: string; question: string } {
  const bytes = new TextEncoder().encode(documents.map(({ text }) => text).join('\n\n')).subarray(0, TEXT_BYTES)
  return { text: new TextDecoder().decode(bytes), question: documents[0]?.question ?? '' }
}

function wordCount(text: string): number {
  const segments = new Intl.Segmenter('zh', { granularity: 'word' }).segment(text)
  let count = 0
  for (const { isWordLike } of segments) count += Number(isWordLike)
  return count
}

async function timed(work: () => unknown): Promise<Block> {
  const before = performance.now()
  for (let time = 0; time < TIMES; time++) work()
  const wallMs = (performance.now() - before) / TIMES
  return { wallMs, cpuMs: wallMs }
}
