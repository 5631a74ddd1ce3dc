import { keepsReservation, refusalOf, reservationFor } from '../../budget/reserve.ts'
import { costOf } from '../../budget/usage.ts'
import { type BudgetRefusal, NOTHING_SPENT, type Settlement } from '../../domain/budget.ts'
import type { CallBudget, ModelFailure, ModelOutcome, ModelRequest, ModelSpec } from '../../domain/model.ts'
import type { Reservation } from '../../domain/state.ts'
import { estimateRequest } from '../../models/estimate.ts'
import type { MoveContext } from '../../engine/engine.ts'
import { languageFor, limitsOf } from '../../engine/settings.ts'
import { budgetText } from '../../engine/failures/failure-text.ts'
import type { CallReservation } from '../../engine/job.ts'

/** One call of a model as budgets know it. */
interface BudgetedCall extends CallBudget {
  reserved: Reservation
  /** What tenant, user and key are asked for before it is made; null: none of them has a budget. */
  reservation: CallReservation | null
  /** Why it may not be made at all; null: it may, if the budgets of tenant, user and key have room for it. */
  refusal: string | null
}

/** The budgets of one call. A try that failed may have been paid for all the same: then it stays reserved, and one more has to fit
 *  beside it. `isCurrent`: whether the log still waits for the call. */
export function budgetOf(
  {
    messageId,
    scope,
    spec: first,
    request,
  }: { messageId: string; scope: string | null; spec: ModelSpec; request: ModelRequest },
  isCurrent: () => boolean,
  context: MoveContext,
): BudgetedCall {
  const specs = [first, ...first.fallbacks]
  const reserved = reservationFor(specs, estimateRequest(request))
  const accounts = accountsFor(specs, reserved, context)
  let repeated = 0
  const tell = (spec: ModelSpec, { code }: ModelFailure) =>
    context.journal.append([{ type: 'model-retry', scope, message_id: messageId, model: spec.alias, failure: code }])
  const idOf = (tries: number) => (tries === 0 ? messageId : `${messageId}.${tries}`)
  return {
    reserved,
    reservation: accounts && {
      ask: () => accounts.reserve(messageId),
      giveBack: () => accounts.settle(messageId, NOTHING_SPENT),
    },
    refusal: refusalFor(specs, reserved, scope, context),
    reserve: async (spec, failure) => {
      if (!keepsReservation(failure)) return true
      if (!isCurrent() || refusalFor([spec], reserved, scope, context)) return false
      const id = idOf(repeated + 1)
      if (await accounts?.reserve(id)) return false
      if (!isCurrent()) {
        await accounts?.settle(id, NOTHING_SPENT)
        return false
      }
      repeated++
      tell(spec, failure)
      return true
    },
    // Of one that stays reserved it is told once the next is reserved, too.
    tellWait: (spec, failure) => {
      if (!keepsReservation(failure) && isCurrent()) tell(spec, failure)
    },
    settle: async (spec, outcome) => {
      if (outcome && !outcome.ok && keepsReservation(outcome.failure)) return
      await accounts?.settle(idOf(repeated), spentBy(spec, outcome))
    },
  }
}

function spentBy({ price }: ModelSpec, outcome: ModelOutcome | null): Settlement {
  if (!outcome?.ok) return NOTHING_SPENT
  const { usage } = outcome.reply
  return { tokens: usage.prompt_tokens + usage.completion_tokens, cost: price && costOf(usage, price) }
}

/** Why a call that one of these models answers may not be made now: the limits of the run, or what it is a part of may cost. */
function refusalFor(
  specs: readonly ModelSpec[],
  reserved: Reservation,
  scope: string | null,
  { journal: { state, record }, engine }: MoveContext,
): string | null {
  if (!state.run) return null
  const refused = refusalOf(state.run, specs, reserved, limitsOf(engine, record))
  const ofParts = engine.orchestrators.all.map(({ refusal }) => refusal?.(state, scope, specs, reserved) ?? null)
  return refused ?? ofParts.find((code) => code !== null) ?? null
}

/** The accounts that calls are booked in, each under an id of its own. */
interface CallAccounts {
  /** Null: the call may be made; else how the run ends. */
  reserve(id: string): Promise<{ code: string; detail: string } | null>
  /** What a call took; one that was not reserved changes nothing. */
  settle(id: string, spent: Settlement): Promise<void>
}

/** Where a call is booked, as it is known when that is prepared: the session may be deleted before the call is settled. Null: no budget
 *  concerns the run. */
function accountsFor(
  specs: readonly ModelSpec[],
  reserved: Reservation,
  { engine, journal }: MoveContext,
): CallAccounts | null {
  const { budgets } = engine
  if (!budgets) return null
  const { record, state } = journal
  const { tenant, user } = record
  const accounts = budgets.accountsOf({ tenant, user, payer: state.run?.payer ?? null })
  if (accounts.length === 0) return null
  const language = languageFor(engine, record)
  const currencies = specs.map(({ price }) => price?.currency ?? null)
  return {
    reserve: async (id) => {
      const refusal = await budgets.reserve(tenant, { id, accounts, ...reserved, currencies })
      return refusal && { code: codeOf(refusal), detail: budgetText(language, refusal) }
    },
    settle: (id, spent) => budgets.settle(tenant, id, spent),
  }
}

function codeOf({ what }: BudgetRefusal): string {
  return what === 'unpriced' ? 'unpriced_model' : 'budget_exhausted'
}
