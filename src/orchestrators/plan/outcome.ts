import { contentText } from '../../domain/content.ts'
import { afterThoughts } from '../../agent/thinking.ts'
import type { NewEvent } from '../../domain/event.ts'
import { type BranchOutcome, limitsOf, type MoveContext } from '../../engine/engine.ts'
import { isOutOfRounds, planOf } from './state.ts'
import { taskData } from './view.ts'

/** The answer of a plan; what there is of results, where its run ended before one was written. */
export function planOutcome(context: MoveContext, owner: string | null, code: string | null): BranchOutcome {
  const isAnswered = code === null || code === 'max_plan_rounds'
  const result = isAnswered ? lastAnswer(context, owner) : resultsOf(context)
  return { result, misfits: null, endedBy: null, notes: owner === null ? [] : outOfRounds(owner, context) }
}

/** What the planner, or who answers in its place, said last. `owner`: the role whose plan it is. */
export function lastAnswer({ journal: { log } }: MoveContext, owner: string | null): string {
  const newest = log.messages({ scope: owner, limit: ANSWER_NEAR, newestFirst: true })
  const said = newest.find(({ role, kind }) => role === 'assistant' || kind === 'summary')
  return afterThoughts(contentText(said?.content ?? '', null))
}

/** Behind the last answer there are no more messages of the same scope than approvals. */
const ANSWER_NEAR = 20

/** What the run's finished tasks gave. */
function resultsOf(context: MoveContext): string | null {
  const { run } = context.journal.state
  const tasks = (run && planOf(run, null)?.tasks) ?? []
  const results = tasks.flatMap((task) => (task.status === 'completed' ? [taskData(task, context)] : []))
  return results.length === 0 ? null : results.map(({ name, result }) => `## ${name}\n\n${result ?? ''}`).join('\n\n')
}

/** A role's plan that could not go on is no failure, but is said. */
function outOfRounds(scope: string, { journal, engine }: MoveContext): NewEvent[] {
  const { run } = journal.state
  const plan = run && planOf(run, scope)
  if (!plan || !isOutOfRounds(plan, limitsOf(engine, journal.record).max_plan_rounds)) return []
  const detail = 'The rounds of planning (max_plan_rounds) are used up; the output is written from what there is.'
  return [{ type: 'error', scope, code: 'max_plan_rounds', detail }]
}
