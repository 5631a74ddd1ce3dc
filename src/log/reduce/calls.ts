import { spendCount } from '../../budget/spending.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { Pending } from '../../domain/pending.ts'
import type { OpenCall } from '../../domain/state.ts'
import { textsWithin, hostsIn } from '../../lib/addresses.ts'
import { callSignature } from '../../lib/hash.ts'
import { nameHosts } from './messages.ts'
import { type EventOf, type Handlers, draftCall, spentAt, draftRun, draftBranch } from './reducer.ts'

/** What tool calls and decisions on them change. */
export const CALL_HANDLERS: Handlers<'tool-hook' | 'tool-start' | 'tool-end' | 'pending' | 'pending-end'> = {
  'tool-start': (draft, event) => {
    const run = draftRun(draft)
    const call = draftCall(draftBranch(run, event.scope), event.call_id)
    if (call) Object.assign(call, { status: 'started', attempt: event.attempt })
    if (!run.toolsUsed.includes(event.tool)) run.toolsUsed.push(event.tool)
    if (event.attempt === 1) draftBranch(run, event.scope).toolCalls++
  },
  'tool-end': (draft, event) => {
    const run = draftRun(draft)
    run.usage.tool_calls++
    draft.usage.tool_calls++
    const scope = draftBranch(run, event.scope)
    draft.spending = spendCount(draft.spending, spentAt(run, event, scope.answeredBy), 'tool_calls')
    const call = draftCall(scope, event.call_id)
    if (event.ok && call?.tool === 'finish') scope.finishedBy ??= event.call_id
    scope.turn.push(`${call?.signature}:${event.digest}`)
    if (event.found_tools) draft.foundTools = withFound(draft.foundTools ?? [], event.found_tools)
  },
  'tool-hook': (draft, event) => {
    if (event.phase !== 'before') return
    const call = draftCall(draftBranch(draftRun(draft), event.scope), event.call_id)
    if (!call) return
    call.hooks = [...(call.hooks ?? []), event.hook]
    call.edited = event.arguments ?? call.edited
  },
  pending: (draft, event) => {
    draft.pending.push(event.pending)
    const scope = draftBranch(draftRun(draft), event.scope)
    const call = draftCall(scope, event.pending.call_id)
    if (call) call.status = 'asked'
  },
  'pending-end': (draft, event) => {
    const item = draft.pending.find((pending) => pending.id === event.id)
    draft.pending = draft.pending.filter((pending) => pending.id !== event.id)
    const call = item && draftCall(draftBranch(draftRun(draft), event.scope), item.call_id)
    if (item && call) decideCall(call, item, event)
    nameHosts(draft, [event.answer, event.feedback, editedWords(item, event)].join('\n'))
  },
}

/** What was found last stays longest. */
function withFound(known: readonly string[], found: readonly string[]): string[] {
  return [...known.filter((id) => !found.includes(id)), ...found].slice(-LIMITS.mcp.foundKeptMax)
}

/** Texts of the arguments that the human wrote anew: what a model wrote and the human left is not the human's. */
function editedWords(item: Pending | undefined, { arguments: edited }: EventOf<'pending-end'>): string {
  const left = new Set(textsWithin(item?.arguments, LIMITS.http.jsonDepthMax))
  const hosts = new Set(hostsIn([...left].join('\n')))
  const written = textsWithin(edited, LIMITS.http.jsonDepthMax).filter((text) => !left.has(text))
  return hostsIn(written.join('\n'))
    .filter((host) => !hosts.has(host))
    .join('\n')
}

function decideCall(call: OpenCall, item: Pending, event: EventOf<'pending-end'>): void {
  const status = {
    approve: 'approved',
    reject: 'refused',
    answer: 'answered',
    expired: 'refused',
    cancelled: 'refused',
  } as const
  const declined = declinedBy(item, event)
  call.status = declined ? 'answered' : status[event.decision]
  if (declined) call.declined = declined
  else delete call.declined
  call.expired = event.decision === 'expired'
  if (event.result !== undefined || (item.type === 'tool_call' && event.decision === 'answer')) {
    const ms = Date.parse(event.time) - Date.parse(item.created_time)
    call.result = { seq: event.seq, ms: Math.max(0, ms) }
    return
  }
  call.feedback = event.answer ?? event.feedback ?? null
  call.edited = event.arguments ?? call.edited
  call.approval = approvalOf(call, item, event) ?? call.approval
}

/** How a call goes on that asked in the middle of itself and got no answer: whom it asked for hears of that. Null: it does not. */
function declinedBy({ type, tool }: Pending, { decision }: EventOf<'pending-end'>): OpenCall['declined'] | null {
  if (type !== 'question' || tool === undefined || tool === 'ask') return null
  return decision === 'reject' ? 'decline' : decision === 'expired' ? 'cancel' : null
}

/** Whoever is known to have approved the call, or answered what it asked, let it run as it was shown, or as they changed it. */
function approvalOf(
  { tool, edited, signature }: OpenCall,
  { arguments: shown }: Pending,
  { by, decision }: EventOf<'pending-end'>,
): OpenCall['approval'] {
  if (!by || (decision !== 'approve' && decision !== 'answer')) return null
  const args = edited ?? shown
  return { by, signature: args ? callSignature(tool, args) : signature }
}
