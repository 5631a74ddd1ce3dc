import type { NewEvent } from '../../domain/event.ts'
import type { Pending } from '../../domain/pending.ts'
import { canonicalJson, sha256Hex } from '../../lib/hash.ts'
import { textOf } from '../../lib/text.ts'
import type { MoveOf } from '../../engine/move.ts'
import { type NewPending, pendingItem, argumentsOf, openCallOf } from '../../engine/open.ts'
import type { OpenCall } from '../../domain/state.ts'
import { verdictOn } from '../../tools/permission.ts'
import { reasonFor } from '../provenance/taint.ts'
import { settingsFor } from '../../engine/worker/assignment.ts'
import type { MoveContext } from '../../engine/engine.ts'
import { languageFor, toolOf } from '../../engine/settings.ts'

/** A call of a tool that the caller has: begun, and handed out to be made there. */
export async function handOutEvents({ scope, callId }: MoveOf<'hand-out'>, context: MoveContext): Promise<NewEvent[]> {
  const open = openCallOf(context, scope, callId)
  if (!open) return []
  const args = argumentsOf(context, scope, open)
  const { id, client: tool = open.tool } = open
  const hash = await sha256Hex(canonicalJson(args))
  const bound = { call_id: id, tool, arguments: args, arguments_hash: hash, scope }
  return [
    { type: 'tool-start', scope, call_id: id, tool, arguments: args, attempt: open.attempt + 1, client: true },
    pendingItem({ ...bound, type: 'tool_call' }, context),
  ]
}

/** The pending item of a call: bound to its id and, for an approval, to exactly its arguments. */
export async function pendingEvent(move: MoveOf<'ask'>, context: MoveContext): Promise<NewEvent[]> {
  const { scope } = move
  const open = openCallOf(context, scope, move.callId)
  if (!open) return []
  const args = argumentsOf(context, scope, open)
  const item = { call_id: open.id, tool: open.client ?? open.tool, scope }
  const asked: NewPending =
    open.tool === 'ask'
      ? { ...item, type: 'question', ...questionOf(args) }
      : { ...item, type: 'approval', ...(await approvalOf(args, open, scope, context)) }
  return [pendingItem(asked, context)]
}

function questionOf(args: Record<string, unknown>): Pick<Pending, 'question' | 'options'> {
  const options = Array.isArray(args['options']) ? args['options'].map(textOf) : undefined
  return { question: textOf(args['question']), ...(options ? { options } : {}) }
}

async function approvalOf(
  args: Record<string, unknown>,
  open: OpenCall,
  scope: string | null,
  { engine, journal: { record, state } }: MoveContext,
): Promise<Partial<Pending>> {
  const bound = { arguments: args, arguments_hash: await sha256Hex(canonicalJson(args)) }
  const tool = toolOf(engine, open.tool)
  if (!tool) return bound
  const facts = { arguments: args, tainted: state.taint.length > 0, unseen: open.unseen }
  const { caution } = verdictOn(tool, settingsFor({ engine, record, state }, scope), facts)
  const reason = caution && { reason: reasonFor(caution, state.taint, languageFor(engine, record)) }
  return { ...bound, risk: tool.riskOf(args), ...reason }
}
