import { contentText } from '../../domain/content.ts'
import { planOf } from '../../domain/lineage.ts'
import { taskData } from './plan-data.ts'
import type { MoveContext } from '../../engine/job.ts'
import { outputIn } from './reply.ts'

/** What the planner, or who answers in its place, said last. `owner`: the role whose plan it is. */
export function lastAnswer({ journal: { log } }: MoveContext, owner: string | null): string {
  const newest = log.messages({ scope: owner, limit: ANSWER_NEAR, newestFirst: true })
  const said = newest.find(({ role, kind }) => role === 'assistant' || kind === 'summary')
  return outputIn(contentText(said?.content ?? '', null))
}

/** Behind the last answer there are no more messages of the same scope than approvals. */
const ANSWER_NEAR = 20

/** What a run that plans has to show at its end: the last answer, or the results of its finished tasks. */
export function planResult({ journal }: MoveContext): string | null {
  const { run } = journal.state
  const tasks = (run && planOf(run, null)?.tasks) ?? []
  const results = tasks.flatMap((task) => (task.status === 'completed' ? [taskData(task, journal)] : []))
  return results.length === 0 ? null : results.map(({ name, result }) => `## ${name}\n\n${result ?? ''}`).join('\n\n')
}
