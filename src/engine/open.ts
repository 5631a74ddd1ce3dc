import { type Content, contentText } from '../domain/content.ts'
import type { ToolCall } from '../domain/message.ts'
import type { OpenCall } from '../domain/state.ts'
import { branchOf, seqsOf } from '../log/branches.ts'
import { eventsBehind } from '../log/read-pages.ts'
import { at } from '../log/window.ts'
import type { MoveContext } from './engine.ts'
import { limitsOf } from './settings.ts'
import { LIMITS } from '../domain/limits.ts'
import { textOf } from '../lib/text.ts'
import type { NewEvent } from '../domain/event.ts'
import type { Pending } from '../domain/pending.ts'
import { newId } from '../lib/id.ts'

/** A call of the last reply that has no result yet. */
export function openCallOf({ journal }: MoveContext, scope: string | null, callId: string): OpenCall | undefined {
  const run = journal.state.run
  return run ? branchOf(run, scope).calls.find((call) => call.id === callId) : undefined
}

/** The arguments to run with: the human's where they were edited, else those of the reply that made the call. */
export function argumentsOf(context: MoveContext, scope: string | null, open: OpenCall): Record<string, unknown> {
  return open.edited ?? storedCall(context, scope, open.id)?.arguments ?? {}
}

/** What a human gave in place of the arguments that they were shown; null: the call was let run as it stood. */
export function editedArguments({ journal }: MoveContext, open: OpenCall): Record<string, unknown> | null {
  if (!open.edited || !open.approval) return null
  const from = journal.runStart?.seq ?? 0
  const asked = new Set<string>()
  let edited: Record<string, unknown> | null = null
  for (const event of eventsBehind(journal, from, ['pending', 'pending-end'])) {
    if (event.type === 'pending' && event.pending.call_id === open.id) asked.add(event.pending.id)
    if (event.type === 'pending-end' && asked.has(event.id)) edited = event.arguments ?? edited
  }
  return edited
}

/** A call is looked for in so many of the newest messages before it is in more. */
const CALL_NEAR = 4

/** A call as the last replies wrote it. */
function storedCall({ journal }: MoveContext, scope: string | null, callId: string): ToolCall | undefined {
  for (const limit of [CALL_NEAR, LIMITS.model.callsPerReplyMax * 2]) {
    const recent = journal.log.messages({ scope, limit, newestFirst: true })
    const found = recent.flatMap((message) => message.tool_calls ?? []).find((call) => call.id === callId)
    if (found) return found
  }
  return undefined
}

/** The reason that `finish` was called with: the result of a branch. */
export function finishReason(context: MoveContext, scope: string | null, callId: string): string {
  return textOf(storedCall(context, scope, callId)?.arguments['reason'])
}

/** Where the whole text of a result that was cut is kept. */
export function resultKey(callId: string): string {
  return `result:${callId}`
}

/** The words of the user that started the run, or those by which a branch was given its work. */
export function runTask(context: MoveContext, scope: string | null = null): string {
  return contentText(taskContent(context, scope), null)
}

/** The same with what it brought along. */
export function taskContent({ journal: { log, state } }: MoveContext, scope: string | null): Content {
  return at(log, seqsOf(state, scope).taskSeq)[0]?.content ?? ''
}

export type NewPending = Omit<Pending, 'id' | 'created_time' | 'expires_time'>

/** Something that waits for a human, from now until its time (Unix ms) is over. Every pending item is made here. */
export function pendingItem(item: NewPending, { journal, engine }: MoveContext, until?: number): NewEvent {
  const now = journal.now()
  const end = until ?? now + limitsOf(engine, journal.record).approval_ttl_ms
  const pending: Pending = {
    ...item,
    id: newId('pnd', now),
    created_time: new Date(now).toISOString(),
    expires_time: new Date(end).toISOString(),
  }
  return { type: 'pending', pending, scope: item.scope }
}
