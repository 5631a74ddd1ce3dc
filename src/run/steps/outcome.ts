import { findTextCalls } from '../../agent/text-calls.ts'
import { contentText } from '../../domain/content.ts'
import { planOf, teamIn } from '../../domain/lineage.ts'
import { textOf } from '../../lib/text.ts'
import { fitAnswer } from '../../skills/output-schema.ts'
import { finish } from '../../tools/control.ts'
import { assignmentOf } from '../../engine/worker/assignment.ts'
import { languageFor } from '../../engine/engine.ts'
import { failureMessage } from '../../engine/failures/failure-text.ts'
import { branchOf } from '../../log/branches.ts'
import type { MoveContext } from '../../engine/job.ts'
import { lastAnswer, planResult } from './plan-result.ts'
import { outputIn } from './reply.ts'
import { finishReason } from '../../engine/open-call.ts'
import { USER } from '../../domain/team.ts'
import { messagesAt } from './team-news.ts'

/** What a branch leaves: its output or null, and what is wrong with that. */
interface WorkOutcome {
  result: string | null
  misfits: string | null
}

/** The output at the end of a branch. `code`: why the run failed; null for a good end. */
export function outcomeOf(context: MoveContext, scope: string | null, code: string | null): WorkOutcome {
  const { engine, journal } = context
  const { run } = journal.state
  if (run && planOf(run, scope)) return { result: planOutput(context, scope, code), misfits: null }
  const isTeams = scope === null ? run?.orchestrator === 'team' : teamIn(journal.state, scope) !== undefined
  if (isTeams) return { result: teamResult(context, scope), misfits: null }
  const text = outputOf(context, scope, code)
  const { outputSchema } = assignmentOf({ engine, record: journal.record, run }, scope)
  if (text === null || outputSchema === null) return { result: text, misfits: null }
  const fitted = fitAnswer(text, outputSchema)
  if (fitted.ok) return { result: fitted.json, misfits: null }
  const words = failureMessage(languageFor(engine, journal.record), 'output_invalid')
  return { result: text, misfits: `${words} ${fitted.errors.join('; ')}` }
}

/** The answer of a plan; what there is of results, where its run ended before one was written. */
function planOutput(context: MoveContext, owner: string | null, code: string | null): string | null {
  return code === null || code === 'max_plan_rounds' ? lastAnswer(context, owner) : planResult(context)
}

/** What `finish` was called with, else the last reply where that is the output. */
function outputOf(context: MoveContext, scope: string | null, code: string | null): string | null {
  const { run } = context.journal.state
  const finishedBy = run ? branchOf(run, scope).finishedBy : null
  if (finishedBy !== null) return finishReason(context, scope, finishedBy)
  return code === null || code === 'output_invalid' ? lastReply(context, scope, code) : null
}

function lastReply(context: MoveContext, scope: string | null, code: string | null): string | null {
  const { log } = context.journal
  const reply = log.messages({ scope, limit: REPLY_NEAR, newestFirst: true }).find(({ role }) => role === 'assistant')
  const finished = reply?.tool_calls?.find(({ name }) => name === 'finish')
  if (finished) return finishReason(context, scope, finished.id)
  if (!reply) return null
  const said = contentText(reply.content, null)
  return (code === null ? null : refusedIn(said)) ?? outputIn(said)
}

/** What `finish` said in tags that were not taken for a call; null: there are none. */
function refusedIn(content: string): string | null {
  const [call] = findTextCalls(content, [finish]).calls
  return call ? textOf(call.arguments['reason']) : null
}

/** The last reply is among so many of the newest messages: its results and warnings follow it. */
const REPLY_NEAR = 200

/** What a team has to show: what its roles said in this run, or at this sub-task (`owner`), that nobody heard, and what is not acted upon yet; null: nothing. */
function teamResult({ journal }: MoveContext, owner: string | null): string | null {
  const team = teamIn(journal.state, owner)
  if (!team) return null
  const news = team.roles.flatMap(({ news: waiting, heard }) => [...heard, ...waiting])
  const seqs = [...new Set([...team.unheard, ...news])].toSorted((a, b) => a - b)
  const messages = messagesAt(journal, seqs).filter(({ sent_from: from }) => from !== USER)
  return messages.length === 0 ? null : messages.map(({ content }) => content).join('\n\n')
}
