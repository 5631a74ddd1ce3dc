import { userAccount } from '../budget/budget-ledger.ts'
import {
  type Account,
  type BudgetLimits,
  type CreditGiven,
  type NewCredit,
  newCredit,
  type Period,
  PERIODS,
  type UserBudget,
} from '../domain/budget.ts'
import { fail, invalid, type InputIssue, ok, type Result } from '../domain/errors.ts'
import { LIMITS } from '../domain/limits.ts'
import { newId } from '../lib/id.ts'
import { serverFor } from '../objects/engine.ts'
import { directoryObject } from '../objects/env.ts'
import { factory } from './context.ts'
import { shownBudgets, shownMoney } from './money.ts'
import { type Call, json, nothing, route } from './route.ts'

const directory = ({ c, tenant }: Call<unknown>) => directoryObject(c.env, tenant)

/** Budgets of users, and what they are topped up by. */
export const budgetRoutes = factory
  .createApp()

  .get(
    '/:user',
    route(
      { summary: 'What a user may still spend', scope: 'read', reads: nothing, returns: 'UserBudget' },
      async (call) => {
        const account = await accountIn(call)
        if (!account.ok) return account
        const { credit, remaining } = await directory(call).budgetStand(account.value)
        const body: UserBudget = {
          object: 'budget',
          user: account.value.id,
          limits: shownBudgets(account.value.limits),
          credit: shownBudgets(credit),
          remaining: shownBudgets(remaining),
        }
        return ok({ body })
      },
    ),
  )

  .post(
    '/:user/credit',
    route(
      {
        summary: 'Let a user spend more',
        id: 'creditBudget',
        scope: 'admin',
        reads: json(newCredit),
        returns: 'Credit',
        status: [201],
        errors: ['not_found'],
        audit: { action: 'budget.credit' },
      },
      async (call) => {
        const account = await accountIn(call)
        if (!account.ok) return account
        const { tokens, cost } = call.input
        const bounded = periodsFor(account.value.limits, call.input)
        if (!bounded.ok) return bounded
        const now = Date.now()
        const body: CreditGiven = {
          id: newId('crd', now),
          object: 'budget.credit',
          user: account.value.id,
          ...(tokens === undefined ? {} : { tokens }),
          ...(cost === undefined ? {} : { cost: shownMoney(cost) }),
          periods: [...bounded.value],
          created_time: new Date(now).toISOString(),
        }
        const made = { body, status: 201 } as const
        const amounts = { tokens: tokens ?? 0, cost: cost ?? null }
        await directory(call).creditUser(account.value.id, bounded.value, amounts, call.done(made))
        call.note({ credit: body.id, tokens: tokens ?? 0, ...(cost ? { cost } : {}), periods: body.periods })
        return ok(made)
      },
    ),
  )

/** The account of the user that the path names. */
async function accountIn(call: Call<unknown>): Promise<Result<Account>> {
  const user = call.param('user')
  if (user === '' || user.length > LIMITS.text.nameCharsMax) return fail({ code: 'not_found', what: 'user' })
  const { engine } = await serverFor(call.c.env, call.tenant)
  const [account] = userAccount(engine.config, user)
  if (account) return ok(account)
  const message = 'a budget of users, which there is none of: set budgets.user (PATCH /v1/settings, or the config file)'
  return invalid([{ path: 'user', message }], 'Users have no budget here; see errors.')
}

/** The periods that a credit is for: all in which the budget bounds what is given. */
function periodsFor(limits: BudgetLimits, { tokens, cost, period }: NewCredit): Result<readonly Period[]> {
  const asked = PERIODS.filter((one) => period === undefined || one === period)
  const bounds = asked.flatMap((one) => (limits[one] ? [{ one, limit: limits[one] }] : []))
  const issues: InputIssue[] = []
  if (bounds.length === 0) issues.push({ path: 'period', message: 'a period that budgets.user bounds' })
  else {
    if (tokens !== undefined && !bounds.some(({ limit }) => limit.max_total_tokens !== undefined))
      issues.push({ path: 'tokens', message: 'nothing: budgets.user bounds no tokens in this period' })
    const currencies = bounds.flatMap(({ limit }) => (limit.max_cost ? [limit.max_cost.currency] : []))
    if (cost !== undefined && currencies.length === 0)
      issues.push({ path: 'cost', message: 'nothing: budgets.user bounds no cost in this period' })
    else if (cost !== undefined && !currencies.includes(cost.currency))
      issues.push({ path: 'cost.currency', message: `one that budgets.user bounds: ${currencies.join(', ')}` })
  }
  return issues.length > 0 ? invalid(issues) : ok(bounds.map(({ one }) => one))
}
