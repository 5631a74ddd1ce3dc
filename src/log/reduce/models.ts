import { charge, keepsReservation } from '../../budget/reserve.ts'
import { spendCall } from '../../budget/spending.ts'
import { addModelCall } from '../../budget/usage.ts'
import { LIMITS } from '../../domain/limits.ts'
import { type RunState, type BranchState, type SessionState, unheardSteers } from '../../domain/state.ts'
import { type Core, type EventOf, type Handlers, spentAt, draftRun, draftBranch } from './reducer.ts'

/** What model calls change: who is asked, what it cost, what came of it. */
export const MODEL_HANDLERS: Handlers<'model-start' | 'model-retry' | 'model-end'> = {
  'model-start': (draft, event, core) => {
    const run = draftRun(draft)
    const scope = draftBranch(run, event.scope)
    if (scope.model) hold(draft, run, event.scope, core)
    // One that is made again is told what came since.
    if (scope.isAsking) hearSteers(scope)
    scope.model = {
      messageId: event.message_id,
      alias: event.model,
      attempt: event.attempt,
      reserved: { tokens: event.reserved_tokens, cost: event.reserved_cost },
    }
  },
  'model-retry': (draft, event, core) => {
    if (keepsReservation({ code: event.failure })) hold(draft, draftRun(draft), event.scope, core)
  },
  'model-end': (draft, event, core) => {
    const run = draftRun(draft)
    const scope = draftBranch(run, event.scope)
    if (event.ok) settle(draft, run, scope, event, core)
    else failModel(draft, run, scope, event, core)
    scope.model = null
    delete scope.isAsking
  },
}

/** A turn begins: its model is told all that was said. */
export function beginTurn(scope: BranchState): void {
  scope.isAsking = true
  hearSteers(scope)
}

/** What steers the branch is told: what it had ended with before is none any more. */
function hearSteers(scope: BranchState): void {
  if (unheardSteers(scope) === 0) return
  scope.heardSteers = scope.steers ?? 0
  delete scope.isOutput
  scope.finishedBy = null
}

function settle(
  draft: SessionState,
  run: RunState,
  scope: BranchState,
  event: EventOf<'model-end'> & { ok: true },
  core: Core,
): void {
  run.usage = addModelCall(run.usage, event.spent, event.cost, event.model)
  draft.usage = addModelCall(draft.usage, event.spent, event.cost, event.model)
  draft.spending = spendCall(draft.spending, spentAt(run, event, event.model), event.spent, event.cost)
  run.charged = charge(run.charged, {
    tokens: event.spent.prompt_tokens + event.spent.completion_tokens,
    cost: event.cost,
  })
  core.charge(draft, event.scope, event.cost, 'spent')
  scope.answeredBy = event.model
  if (event.images_refused) draft.refusedImages = { model: event.model, seq: event.seq }
  run.protocol = event.protocol
  Object.assign(scope, { problem: event.problem, droppedCalls: event.dropped_calls })
  for (const call of scope.calls) {
    call.problem = event.call_problems[call.id] ?? null
    call.unseen = event.unseen_calls?.includes(call.id) ?? false
  }
  if (scope.calls.length > 0) scope.toolTurns++
  const problems = [event.problem, ...scope.calls.map((call) => call.problem)]
  if (problems.some((problem) => problem?.code === 'bad_output')) scope.misfits++
  countFault(scope, event.problem !== null || scope.calls.length > 0)
}

/** Whether the last reply could be followed, and whether it is like those before it. `mayFail`: it calls something, or is wrong. */
function countFault(scope: BranchState, mayFail: boolean): void {
  const { said, faults = [] } = scope
  delete scope.said
  const isGood = scope.calls.some((call) => call.problem === null)
  if (isGood) {
    scope.errorsInARow = 0
    delete scope.hasBadCalls
    delete scope.words
  }
  if (isGood || !mayFail || said === undefined) {
    delete scope.faults
    return
  }
  if (faults.length > 0 && faults.at(-1) !== said) scope.toldOfCircles = false
  scope.faults = [...faults, said].slice(-LIMITS.run.trailTurnsMax)
}

function failModel(
  draft: SessionState,
  run: RunState,
  scope: BranchState,
  event: EventOf<'model-end'> & { ok: false },
  core: Core,
): void {
  const { failure } = event
  if (keepsReservation(failure)) hold(draft, run, event.scope, core)
  if (event.scope !== null) {
    scope.failure = failure
    return
  }
  run.overflowed = failure.code === 'model_overflow' && !run.overflowed && scope.last?.kind !== 'summary'
  run.failure = failure
}

function hold(draft: SessionState, run: RunState, scope: string | null, core: Core): void {
  const { model } = draftBranch(run, scope)
  if (!model) return
  run.charged = charge(run.charged, model.reserved)
  core.charge(draft, scope, model.reserved.cost, 'held')
}
