import { estimateTokens } from '../../../src/lib/text.ts'
import { sections } from '../../../src/relevance/units.ts'
import { cutOutput } from '../../../src/tools/output.ts'
import type { Document } from './documents.ts'

const TOKENS_MAX = 2_000
const LINES_MAX = 500

export const WAYS = { relevance: 'by the words asked', head_tail: 'head and tail', head_only: 'head' } as const

/** Whether the passage is whole in what is kept. Throws when more than the budget is kept. */
export function survival({ text, language, question, answer }: Document, way: string): boolean {
  const charsMax = Math.floor((TOKENS_MAX * text.length) / estimateTokens(text))
  const cut = cutOutput(text, {
    limits: { charsMax, linesMax: LINES_MAX, strategy: way === 'head_only' ? 'head_only' : 'head_tail' },
    language,
    relevance: way === 'relevance' ? { units: sections, words: question } : null,
  })
  if (cut === null || cut.keptLength > charsMax) throw new Error(`over its budget: ${question}`)
  return cut.text.includes(answer)
}
