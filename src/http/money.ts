import { PERIODS, type Period } from '../domain/budget.ts'
import type { SessionEvent } from '../domain/event.ts'
import type { PlanData, PlanTask } from '../domain/plan.ts'
import type { AgentResponseData } from '../domain/session.ts'
import type { TeamData } from '../domain/team.ts'
import type { Money, Usage } from '../domain/usage.ts'
import type { SessionHead } from '../session/queries/projection.ts'

/** Money as answers show it: beside the number its decimal text, which no reader rounds. */

/** The parts of one unit of a currency that sums are kept to. */
const DECIMALS = 9

export function shownMoney<M extends Money | null | undefined>(money: M): M {
  return money ? { ...money, amount_decimal: decimalOf(money.amount) } : money
}

/** A number of digits, a point and digits, never with an exponent. */
function decimalOf(amount: number): string {
  if (amount >= 1e21) return BigInt(amount).toString()
  return amount.toFixed(DECIMALS).replace(/\.?0+$/, '')
}

/** What has a cost of its own, such as a usage; a sum may have one a currency. */
export function shownCost<T extends { cost: Money | Money[] | null }>(of: T): T {
  const { cost } = of
  return cost === null ? of : { ...of, cost: Array.isArray(cost) ? cost.map(shownMoney) : shownMoney(cost) }
}

export function shownEvent(event: SessionEvent): SessionEvent {
  switch (event.type) {
    case 'usage':
    case 'run-end':
    case 'run-pause':
      return withUsage(event)
    case 'model-start':
      return event.reserved_cost === null ? event : { ...event, reserved_cost: shownMoney(event.reserved_cost) }
    case 'model-end':
      return event.ok ? shownCost(event) : event
    case 'run-start':
    case 'run-resume':
      return withInvestment(event)
    case 'task-start':
      return { ...withInvestment(event), task: shownTask(event.task) }
    case 'task-end':
    case 'task-retry':
      return { ...event, task: shownTask(event.task) }
    case 'plan':
      return { ...event, plan: shownPlan(event.plan) }
    default:
      return event
  }
}

/** A log of somewhere else may leave the usage out. */
function withUsage<E extends { usage?: Usage }>(event: E): E {
  return event.usage ? { ...event, usage: shownCost(event.usage) } : event
}

function withInvestment<E extends { investment?: Money }>(event: E): E {
  return event.investment ? { ...event, investment: shownMoney(event.investment) } : event
}

/** Budgets, or what is left of them. */
export function shownBudgets<B extends Partial<Record<Period, { max_cost?: Money | undefined } | undefined>>>(
  budgets: B,
): B {
  const shown = PERIODS.flatMap((period) => {
    const budget = budgets[period]
    return budget?.max_cost ? [[period, { ...budget, max_cost: shownMoney(budget.max_cost) }]] : []
  })
  return { ...budgets, ...Object.fromEntries(shown) }
}

export function shownResponse(response: AgentResponseData): AgentResponseData {
  const { usage, skill_result: result } = response
  return { ...response, usage: shownCost(usage), ...(result ? { skill_result: shownCost(result) } : {}) }
}

export function shownHead(head: SessionHead): SessionHead {
  const { usage, plan, team } = head
  const parts = { ...(plan ? { plan: shownPlan(plan) } : {}), ...(team ? { team: shownTeam(team) } : {}) }
  return { ...head, usage: shownCost(usage), ...parts }
}

function shownPlan<P extends Pick<PlanData, 'tasks'>>(plan: P): P {
  return { ...plan, tasks: plan.tasks.map(shownTask) }
}

function shownTask(task: PlanTask): PlanTask {
  const { team } = task
  return { ...shownCost(task), ...(team ? { team: { ...shownAccount(team), roles: team.roles.map(shownCost) } } : {}) }
}

function shownTeam(team: TeamData): TeamData {
  const roles = team.roles.map((role) => ({
    ...shownCost(role),
    ...(role.plan ? { plan: shownPlan(role.plan) } : {}),
  }))
  return { ...shownAccount(team), roles }
}

function shownAccount<A extends Pick<TeamData, 'investment' | 'spent' | 'left'>>(account: A): A {
  const { investment, spent, left } = account
  return { ...account, investment: shownMoney(investment), spent: shownMoney(spent), left: shownMoney(left) }
}
