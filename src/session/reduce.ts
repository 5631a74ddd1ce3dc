import { addReservations } from '../budget/reserve.ts'
import { addModelCall } from '../budget/usage.ts'
import type { EventType, SessionEvent } from '../domain/event.ts'
import { LIMITS } from '../domain/limits.ts'
import type { Message, ToolCall } from '../domain/message.ts'
import type { ModelFailure } from '../domain/model.ts'
import { MAIN, newScope, type OpenCall, type RunState, type ScopeState, type SessionState } from '../domain/state.ts'
import { NO_USAGE } from '../domain/usage.ts'
import { copyPlain } from '../lib/copy-plain.ts'
import { canonicalJson } from '../lib/canonical-json.ts'
import { fingerprint } from '../lib/fingerprint.ts'
import { tokensOf } from './window.ts'

type EventOf<T extends EventType> = Extract<SessionEvent, { type: T }>
type Handlers = { [T in EventType]: (draft: SessionState, event: EventOf<T>) => void }

/** The state after these events. Pure: `state` is left as it was. */
export function reduce(state: SessionState, events: readonly SessionEvent[]): SessionState {
  const draft = copyPlain(state)
  for (const event of events) apply(draft, event)
  return draft
}

function apply<T extends EventType>(draft: SessionState, event: EventOf<T>): void {
  HANDLERS[event.type](draft, event)
  draft.lastSeq = event.seq
  draft.updatedTime = Date.parse(event.time)
}

const HANDLERS: Handlers = {
  'run-start': (draft, event) => {
    const earlier = event.resumed ? draft.run : null
    draft.run = earlier ?? newRun(event)
    draft.queue = draft.queue.filter(({ runId }) => runId !== event.run_id)
    activate(draft, draft.run, event)
    if (earlier) forgetFailures(earlier)
  },
  'run-resume': (draft, event) => {
    if (draft.run) activate(draft, draft.run, event)
  },
  'run-pause': (draft, event) => rest(draft, event),
  'run-end': (draft, event) => {
    rest(draft, event)
    if (draft.run) Object.assign(draft.run, { endSeq: event.seq, error: event.error })
  },
  'iteration-start': (draft, event) => {
    const run = runOf(draft)
    run.iterations = event.iteration
    run.batchIterations++
    run.usage.iterations++
    draft.usage.iterations++
    scopeOf(run, event.scope).iterationOpen = true
  },
  'iteration-end': (draft, event) => {
    scopeOf(runOf(draft), event.scope).iterationOpen = false
  },
  'model-start': (draft, event) => {
    const run = runOf(draft)
    const scope = scopeOf(run, event.scope)
    if (scope.model) hold(run, scope)
    scope.model = {
      messageId: event.message_id,
      alias: event.model,
      attempt: event.attempt,
      reserved: { tokens: event.reserved_tokens, cost: event.reserved_cost },
    }
  },
  'model-end': (draft, event) => {
    const run = runOf(draft)
    const scope = scopeOf(run, event.scope)
    if (event.ok) settle(draft, run, scope, event)
    else failModel(run, scope, event.failure)
    scope.model = null
  },
  message: (draft, event) => {
    MESSAGE_HANDLERS[event.message.role](draft, event.message)
    if (event.scope === null) widen(draft, event)
    if (event.counts_as_error && draft.run) draft.run.errorsInARow++
    if (!draft.run) return
    const { id, role, kind } = event.message
    const scope = scopeOf(draft.run, event.scope)
    scope.last = { messageId: id, role, kind }
    if (event.tells_of_circles) scope.toldOfCircles = true
  },
  'tool-start': (draft, event) => {
    const call = callOf(scopeOf(runOf(draft), event.scope), event.call_id)
    if (call) Object.assign(call, { status: 'started', attempt: event.attempt })
  },
  'tool-end': (draft, event) => {
    const run = runOf(draft)
    run.usage.tool_calls++
    draft.usage.tool_calls++
    const scope = scopeOf(run, event.scope)
    const call = callOf(scope, event.call_id)
    if (event.ok && call?.tool === 'finish') scope.finishedBy = event.call_id
    scope.turn.push(`${call?.signature}:${event.digest}`)
  },
  pending: (draft, event) => {
    draft.pending.push(event.pending)
    const call = callOf(scopeOf(runOf(draft), event.scope), event.pending.call_id)
    if (call) call.status = 'asked'
  },
  'pending-end': (draft, event) => {
    const item = draft.pending.find((pending) => pending.id === event.id)
    draft.pending = draft.pending.filter((pending) => pending.id !== event.id)
    const call = item && callOf(scopeOf(runOf(draft), event.scope), item.call_id)
    if (call) decideCall(call, event)
  },
  usage: () => {},
  error: () => {},
  'session-update': () => {},
  'message-queued': (draft, event) => {
    draft.queue.push({ seq: event.seq, runId: event.queued_run_id, mode: event.mode })
  },
}

const MESSAGE_HANDLERS: Record<Message['role'], (draft: SessionState, message: Message) => void> = {
  user: (draft, message) => {
    draft.lastUserSeq = message.seq
    if (message.kind === 'task') draft.taskSeq = message.seq
  },
  system: (draft, message) => {
    if (message.kind === 'prompt') draft.promptSeq = message.seq
    if (message.kind !== 'warning' || !draft.run) return
    Object.assign(scopeOf(draft.run, message.scope), { problem: null, droppedCalls: 0 })
  },
  assistant: (draft, message) => {
    if (draft.run) scopeOf(draft.run, message.scope).calls = (message.tool_calls ?? []).map(openCall)
  },
  tool: (draft, message) => {
    draft.hasCutResult ||= message.truncated !== undefined
    if (!draft.run) return
    const scope = scopeOf(draft.run, message.scope)
    scope.calls = scope.calls.filter((call) => call.id !== message.tool_call_id)
    if (scope.calls.length === 0) endTurn(scope)
  },
}

