import { contentText } from '../../domain/content.ts'
import { findTextCalls } from '../../agent/text-calls.ts'
import { afterThoughts } from '../../agent/thinking.ts'
import { type BranchOutcome, languageFor, type MoveContext } from '../../engine/engine.ts'
import { failureMessage } from '../../engine/failures/failure-text.ts'
import { finishReason } from '../../engine/open-call.ts'
import { assignmentOf } from '../../engine/worker/assignment.ts'
import { textOf } from '../../lib/text.ts'
import { branchOf } from '../../log/branches.ts'
import { fitAnswer } from '../../skills/output-schema.ts'
import { finish } from '../../tools/control.ts'

/** What the model of a branch ended it with. */
export function agentOutcome(context: MoveContext, scope: string | null, code: string | null): BranchOutcome {
  const { engine, journal } = context
  const { record, state } = journal
  const endedBy = state.run && branchOf(state.run, scope).finishedBy !== null ? 'finish' : 'reply'
  const text = outputOf(context, scope, code)
  const { outputSchema } = assignmentOf({ engine, record, state }, scope)
  if (text === null || outputSchema === null) return { result: text, misfits: null, endedBy }
  const fitted = fitAnswer(text, outputSchema)
  if (fitted.ok) return { result: fitted.json, misfits: null, endedBy }
  const words = failureMessage(languageFor(engine, record), 'output_invalid')
  return { result: text, misfits: `${words} ${fitted.errors.join('; ')}`, endedBy }
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
  return (code === null ? null : refusedIn(said)) ?? afterThoughts(said)
}

/** What `finish` said in tags that were not taken for a call; null: there are none. */
function refusedIn(content: string): string | null {
  const [call] = findTextCalls(content, [finish]).calls
  return call ? textOf(call.arguments['reason']) : null
}

/** The last reply is among so many of the newest messages: its results and warnings follow it. */
const REPLY_NEAR = 200
