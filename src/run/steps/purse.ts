import type { Account, BudgetRefusal, BudgetPort, Settlement } from '../../domain/budget.ts'
import { languageFor } from '../../engine/engine.ts'
import { budgetText } from '../../engine/failures/failure-text.ts'
import type { CallReservation, MoveContext } from '../../engine/job.ts'

/** Ask the budgets of tenant, user and key for a call before it is made. Null: it may be made; else how the run ends. */
export async function reserveCall(
  context: MoveContext,
  { id, reserved, specs }: CallReservation,
): Promise<{ code: string; detail: string } | null> {
  const spending = budgetPortOf(context)
  if (!spending) return null
  const { journal, engine } = context
  const refusal = await spending.purse.reserve(journal.record.tenant, {
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
  if (spending) await spending.purse.settle(context.journal.record.tenant, id, spent)
}

/** Whether any budget concerns the run. */
export function hasBudget(context: MoveContext): boolean {
  return budgetPortOf(context) !== null
}

function budgetPortOf({ engine, journal }: MoveContext): { purse: BudgetPort; accounts: readonly Account[] } | null {
  const { purse } = engine
  if (!purse) return null
  const { tenant, user } = journal.record
  const accounts = purse.accountsOf({ tenant, user, payer: journal.state.run?.payer ?? null })
  return accounts.length > 0 ? { purse, accounts } : null
}

function codeOf({ what }: BudgetRefusal): string {
  return what === 'unpriced' ? 'unpriced_model' : 'budget_exhausted'
}
