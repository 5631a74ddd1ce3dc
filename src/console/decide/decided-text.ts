import { isObject, parseJson } from '../../lib/json.ts'
import { texts } from '../language.ts'

/** The result of a run; what a person decided in its last step is said in words. */
export function decidedText(result: string): string {
  const decided = decisionIn(result)
  if (decided === null) return result
  const words = texts().decide.decided[decided.approved ? 'approve' : 'reject'] ?? ''
  return decided.feedback === null ? words : texts().told(words, decided.feedback)
}

/** What an approval of a workflow gives; null: it is something else. */
function decisionIn(result: string): { approved: boolean; feedback: string | null } | null {
  const value = result.startsWith('{') ? parseJson(result) : null
  if (!isObject(value) || Object.keys(value).toSorted().join() !== 'approved,feedback') return null
  const { approved, feedback } = value
  if (typeof approved !== 'boolean' || (feedback !== null && typeof feedback !== 'string')) return null
  return { approved, feedback }
}
