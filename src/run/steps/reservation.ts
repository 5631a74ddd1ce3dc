import { keepsReservation, refusalOf, reservationFor } from '../../budget/reserve.ts'
import { costOf } from '../../budget/usage.ts'
import {
  type Account,
  type BudgetPort,
  type BudgetRefusal,
  NOTHING_SPENT,
  type Settlement,
} from '../../domain/budget.ts'
import type { CallBudget, ModelOutcome, ModelRequest, ModelSpec } from '../../domain/model.ts'
import type { Reservation } from '../../domain/state.ts'
import { estimateRequest } from '../../models/estimate.ts'
import type { MoveContext } from '../../engine/engine.ts'
import { languageFor, limitsOf } from '../../engine/settings.ts'
import { budgetText } from '../../engine/failures/failure-text.ts'
import type { CallReservation } from '../../engine/job.ts'

/** One call of a model as budgets know it. */
interface BudgetedCall extends CallBudget {
  /** What all of them are asked for before it is made. */
  call: CallReservation
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
  const call = { id: messageId, reserved, specs }
  let repeated = 0
  const idOf = (tries: number) => (tries === 0 ? messageId : `${messageId}.${tries}`)
  return {
    call,
    refusal: refusalFor(specs, reserved, scope, context),
    reserve: async (spec, failure) => {
      if (!keepsReservation(failure)) return true
      if (!isCurrent() || refusalFor([spec], reserved, scope, context)) return false
      const id = idOf(repeated + 1)
      if (await reserveCall(context, { ...call, id })) return false
      if (!isCurrent()) {
        await settleCall(context, id, NOTHING_SPENT)
        return false
      }
      repeated++
      context.journal.append([
        { type: 'model-retry', scope, message_id: messageId, model: spec.alias, failure: failure.code },
      ])
      return true
    },
    settle: async (spec, outcome) => {
      if (!outcome.ok && keepsReservation(outcome.failure)) return
      await settleCall(context, idOf(repeated), spentBy(spec, outcome))
    },
  }
}

function spentBy({ price }: ModelSpec, outcome: ModelOutcome): Settlement {
  if (!outcome.ok) return NOTHING_SPENT
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

/** Ask the budgets of tenant, user and key for a call before it is made. Null: it may be made; else how the run ends. */
export async function reserveCall(
  context: MoveContext,
  { id, reserved, specs }: CallReservation,
): Promise<{ code: string; detail: string } | null> {
  const spending = budgetPortOf(context)
  if (!spending) return null
  const { journal, engine } = context
  const refusal = await spending.budgets.reserve(journal.record.tenant, {
    id,
    accounts: spending.accounts,
    ...reserved,
    currencies: specs.map(({ price }) => price?.currency ?? null),
  })
  return refusal && { code: codeOf(refusal), detail: budgetText(languageFor(engine, journal.record), refusal) }
}

/** Tell the budgets what a call took; one that was not reserved changes nothing. */
export async function settleCall(context: MoveContext, id: string, spent: Settlement): Promise<void> {
  const spending = budgetPortOf(context)
  if (spending) await spending.budgets.settle(context.journal.record.tenant, id, spent)
}

/** Whether any budget concerns the run. */
export function hasBudget(context: MoveContext): boolean {
  return budgetPortOf(context) !== null
}

function budgetPortOf({ engine, journal }: MoveContext): { budgets: BudgetPort; accounts: readonly Account[] } | null {
  const { budgets } = engine
  if (!budgets) return null
  const { tenant, user } = journal.record
  const accounts = budgets.accountsOf({ tenant, user, payer: journal.state.run?.payer ?? null })
  return accounts.length > 0 ? { budgets, accounts } : null
}

function codeOf({ what }: BudgetRefusal): string {
  return what === 'unpriced' ? 'unpriced_model' : 'budget_exhausted'
}
