import { planIn } from './parse.ts'
import type { PlanBrief, PlannerBrief } from './requests.ts'
import { memberText } from '../../agent/team-texts.ts'
import { promptTime } from '../../agent/prompt-parts.ts'
import { contentText, toldText } from '../../domain/content.ts'
import { isSettled, planOf } from './state.ts'
import type { Language } from '../../domain/language.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { ModelRequest, ModelSpec } from '../../domain/model.ts'
import type { CallPurpose, PlanTask, PlanWorker } from '../../domain/plan.ts'
import { estimateTokens } from '../../lib/text.ts'
import { relevantPart } from '../../relevance/choose.ts'
import type { Worker } from '../../engine/worker/worker.ts'
import type { MoveContext } from '../../engine/engine.ts'
import { languageTagOf, timezoneOf } from '../../engine/settings.ts'
import { taskData } from './view.ts'
import { seqsOf } from '../../log/branches.ts'
import { at, orderedIn } from '../../log/window.ts'
import { missingToolsPart } from '../../engine/prompt/prompt.ts'
import { type EarlierAnswer, earlierAnswers } from '../../engine/prompt/earlier.ts'
import { partsWithin } from '../../memory/prompt.ts'
import { estimateRequest } from '../../models/estimate.ts'
import { userParts } from '../../engine/prompt/user.ts'
import { roleOf } from '../../engine/prompt/role.ts'

type Window = Pick<ModelSpec, 'contextTokens' | 'maxTokens'>

/** The request that tells as much as the window holds beside the reply; `make`: gives the one that tells this share of what may be left out. */
export function fitted(spec: Window, make: (share: number) => ModelRequest): ModelRequest {
  const [all, ...less] = LIMITS.plan.toldShares
  let request = make(all)
  for (const share of less) {
    if (estimateRequest(request) + spec.maxTokens <= spec.contextTokens) break
    request = make(share)
  }
  return request
}

/** Tokens that results of sub-tasks may take in one request. */
export function roomForResults({ contextTokens, maxTokens }: Window): number {
  return Math.floor((contextTokens - maxTokens) * LIMITS.plan.resultsShare)
}

/** What is asked, and how much is told of what may be left out. */
interface Asking {
  purpose: CallPurpose
  share: number
}

/** What the planner, or who answers in its place, is told. */
export function planBrief(context: MoveContext, spec: Window, worker: Worker, { purpose, share }: Asking): PlanBrief {
  const { engine, journal } = context
  const { scope: owner, language } = worker
  const { record, log, state } = journal
  const [given] = at(log, seqsOf(state, owner).taskSeq)
  const task = toldText(given?.content ?? '', language)
  const room = Math.floor(roomForResults(spec) * share)
  const told = userParts(context, worker, owner === null ? 'all' : 'preferences')
  return {
    task,
    said: owner === null ? newestSaid(saidSince(context, language, room), share) : [],
    earlier: owner === null ? earlierAnswers(context).map((one) => shortened(one, share)) : [],
    done: withinRoom(newestTasks(doneTasks(context, owner), share), task, room),
    instructions: [ownPrompt(context, worker, purpose, task), engine.config.instructions, record.config.instructions]
      .filter(Boolean)
      .join('\n\n'),
    extra: [
      // A planner reads of it in the list of workers.
      ...(purpose === 'direct' || purpose === 'summary' ? missingToolsPart(worker, engine) : []),
      ...(share === 1 ? told : partsWithin(told, room)),
    ],
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

/** All, or the newest with less of their words. */
function newestTasks(tasks: PlanTask[], share: number): PlanTask[] {
  if (share === 1) return tasks
  const { toldTasks, toldTasksMin } = LIMITS.plan
  return tasks.slice(-Math.max(toldTasksMin, Math.floor(toldTasks * share))).map((task) => ({
    ...task,
    description: cut(task.description, charsFor(share)),
    error: task.error === null ? null : cut(task.error, charsFor(share)),
  }))
}

function newestSaid(said: string[], share: number): string[] {
  if (share === 1) return said
  const { toldTasks, toldTasksMin } = LIMITS.plan
  return said.slice(-Math.max(toldTasksMin, Math.floor(toldTasks * share))).map((text) => cut(text, charsFor(share)))
}

function charsFor(share: number): number {
  const { toldChars, toldCharsMin } = LIMITS.plan
  return Math.max(toldCharsMin, Math.floor(toldChars * share))
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

/** What the user said while the run went on, oldest first; bounded. What was read of files is told as long as there is room for all of it. */
function saidSince({ journal }: MoveContext, language: Language, roomTokens: number): string[] {
  const said = orderedIn(journal, null).filter(({ kind }) => kind === 'steer')
  const whole = said.map(({ content }) => toldText(content, language))
  const isWhole = whole.reduce((sum, text) => sum + estimateTokens(text), 0) <= roomTokens
  return isWhole ? whole : said.map(({ content }) => contentText(content, language))
}

/** A plan is no answer: its run did not come to one. */
function shortened({ question, answer }: EarlierAnswer, share: number): EarlierAnswer {
  const max = Math.floor(LIMITS.plan.earlierCharsMax * share)
  return { question: cut(question, max), answer: planIn(answer) === null ? cut(answer, max) : '' }
}

/** Of a faulty answer that is quoted, as much as there is room for. */
export function quotedAnswer(text: string, share: number): string {
  return share === 1 ? text : cut(text, charsFor(share))
}

function cut(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max).toWellFormed()}…` : text
}
