import type { DecisionInput } from '../domain/session-input.ts'
import { canonicalJson, sha256Hex } from '../lib/canonical-json.ts'

/** What was said: hashes stand for arguments and words. */
export async function decisionNote({ decision, arguments: edited, remember }: DecisionInput) {
  const editedHash = edited && (await sha256Hex(canonicalJson(edited)))
  return {
    decision,
    ...(editedHash ? { edited_arguments_hash: editedHash } : {}),
    ...(remember ? { remember } : {}),
  }
}