/** Count what a message adds to the window; a summary takes the place of what it covers. */
function widen(draft: SessionState, { message, covers }: EventOf<'message'>): void {
  const before = covers ? covers.kept_tokens : draft.window.tokens
  if (covers) Object.assign(draft.window, { coveredSeq: covers.seq, summarySeq: message.seq })
  if (covers && draft.run) Object.assign(draft.run, { overflowed: false, failure: null })
  draft.window.tokens = before + tokensOf(message)
}

function newRun(event: EventOf<'run-start'>): RunState {
  return {
    id: event.run_id ?? '',
    orchestrator: event.orchestrator,
    phase: 'active',
    mode: event.mode,
    status: 'in_progress',
    finishReason: null,
    firstSeq: event.seq,
    iterations: 0,
    batchIterations: 0,
    errorsInARow: 0,
    activeMs: 0,
    activeSince: null,
    failure: null,
    overflowed: false,
    usage: { ...NO_USAGE },
    held: { tokens: 0, cost: null },
    endSeq: 0,
    error: null,
    protocol: null,
    scopes: { [MAIN]: newScope() },
  }
}

function openCall({ id, name, arguments: args }: ToolCall): OpenCall {
  const signature = fingerprint(canonicalJson([name, args]))
  return {
    id,
    tool: name,
    status: 'open',
    attempt: 0,
    problem: null,
    feedback: null,
    edited: null,
    expired: false,
    signature,
  }
}

/** All calls of a reply have their results: one turn more that may be like an earlier one. */
function endTurn(scope: ScopeState): void {
  if (scope.turn.length === 0) return
  const turn = fingerprint(scope.turn.toSorted().join())
  if (!scope.trail.slice(-LIMITS.run.cycleTurnsMax).includes(turn)) scope.toldOfCircles = false
  scope.trail = [...scope.trail, turn].slice(-LIMITS.run.trailTurnsMax)
  scope.turn = []
}

function activate(draft: SessionState, run: RunState, event: EventOf<'run-start'> | EventOf<'run-resume'>): void {
  const since = run.activeSince ?? Date.parse(event.time)
  Object.assign(run, {
    phase: 'active',
    mode: event.mode,
    status: 'in_progress',
    finishReason: null,
    batchIterations: 0,
    activeSince: since,
  })
  Object.assign(draft, { status: 'in_progress', finishReason: null })
}

function forgetFailures(run: RunState): void {
  Object.assign(run, { failure: null, overflowed: false, error: null, endSeq: 0, errorsInARow: 0 })
  for (const scope of Object.values(run.scopes))
    Object.assign(scope, { model: null, trail: [], turn: [], toldOfCircles: false })
}

function rest(draft: SessionState, event: EventOf<'run-pause'> | EventOf<'run-end'>): void {
  draft.status = event.status
  draft.finishReason = event.finish_reason
  const run = draft.run
  if (!run) return
  const lately = run.activeSince === null ? 0 : Date.parse(event.time) - run.activeSince
  Object.assign(run, {
    phase: 'resting',
    status: event.status,
    finishReason: event.finish_reason,
    activeMs: run.activeMs + lately,
    activeSince: null,
  })
}

function settle(
  draft: SessionState,
  run: RunState,
  scope: ScopeState,
  event: EventOf<'model-end'> & { ok: true },
): void {
  run.usage = addModelCall(run.usage, event.spent, event.cost, event.model)
  draft.usage = addModelCall(draft.usage, event.spent, event.cost, event.model)
  run.protocol = event.protocol
  Object.assign(scope, { problem: event.problem, droppedCalls: event.dropped_calls })
  for (const call of scope.calls) call.problem = event.call_problems[call.id] ?? null
  if (scope.calls.some((call) => call.problem === null)) run.errorsInARow = 0
}

/** Failures after which the provider may have spent tokens that it never told of. */
const SPENT_UNTOLD: ReadonlySet<ModelFailure['code']> = new Set([
  'model_timeout',
  'model_cancelled',
  'model_bad_answer',
  'model_unreachable',
])

function failModel(run: RunState, scope: ScopeState, failure: ModelFailure): void {
  run.overflowed = failure.code === 'model_overflow' && !run.overflowed && scope.last?.kind !== 'summary'
  run.failure = failure
  if (SPENT_UNTOLD.has(failure.code)) hold(run, scope)
}

function hold(run: RunState, scope: ScopeState): void {
  if (scope.model) run.held = addReservations(run.held, scope.model.reserved)
}

function decideCall(call: OpenCall, event: EventOf<'pending-end'>): void {
  const status = {
    approve: 'approved',
    reject: 'refused',
    answer: 'answered',
    expired: 'refused',
    cancelled: 'refused',
  } as const
  call.status = status[event.decision]
  call.expired = event.decision === 'expired'
  call.feedback = event.answer ?? event.feedback ?? null
  call.edited = event.arguments ?? null
}

function runOf(draft: SessionState): RunState {
  if (!draft.run) throw new Error('an event of a run came before its run-start')
  return draft.run
}

function scopeOf(run: RunState, scope: string | null): ScopeState {
  return (run.scopes[scope ?? MAIN] ??= newScope())
}

function callOf(scope: ScopeState, callId: string | undefined): OpenCall | undefined {
  return scope.calls.find((call) => call.id === callId)
}
