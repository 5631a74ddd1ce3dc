import { planIn } from './parse.ts'
import type { PlanBrief, PlannerBrief } from './requests.ts'
import { memberText } from '../../agent/team-texts.ts'
import { promptTime } from '../../agent/prompt-parts.ts'
import { contentText, toldText } from '../../domain/content.ts'
import { isSettled, planOf } from './state.ts'
import { LIMITS } from '../../domain/limits.ts'
import { type Message, toolIdOf } from '../../domain/message.ts'
import type { ModelSpec } from '../../domain/model.ts'
import type { CallPurpose, PlanTask, PlanWorker } from '../../domain/plan.ts'
import { estimateTokens } from '../../lib/text.ts'
import { relevantPart } from '../../relevance/choose.ts'
import type { Worker } from '../../engine/worker/worker.ts'
import type { MoveContext } from '../../engine/engine.ts'
import { languageTagOf, timezoneOf } from '../../engine/settings.ts'
import { taskData } from './view.ts'
import { branchOf, seqsOf } from '../../log/branches.ts'
import { at } from '../../log/window.ts'
import { missingToolsPart } from '../../engine/prompt.ts'
import { afterThoughts } from '../../agent/thinking.ts'
import { roleOf } from '../../engine/role.ts'

type Window = Pick<ModelSpec, 'contextTokens' | 'maxTokens'>

/** Tokens that results of sub-tasks may take in one request. */
export function roomForResults({ contextTokens, maxTokens }: Window): number {
  return Math.floor((contextTokens - maxTokens) * LIMITS.plan.resultsShare)
}

/** What the planner, or who answers in its place, is told. */
export function planBrief(context: MoveContext, spec: Window, worker: Worker, purpose: CallPurpose): PlanBrief {
  const { engine, journal } = context
  const { scope: owner, language } = worker
  const { record, log, state } = journal
  const [given] = at(log, seqsOf(state, owner).taskSeq)
  const task = toldText(given?.content ?? '', language)
  return {
    task,
    said: owner === null ? saidSince(context) : [],
    earlier: owner === null ? earlierAnswers(context) : [],
    done: withinRoom(doneTasks(context, owner), task, roomForResults(spec)),
    instructions: [ownPrompt(context, worker, purpose, task), engine.config.instructions, record.config.instructions]
      .filter(Boolean)
      .join('\n\n'),
    // A planner reads of it in the list of workers.
    extra: purpose === 'direct' || purpose === 'summary' ? missingToolsPart(worker, engine) : [],
    language,
    languageTag: languageTagOf(engine, record.config),
    time: promptTime(journal.now(), timezoneOf(engine, record.config)),
  }
}

/** What the session's skill says, or who the role is. These requests have no other place for it. A planner is not told how the team
 *  works, since the team reads nothing of what it writes. */
function ownPrompt(context: MoveContext, worker: Worker, purpose: CallPurpose, task: string): string | null {
  const { scope: owner, role, language } = worker
  if (owner === null) return context.journal.record.skill ? roleOf(context, worker, task) : null
  const plans = purpose === 'plan' || purpose === 'repair'
  const isMember = role !== null && 'member' in role
  return plans && isMember ? memberText(role.member, language) : roleOf(context, worker, task)
}

/** Who plans: whose plan it is, and who can do parts of it. */
interface Planning {
  workers: readonly PlanWorker[]
  owner: string | null
}

export function plannerBrief(brief: PlanBrief, { workers, owner }: Planning, { journal }: MoveContext): PlannerBrief {
  const { run } = journal.state
  const plan = run && planOf(run, owner)
  const decision = plan && plan.decisionSeq > 0 ? journal.log.events(plan.decisionSeq - 1, 1)[0] : undefined
  if (decision?.type !== 'pending-end' || decision.decision === 'approve') return { ...brief, workers, refused: null }
  const { feedback = null } = decision
  return { ...brief, workers, refused: { feedback, expired: decision.decision === 'expired' } }
}

function doneTasks(context: MoveContext, owner: string | null): PlanTask[] {
  const { run } = context.journal.state
  const tasks = (run && planOf(run, owner)?.tasks) ?? []
  return tasks.filter(isSettled).map((task) => taskData(task, context))
}

/** Results whole where all fit; else each has its share, of which the parts are kept that speak of the task. */
export function withinRoom(tasks: PlanTask[], task: string, roomTokens: number): PlanTask[] {
  const total = tasks.reduce((sum, { result }) => sum + estimateTokens(result ?? ''), 0)
  if (total <= roomTokens) return tasks
  const share = roomTokens / tasks.length
  return tasks.map((one) => {
    const { result } = one
    if (result === null || estimateTokens(result) <= share) return one
    const charsMax = Math.floor((result.length * share) / estimateTokens(result))
    return { ...one, result: relevantPart(result, `${task}\n${one.description}`, charsMax) }
  })
}

/** What the user said while the run went on, oldest first; bounded. */
function saidSince({ journal: { log, state } }: MoveContext): string[] {
  const { run, taskSeq } = state
  if (!run || branchOf(run, null).steers === undefined) return []
  const messages = log.messages({
    scope: null,
    after: taskSeq,
    limit: LIMITS.model.messagesPerCallMax,
    newestFirst: true,
  })
  return messages
    .filter(({ kind }) => kind === 'steer')
    .slice(0, LIMITS.run.steersMax)
    .toReversed()
    .map(({ content }) => contentText(content, null))
}

/** Earlier tasks of the session and what was answered, oldest first; bounded. */
function earlierAnswers({ journal: { log, state } }: MoveContext): PlanBrief['earlier'] {
  const { earlierMessagesMax, earlierAnswersMax } = LIMITS.plan
  const messages = log.messages({ scope: null, before: state.taskSeq, limit: earlierMessagesMax, newestFirst: true })
  const answers = new Map<string, Message>()
  for (const message of messages) {
    if (message.role === 'assistant' && message.run_id && !answers.has(message.run_id))
      answers.set(message.run_id, message)
  }
  return messages
    .filter(({ kind }) => kind === 'task')
    .slice(0, earlierAnswersMax)
    .toReversed()
    .map(({ content, run_id: run }) => ({
      question: cut(contentText(content, null)),
      answer: cut(answered(answers.get(run ?? ''))),
    }))
}

/** What a run said at its end; a plan is no answer: its run did not come to one. */
function answered(message: Message | undefined): string {
  const finish = message?.tool_calls?.find((call) => toolIdOf(call) === 'finish')?.arguments['reason']
  const text = typeof finish === 'string' ? finish : afterThoughts(contentText(message?.content ?? '', null))
  return planIn(text) === null ? text : ''
}

function cut(text: string): string {
  const max = LIMITS.plan.earlierCharsMax
  return text.length > max ? `${text.slice(0, max).toWellFormed()}…` : text
}
