import { earlierSpending, spendCount } from '../../budget/spending.ts'
import { type EventType, isBeyond, isKnownType, type Payer } from '../../domain/event.ts'
import { MAIN, newBranch, type RunState, type SessionState } from '../../domain/state.ts'
import { NO_USAGE } from '../../domain/usage.ts'
import { copyPlain } from '../../lib/json.ts'
import { CALL_HANDLERS } from './calls.ts'
import { MESSAGE_EVENT } from './messages.ts'
import { beginTurn, MODEL_HANDLERS } from './models.ts'
import {
  coreOf,
  holdCut,
  type EventOf,
  type Handlers,
  spentAt,
  type Reduce,
  type Reducer,
  draftRun,
  draftBranch,
} from './reducer.ts'

/** The reducer of a log whose runs go on by these parts. What a later release wrote, and this one does not know, is passed over. */
export function createReducer(parts: readonly Reducer[]): Reduce {
  const core = coreOf(parts)
  const apply = <T extends EventType>(draft: SessionState, event: EventOf<T>): void => {
    if (isBeyond(event)) draft.needsNewer = true
    if (!isKnownType(event.type)) return
    HANDLERS[event.type](draft, event, core)
    for (const { on } of parts) on?.[event.type]?.(draft, event, core)
  }
  return (state, events) => {
    const draft = copyPlain(state)
    for (const event of events) {
      apply(draft, event)
      draft.lastSeq = event.seq
      draft.updatedTime = Date.parse(event.time)
    }
    for (const part of parts) part.share?.(draft)
    return draft
  }
}

const HANDLERS: Handlers<EventType> = {
  'run-start': (draft, event, core) => {
    const earlier = event.resumed ? draft.run : null
    for (const [scope, { model }] of Object.entries(draft.run?.scopes ?? {}))
      core.charge(draft, scope || null, model?.reserved.cost ?? null, 'held')
    draft.run = earlier ?? newRun(event)
    if (!earlier && event.door) draft.run.hasDoor = true
    if (!earlier && draft.spending) draft.spending = earlierSpending(draft.spending) ?? []
    draft.queue = draft.queue.filter(({ runId }) => runId !== event.run_id)
    activate(draft, draft.run, event)
    payFrom(draft.run, event)
    if (earlier) forgetFailures(earlier)
  },
  'run-resume': (draft, event) => {
    if (draft.run) activate(draft, draft.run, event)
    if (draft.run) payFrom(draft.run, event)
  },
  'run-pause': (draft, event) => rest(draft, event),
  'run-end': (draft, event) => {
    rest(draft, event)
    if (draft.run) Object.assign(draft.run, ended(event))
  },
  'iteration-start': (draft, event) => {
    const run = draftRun(draft)
    run.iterations = event.iteration
    run.batchIterations++
    run.usage.iterations++
    draft.usage.iterations++
    draft.spending = spendCount(draft.spending, spentAt(run, event, event.model), 'iterations')
    const branch = draftBranch(run, event.scope)
    branch.iterationOpen = event.iteration
    beginTurn(branch)
  },
  'iteration-end': (draft, event) => {
    draftBranch(draftRun(draft), event.scope).iterationOpen = 0
  },
  ...MODEL_HANDLERS,
  ...MESSAGE_EVENT,
  ...CALL_HANDLERS,
  'call-refused': (draft, { scope, code, detail }) => {
    if (draft.run) draftBranch(draft.run, scope).refused = { code, ...(detail === undefined ? {} : { detail }) }
  },
  'client-tools': (draft, event) => {
    if (draft.run) draft.run.clientToolsSeq = event.seq
  },
  plan: () => {},
  'task-start': () => {},
  'task-end': () => {},
  'task-retry': () => {},
  route: () => {},
  'round-start': () => {},
  'round-end': () => {},
  'role-state': () => {},
  'team-message': () => {},
  'workflow-start': () => {},
  'step-start': () => {},
  'step-end': () => {},
  'step-retry': () => {},
  'step-redo': () => {},
  'step-due': () => {},
  'rollback-start': () => {},
  'rollback-end': () => {},
  'tools-wait': () => {},
  usage: () => {},
  error: () => {},
  file: (draft, event) => {
    if (event.action === 'write') draft.hasFiles = true
  },
  'tool-progress': () => {},
  'tool-log': () => {},
  feedback: () => {},
  'session-update': () => {},
  'message-queued': (draft, event) => {
    draft.queue.push({ seq: event.seq, runId: event.queued_run_id, mode: event.mode })
  },
}

type Ended = Pick<RunState, 'endSeq' | 'error' | 'endedBy' | 'loop'>

const NOT_ENDED: Ended = { endSeq: 0, error: null, endedBy: null }

function ended({ seq, error, ended_by: endedBy = null, loop }: EventOf<'run-end'>): Ended {
  return { endSeq: seq, error, endedBy, ...(loop ? { loop } : {}) }
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
    activeMs: 0,
    activeSince: null,
    failure: null,
    overflowed: false,
    usage: { ...NO_USAGE },
    charged: { tokens: 0, costs: [] },
    ...NOT_ENDED,
    protocol: null,
    toolsUsed: [],
    scopes: { [MAIN]: newBranch() },
    worker: null,
    ...(event.output_schema === undefined ? {} : { outputSchema: event.output_schema }),
  }
}

/** Who pays is said where it changes. */
function payFrom(run: RunState, { payer }: Payer): void {
  if (payer !== undefined) run.payer = payer
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
  Object.assign(run, { failure: null, overflowed: false, ...NOT_ENDED })
  delete run.loop
  for (const scope of Object.values(run.scopes)) {
    holdCut(run, scope)
    for (const key of ['refused', 'hasBadCalls', 'faults', 'words', 'lastWords'] as const) delete scope[key]
    Object.assign(scope, {
      model: null,
      trail: [],
      turn: [],
      toldOfCircles: false,
      toolTurns: 0,
      toolCalls: 0,
      misfits: 0,
      failure: null,
      errorsInARow: 0,
    })
  }
}

function rest(draft: SessionState, event: EventOf<'run-pause'> | EventOf<'run-end'>): void {
  const run = draftRun(draft)
  draft.status = event.status
  draft.finishReason = event.finish_reason
  const lately = run.activeSince === null ? 0 : Math.max(0, Date.parse(event.time) - run.activeSince)
  Object.assign(run, {
    phase: 'resting',
    status: event.status,
    finishReason: event.finish_reason,
    activeMs: run.activeMs + lately,
    activeSince: null,
  })
}
