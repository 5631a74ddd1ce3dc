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

/** What is reserved and paid for one call of a model: by the limits of its run, and by the budgets of tenant, user and key. A try that failed may
 *  have been paid for all the same. Then its reservation stays, and the next try has to fit beside it. */
export class CallBudgets implements CallBudget {
  readonly reserved: Reservation
  /** What tenant, user and key are asked for before the call is made; null: none of them has a budget. */
  readonly reservation: CallReservation | null
  /** Why the call may not be made at all; null: it may, if the budgets of tenant, user and key have room for it. */
  readonly refusal: string | null
  readonly #call: ReservedCall
  readonly #isCurrent: () => boolean
  readonly #context: MoveContext
  readonly #accounts: CallAccounts | null
  /** Tries whose reservation stays, because a later one was reserved beside them. */
  #kept = 0

  /** `isCurrent`: whether the log still waits for the call. */
  constructor(call: ReservedCall, isCurrent: () => boolean, context: MoveContext) {
    const { spec, scope, messageId, request } = call
    const specs = [spec, ...spec.fallbacks]
    this.#call = call
    this.#isCurrent = isCurrent
    this.#context = context
    this.reserved = reservationFor(specs, estimateRequest(request))
    const accounts = accountsFor(specs, this.reserved, context)
    this.#accounts = accounts
    this.reservation = accounts && {
      ask: () => accounts.reserve(messageId),
      giveBack: () => accounts.settle(messageId, NOTHING_SPENT),
    }
    this.refusal = refusalFor(specs, this.reserved, scope, context)
  }

  async reserve(spec: ModelSpec, failure: ModelFailure): Promise<boolean> {
    if (!keepsReservation(failure)) return true
    if (!this.#isCurrent() || refusalFor([spec], this.reserved, this.#call.scope, this.#context)) return false
    const id = this.#idOf(this.#kept + 1)
    if (await this.#accounts?.reserve(id)) return false
    if (!this.#isCurrent()) {
      await this.#accounts?.settle(id, NOTHING_SPENT)
      return false
    }
    this.#kept++
    this.#tellRetry(spec, failure)
    return true
  }

  /** A failure whose reservation stays is told by `reserve`, once the next try is reserved, too. */
  tellWait(spec: ModelSpec, failure: ModelFailure): void {
    if (!keepsReservation(failure) && this.#isCurrent()) this.#tellRetry(spec, failure)
  }

  async settle(spec: ModelSpec, outcome: ModelOutcome | null): Promise<void> {
    if (outcome && !outcome.ok && keepsReservation(outcome.failure)) return
    await this.#accounts?.settle(this.#idOf(this.#kept), spentBy(spec, outcome))
  }

  /** The id of a try in the accounts. `kept`: how many reservations before it stay. */
  #idOf(kept: number): string {
    const { messageId } = this.#call
    return kept === 0 ? messageId : `${messageId}.${kept}`
  }

  #tellRetry({ alias }: ModelSpec, { code }: ModelFailure): void {
    const { scope, messageId } = this.#call
    this.#context.journal.append([{ type: 'model-retry', scope, message_id: messageId, model: alias, failure: code }])
  }
}

/** What is known of a call before it is made. `spec`: of the model that is asked first. */
interface ReservedCall {
  messageId: string
  scope: string | null
  spec: ModelSpec
  request: ModelRequest
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
