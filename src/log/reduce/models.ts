import { charge, keepsReservation } from '../../budget/reserve.ts'
import { spendCall } from '../../budget/spending.ts'
import { addModelCall } from '../../budget/usage.ts'
import type { RunState, BranchState, SessionState } from '../../domain/state.ts'
import { chargeTeam } from './held.ts'
import { type EventOf, type Handlers, placeOf, runOf, branchOf } from './places.ts'
import { answerPlan, askPlan, chargeTask } from './plan.ts'
import { chargeRole } from './team.ts'

/** What model calls change: who is asked, what it cost, what came of it. */
export const MODEL_HANDLERS: Handlers<'model-start' | 'model-retry' | 'model-end'> = {
  'model-start': (draft, event) => {
    const run = runOf(draft)
    const scope = branchOf(run, event.scope)
    if (scope.model) hold(draft, run, event.scope)
    if (event.purpose) askPlan(run, event.scope, event.purpose)
    scope.model = {
      messageId: event.message_id,
      alias: event.model,
      attempt: event.attempt,
      reserved: { tokens: event.reserved_tokens, cost: event.reserved_cost },
    }
  },
  'model-retry': (draft, event) => {
    const run = runOf(draft)
    hold(draft, run, event.scope)
  },
  'model-end': (draft, event) => {
    const run = runOf(draft)
    const scope = branchOf(run, event.scope)
    if (event.ok) settle(draft, run, scope, event)
    else failModel(draft, run, scope, event)
    scope.model = null
  },
}

function settle(
  draft: SessionState,
  run: RunState,
  scope: BranchState,
  event: EventOf<'model-end'> & { ok: true },
): void {
  run.usage = addModelCall(run.usage, event.spent, event.cost, event.model)
  draft.usage = addModelCall(draft.usage, event.spent, event.cost, event.model)
  draft.spending = spendCall(draft.spending, placeOf(run, event, event.model), event.spent, event.cost)
  run.charged = charge(run.charged, {
    tokens: event.spent.prompt_tokens + event.spent.completion_tokens,
    cost: event.cost,
  })
  chargeTask(run, event.scope, event.cost)
  chargeTeam(draft, event.scope, event.cost)
  chargeRole(draft, event.scope, event.cost)
  answerPlan(scope.plan)
  scope.answeredBy = event.model
  run.protocol = event.protocol
  Object.assign(scope, { problem: event.problem, droppedCalls: event.dropped_calls })
  for (const call of scope.calls) {
    call.problem = event.call_problems[call.id] ?? null
    call.unseen = event.unseen_calls?.includes(call.id) ?? false
  }
  if (scope.calls.length > 0) scope.toolTurns++
  const problems = [event.problem, ...scope.calls.map((call) => call.problem)]
  if (problems.some((problem) => problem?.code === 'bad_output')) scope.misfits++
  if (scope.calls.some((call) => call.problem === null)) scope.errorsInARow = 0
}

function failModel(
  draft: SessionState,
  run: RunState,
  scope: BranchState,
  event: EventOf<'model-end'> & { ok: false },
): void {
  const { failure } = event
  if (keepsReservation(failure)) hold(draft, run, event.scope)
  if (event.scope !== null) {
    scope.failure = failure
    return
  }
  run.overflowed = failure.code === 'model_overflow' && !run.overflowed && scope.last?.kind !== 'summary'
  run.failure = failure
}

function hold(draft: SessionState, run: RunState, scope: string | null): void {
  const { model } = branchOf(run, scope)
  if (!model) return
  run.charged = charge(run.charged, model.reserved)
  chargeTeam(draft, scope, model.reserved.cost)
}
