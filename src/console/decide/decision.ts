import type { DecisionInput, PendingInput } from '../../domain/session-input.ts'
import { awaitedSignal, stepApproval, type Pending } from '../../domain/pending.ts'
import { roleOfBranch } from '../../domain/role.ts'
import { client, sendOnce } from '../api.ts'
import { momentText, texts } from '../language.ts'
import { stepWords } from '../timeline/step-words.ts'

/** Decides one pending item, or gives the result of a call; the run goes on in the background. Bound to the arguments that were shown. */
export async function sendDecision(sessionId: string, pending: Pending, decision: PendingInput): Promise<void> {
  const hash = pending.arguments_hash === undefined ? {} : { arguments_hash: pending.arguments_hash }
  const bound = decision.decision === 'answer' ? decision : { ...decision, ...hash }
  await sendOnce((key) =>
    client.value.sessions.start(sessionId, { type: 'decide', pendingId: pending.id, decision: bound }, { key }),
  )
}

/** An approval; `always`: the tool runs without asking from here on, in this session. */
export const approval = (always: boolean): DecisionInput => ({
  decision: 'approve',
  ...(always ? { remember: 'session' } : {}),
})

/** The tasks of a plan that waits for its approval; null: these are not the arguments of one. */
export function plannedTasks({
  tool,
  call_id: callId,
  arguments: args,
}: Pending): { name: string; text: string }[] | null {
  const plan = args?.['plan']
  if (tool !== 'plan' || callId !== undefined || !Array.isArray(plan)) return null
  return plan.map((task: unknown) => {
    const { name, description } = Object(task) as Record<string, unknown>
    return { name: String(name), text: String(description) }
  })
}

/** What is asked of a human, in a few words. */
export function pendingTitle(pending: Pending): string {
  const t = texts().decide
  if (pending.connection) return t.connection
  if (pending.type === 'question') return pending.wait ? t.waits : t.question
  const signal = awaitedSignal(pending)
  if (signal !== null) return t.signalWaits(signal)
  if (pending.type === 'tool_call') return t.callWaits(pending.tool ?? '')
  if (plannedTasks(pending)) return t.planApproval
  const agreed = stepApproval(pending)
  if (agreed !== null) return cutAtLine(agreed)[0] || t.step
  const { tool = '', arguments: args = {} } = pending
  const does = stepWords({ tool, arguments: args, status: 'waiting' })
  return does === null ? t.approval(tool) : t.allow(does)
}

/** The role that asks, by its name; null: what asks has no name, or none that is known here. */
export function askingRole({ scope }: Pending): string | null {
  if (scope === null) return null
  const { role } = roleOfBranch(scope)
  return /^(tsk|stp)_/.test(role) ? null : role
}

/** What a question says; of a wait, until when by the clock of the reader; of a step, what follows its first line, which is its title. */
export function pendingQuestion(pending: Pending): string {
  const { question = '', wait } = pending
  if (wait) return question.replace(wait.until, momentText(wait.until))
  return question || cutAtLine(stepApproval(pending) ?? '')[1]
}

/** The first line of a text, and what follows it. */
function cutAtLine(text: string): [string, string] {
  const [first = '', ...rest] = text.trim().split('\n')
  return [first.trim(), rest.join('\n').trim()]
}
