import { approvalClaims } from './session-claims/approval.ts'
import { boundsClaims } from './session-claims/bounds.ts'
import { busyClaims } from './session-claims/busy.ts'
import { circleClaims } from './session-claims/circles.ts'
import type { GetHome } from './session-claims/claim.ts'
import { conversationClaims } from './session-claims/conversation.ts'
import { failureClaims } from './session-claims/failure.ts'
import { keyedClaims } from './session-claims/keyed.ts'
import { lifecycleClaims } from './session-claims/lifecycle.ts'
import { longClaims } from './session-claims/long.ts'
import { promptClaims } from './session-claims/prompt.ts'
import { removalClaims } from './session-claims/removal.ts'
import { streamClaims } from './session-claims/stream.ts'
import { transferClaims } from './session-claims/transfer.ts'

/** Everything that a session promises, wherever it lives. Run in memory, on SQLite in Node, and in a Durable Object. */
export function sessionSuite(home: GetHome): void {
  conversationClaims(home)
  promptClaims(home)
  approvalClaims(home)
  boundsClaims(home)
  failureClaims(home)
  lifecycleClaims(home)
  removalClaims(home)
  streamClaims(home)
  longClaims(home)
  transferClaims(home)
  keyedClaims(home)
  circleClaims(home)
  busyClaims(home)
}
