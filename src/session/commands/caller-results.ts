import { type AppError, invalid } from '../../domain/errors.ts'
import { isCallAnswer, pendingInput } from '../../domain/session-input.ts'
import type { MoveContext } from '../../engine/engine.ts'
import { isObject } from '../../lib/json.ts'
import { issuesOf } from '../../lib/zod.ts'
import { branchOf } from '../../log/branches.ts'
import { handOutEvents } from '../../run/steps/pending.ts'
import { isExpired, isProven, provenItems, type Prover } from './proof.ts'
import { resultEvent } from './decide.ts'
import { endOf } from './run.ts'

/** Take the results that come back with pending items of calls which the caller made. An item counts where this server gave it out to this
 *  tenant for the very call; of any other the call is handed out again. One whose time is over ends the call without a result. Null: they are taken;
 *  else what is wrong with one. */
export async function takeResults(
  context: MoveContext,
  pending: readonly unknown[],
  prover: Prover,
): Promise<AppError | null> {
  const { journal } = context
  const issues = pending.flatMap((item, index) => (isAnswered(item) ? issuesIn(item, index) : []))
  if (issues.length > 0) return invalid(issues).error
  const now = journal.now()
  const given = await provenItems(pending.filter(isOfCall), prover)
  const proven = given.filter((item) => isAnswered(item) || isExpired(item, now))
  const { run } = journal.state
  for (const call of proven.length > 0 && run ? branchOf(run, null).calls : []) {
    if (call.client === undefined || call.problem !== null) continue
    const events = await handOutEvents({ type: 'hand-out', scope: null, callId: call.id }, context)
    const item = events.flatMap((event) => (event.type === 'pending' ? [event.pending] : []))[0]
    const found = item && proven.find((one) => isProven(item, [one], true))
    const said = found && pendingInput.safeParse(saidIn(found)).data
    if (item && found && isExpired(found, now)) journal.append([...events, endOf(item, 'expired', {})])
    else if (item && said && isCallAnswer(said)) journal.append([...events, resultEvent(item, said)])
  }
  return null
}

function isOfCall(item: unknown): item is Record<string, unknown> {
  return isObject(item) && item['type'] === 'tool_call'
}

/** Whether an item comes back with a result. */
function isAnswered(item: unknown): item is Record<string, unknown> {
  return isOfCall(item) && Object.keys(saidIn(item)).length > 0
}

function saidIn(item: object): { result?: unknown; error?: unknown } {
  return { ...('result' in item ? { result: item.result } : {}), ...('error' in item ? { error: item.error } : {}) }
}

function issuesIn(item: Record<string, unknown>, index: number) {
  const read = pendingInput.safeParse(saidIn(item))
  return read.success ? [] : issuesOf(read.error, `pending.${index}`)
}
