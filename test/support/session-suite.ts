import { approvalClaims } from './session-claims/approval.ts'
import { awaitedClaims } from './session-claims/awaited.ts'
import { boundsClaims } from './session-claims/bounds.ts'
import { budgetClaims } from './session-claims/budget.ts'
import { busyClaims } from './session-claims/busy.ts'
import { changeClaims } from './session-claims/changes.ts'
import { cautionClaims } from './session-claims/caution.ts'
import { circleClaims } from './session-claims/circles.ts'
import type { GetHome } from './session-claims/claim.ts'
import { clientToolClaims } from './session-claims/client-tools.ts'
import { conversationClaims } from './session-claims/conversation.ts'
import { failureClaims } from './session-claims/failure.ts'
import { fileClaims } from './session-claims/files.ts'
import { requestClaims } from './session-claims/requests.ts'
import { forgedClaims } from './session-claims/forged.ts'
import { keyedClaims } from './session-claims/keyed.ts'
import { laterReleaseClaims } from './session-claims/later-release.ts'
import { lifecycleClaims } from './session-claims/lifecycle.ts'
import { loopClaims } from './session-claims/loops.ts'
import { longClaims } from './session-claims/long.ts'
import { memoryClaims } from './session-claims/memory.ts'
import { schemaAnswerClaims } from './session-claims/schema-answers.ts'
import { outputSchemaClaims } from './session-claims/output-schema.ts'
import { partClaims } from './session-claims/parts.ts'
import { pictureClaims } from './session-claims/pictures.ts'
import { planClaims } from './session-claims/plan.ts'
import { planReviewClaims } from './session-claims/plan-review.ts'
import { planPeopleClaims } from './session-claims/plan-people.ts'
import { silentPlanClaims } from './session-claims/plan-silent.ts'
import { planWorkClaims } from './session-claims/plan-work.ts'
import { promptClaims } from './session-claims/prompt.ts'
import { raceClaims } from './session-claims/races.ts'
import { readOnClaims } from './session-claims/read-on.ts'
import { removalClaims } from './session-claims/removal.ts'
import { replyEndClaims } from './session-claims/reply-end.ts'
import { runEndClaims } from './session-claims/run-end.ts'
import { skillFileClaims } from './session-claims/skill-files.ts'
import { skillInputClaims } from './session-claims/skill-inputs.ts'
import { skillClaims } from './session-claims/skills.ts'
import { delegationClaims } from './session-claims/delegation.ts'
import { delegationBoundClaims } from './session-claims/delegation-bounds.ts'
import { waitingClaims } from './session-claims/waiting.ts'
import { windowClaims } from './session-claims/windows.ts'
import { steeringClaims } from './session-claims/steering.ts'
import { streamClaims } from './session-claims/stream.ts'
import { teamClaims } from './session-claims/team.ts'
import { rolePlanClaims } from './session-claims/role-plan.ts'
import { teamBoundClaims } from './session-claims/team-bounds.ts'
import { teamWorkClaims } from './session-claims/team-work.ts'
import { teamWorkerClaims } from './session-claims/team-worker.ts'
import { threadClaims } from './session-claims/thread.ts'
import { transferClaims } from './session-claims/transfer.ts'

/** Everything that a session promises, wherever it lives. Run in memory, on SQLite in Node, and in a Durable Object. */
export function sessionSuite(home: GetHome): void {
  runSuite(home)
  lifeSuite(home)
  teamworkSuite(home)
}

/** How a run goes, what stops it and what it may do. */
export function runSuite(home: GetHome): void {
  conversationClaims(home)
  replyEndClaims(home)
  promptClaims(home)
  approvalClaims(home)
  clientToolClaims(home)
  steeringClaims(home)
  boundsClaims(home)
  budgetClaims(home)
  failureClaims(home)
  circleClaims(home)
  loopClaims(home)
  memoryClaims(home)
  fileClaims(home)
  requestClaims(home)
  cautionClaims(home)
  readOnClaims(home)
  pictureClaims(home)
  waitingClaims(home)
  awaitedClaims(home)
}

/** How a session is made, used by several at once, changed, copied and removed. */
export function lifeSuite(home: GetHome): void {
  lifecycleClaims(home)
  runEndClaims(home)
  removalClaims(home)
  skillClaims(home)
  skillFileClaims(home)
  skillInputClaims(home)
  outputSchemaClaims(home)
  schemaAnswerClaims(home)
  streamClaims(home)
  threadClaims(home)
  windowClaims(home)
  longClaims(home)
  transferClaims(home)
  laterReleaseClaims(home)
  forgedClaims(home)
  keyedClaims(home)
  busyClaims(home)
  changeClaims(home)
  partClaims(home)
  raceClaims(home)
}

/** How sub-tasks and roles work together. */
export function teamworkSuite(home: GetHome): void {
  planClaims(home)
  planReviewClaims(home)
  silentPlanClaims(home)
  planWorkClaims(home)
  planPeopleClaims(home)
  teamClaims(home)
  teamBoundClaims(home)
  teamWorkClaims(home)
  rolePlanClaims(home)
  teamWorkerClaims(home)
  delegationClaims(home)
  delegationBoundClaims(home)
}
