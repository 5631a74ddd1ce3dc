import { parseDecision } from '../../agent/approval.ts'
import { type DecisionInput, decisionInput } from '../../domain/session-input.ts'
import { isObject } from '../../lib/json.ts'
import { isId } from '../../lib/id.ts'

/** A decision that a message is, where a protocol has no place for one. */
export interface DecisionWord {
  pendingId: string
  input: DecisionInput
}

const WORDS: Readonly<Record<string, 'approve' | 'reject'>> = {
  approve: 'approve',
  reject: 'reject',
  批准: 'approve',
  授权: 'approve',
  拒绝: 'reject',
}

/** `approve ID`, with other arguments as JSON behind it if they are to be others, or `reject ID why`. Null: the text is anything else. */
export function decisionWord(text: string): DecisionWord | null {
  const [, word = '', pendingId = '', rest = ''] = /^(\p{L}+)\s+(\S+)(?:\s+(\S[\s\S]*))?$/u.exec(text.trim()) ?? []
  const decision = WORDS[word.toLowerCase()]
  if (decision === undefined || !isId('pnd', pendingId)) return null
  const more = rest === '' ? {} : decision === 'approve' ? editedBy(rest) : { feedback: rest }
  const input = more && decisionInput.safeParse({ decision, ...more })
  return input?.success ? { pendingId, input: input.data } : null
}

/** Whether a text is nothing but a decision, in this form or as tags (see `parseDecision`). */
export function isDecisionText(text: string): boolean {
  return decisionWord(text) !== null || parseDecision(text) !== null
}

/** Null: what stands behind an approval are no arguments, so the message is no approval. */
function editedBy(text: string): { arguments: Record<string, unknown> } | null {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? { arguments: value } : null
  } catch {
    return null
  }
}
