import { isObject, parseJson } from '../../lib/json.ts'
import { texts } from '../language.ts'
import { argumentWords } from '../timeline/step-words.ts'

/** The result of a run; what a person decided in its last step is said in words. */
export function decidedText(result: string): string {
  const decided = decisionIn(result)
  if (decided === null) return result
  const words = texts().decide.decided[decided.approved ? 'approve' : 'reject'] ?? ''
  return decided.feedback === null ? words : texts().told(words, decided.feedback)
}

/** An answer that was given, with the fields of a form by what they are called. */
export function answeredText(answer: string): string {
  const fields = answer.startsWith('{') ? parseJson(answer) : null
  if (!isObject(fields)) return answer
  const said = Object.entries(fields).map(([name, value]) =>
    texts().told(argumentWords('', name), typeof value === 'string' ? value : JSON.stringify(value)),
  )
  return said.join(' · ')
}

/** What an approval of a workflow gives; null: it is something else. */
function decisionIn(result: string): { approved: boolean; feedback: string | null } | null {
  const value = result.startsWith('{') ? parseJson(result) : null
  if (!isObject(value) || Object.keys(value).toSorted().join() !== 'approved,feedback') return null
  const { approved, feedback } = value
  if (typeof approved !== 'boolean' || (feedback !== null && typeof feedback !== 'string')) return null
  return { approved, feedback }
}
