import {
  type Account,
  type BudgetLimits,
  type BudgetRefusal,
  type BudgetReservation,
  type Period,
  PERIODS,
  type Settlement,
} from '../domain/budget.ts'
import { tokenLimits } from '../domain/auth-config.ts'
import {
  addCredit,
  beginSum,
  forgetPeriods,
  getCredit,
  getSpent,
  holdBudget,
  isBooked,
  isHeld,
  type AccountPeriod,
  settleHold,
} from '../store/budgets.ts'
import type { Database } from '../store/database.ts'
import { spentSince } from '../store/usage.ts'
import { rounded } from '../domain/usage.ts'
import { isWithin } from './usage.ts'
import type { ServerConfig } from '../domain/server-config.ts'

/** What a tenant's runs spend by day and month, and whether the next call fits. Each method is one transaction, so that calls which ask at
 *  the same time are made only if they fit together. */
export class BudgetLedger {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  /** Hold what a call may take, in every account, or say why not. Asked again under its id it is held once. */
  reserve(wanted: BudgetReservation, now: number): BudgetRefusal | null {
    const accounts = wanted.accounts.filter(({ limits }) => limits.day ?? limits.month)
    if (accounts.length === 0) return null
    return this.#db.transaction(() => {
      if (isHeld(this.#db, wanted.id)) return null
      for (const account of accounts) this.#begin(account, now)
      for (const account of accounts) {
        const refusal = this.#refusal(account, wanted, now)
        if (refusal) return refusal
      }
      forgetPeriods(this.#db, oldestKept(now))
      holdBudget(
        this.#db,
        wanted.id,
        accounts.flatMap((account) => placesOf(account, now)),
        wanted,
      )
      return null
    })
  }

  /** Once for each call, with what it took; more often changes nothing. One that is never settled stays booked as it was held. */
  settle(id: string, spent: Settlement): void {
    this.#db.transaction(() => settleHold(this.#db, id, spent))
  }

  /** Let an account spend more until its periods end. `kept`: what is written in the same transaction. */
  credit(
    account: Pick<Account, 'of' | 'id'>,
    periods: readonly Period[],
    amounts: Settlement,
    now: number,
    kept: () => void,
  ): void {
    this.#db.transaction(() => {
      for (const period of periods)
        addCredit(this.#db, { account: nameOf(account), period: periodOf(period, now) }, amounts)
      kept()
    })
  }

  /** What an account was topped up by in the periods that its budget bounds. */
  credits(account: Account, now: number): BudgetLimits {
    return byPeriod(account, (period, currency) => this.#credit(account, period, currency, now))
  }

  /** What is left of an account's budgets. */
  remaining(account: Account, now: number): BudgetLimits {
    const isBegun = isBooked(this.#db, nameOf(account), oldestKept(now))
    const spent = (period: Period, currency: string) =>
      isBegun ? this.#spent(account, period, currency, now) : sumOf(this.#spentBefore(account, period, now), currency)
    const left = (period: Period, currency: string, max: number) =>
      Math.max(0, max + this.#credit(account, period, currency, now) - spent(period, currency))
    return byPeriod(account, (period, currency, max) => rounded(left(period, currency, max)))
  }

  #refusal(account: Account, wanted: BudgetReservation, now: number): BudgetRefusal | null {
    for (const period of PERIODS) {
      const { max_total_tokens: most = Infinity, max_cost: limit } = account.limits[period] ?? {}
      const tokens = most + this.#credit(account, period, '', now)
      const cost = limit && {
        ...limit,
        amount: rounded(limit.amount + this.#credit(account, period, limit.currency, now)),
      }
      const about = { of: account.of, id: account.id, period, resetTime: endOf(period, now) }
      const spent = this.#spent(account, period, '', now)
      if (spent + wanted.tokens > tokens) return { ...about, what: 'tokens', max: tokens, spent }
      if (!cost) continue
      if (wanted.currencies.some((currency) => currency !== cost.currency))
        return { ...about, what: 'unpriced', max: cost }
      const paid = this.#spent(account, period, cost.currency, now)
      if (!isWithin(paid + (wanted.cost?.amount ?? 0), cost.amount))
        return { ...about, what: 'cost', max: cost, spent: paid }
    }
    return null
  }

  /** The sums of an account whose budget is new begin with what was spent in its periods before. */
  #begin(account: Account, now: number): void {
    if (isBooked(this.#db, nameOf(account), oldestKept(now))) return
    for (const period of PERIODS) {
      const place = { account: nameOf(account), period: periodOf(period, now) }
      beginSum(this.#db, place, this.#spentBefore(account, period, now))
    }
  }

  /** Which key paid for what is not kept with what was spent. */
  #spentBefore({ of, id }: Account, period: Period, now: number): Settlement[] {
    return of === 'key' ? [] : spentSince(this.#db, of === 'user' ? id : null, startOf(period, now))
  }

  #credit(account: Account, period: Period, currency: string, now: number): number {
    return getCredit(this.#db, { account: nameOf(account), period: periodOf(period, now) }, currency)
  }

  #spent(account: Account, period: Period, currency: string, now: number): number {
    return getSpent(this.#db, { account: nameOf(account), period: periodOf(period, now) }, currency)
  }
}

/** What `amountOf` gives for each bound of an account. */
function byPeriod(
  { limits }: Account,
  amountOf: (period: Period, currency: string, max: number) => number,
): BudgetLimits {
  return Object.fromEntries(
    PERIODS.flatMap((period) => {
      const limit = limits[period]
      if (!limit) return []
      const { max_total_tokens: tokens, max_cost: cost } = limit
      const of = {
        ...(tokens === undefined ? {} : { max_total_tokens: amountOf(period, '', tokens) }),
        ...(cost ? { max_cost: { ...cost, amount: amountOf(period, cost.currency, cost.amount) } } : {}),
      }
      return [[period, of]]
    }),
  )
}

function placesOf(account: Account, now: number): AccountPeriod[] {
  return PERIODS.map((period) => ({ account: nameOf(account), period: periodOf(period, now) }))
}

function nameOf({ of, id }: Pick<Account, 'of' | 'id'>): string {
  return `${of}:${id}`
}

/** The name of the period that a time is in: `2026-11-21` or `2026-11`, in UTC. Older ones sort before it. */
function periodOf(period: Period, now: number): string {
  return new Date(now).toISOString().slice(0, period === 'day' ? 10 : 7)
}

/** What some amounts are together. `currency` empty: their tokens. */
function sumOf(spent: readonly Settlement[], currency: string): number {
  return spent.reduce((sum, { tokens, cost }) => {
    if (currency === '') return sum + tokens
    return cost?.currency === currency ? sum + cost.amount : sum
  }, 0)
}

/** When the period began, Unix ms. */
function startOf(period: Period, now: number): number {
  const date = new Date(now)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), period === 'day' ? date.getUTCDate() : 1)
}

/** When the period ends, Unix ms. */
function endOf(period: Period, now: number): number {
  const date = new Date(now)
  const day = period === 'day' ? date.getUTCDate() + 1 : 1
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + (period === 'day' ? 0 : 1), day)
}

/** The oldest period that is kept: the month before. */
function oldestKept(now: number): string {
  const date = new Date(now)
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - 1, 1)).toISOString().slice(0, 7)
}

/** The accounts that a run spends from; empty: nothing has a budget. `payer`: the key that began it, if that has one. */
export function accountsOf(
  config: ServerConfig,
  { tenant, user, payer }: { tenant: string; user: string | null; payer: string | null },
): Account[] {
  return [
    ...tenantAccount(config, tenant),
    ...(user === null ? [] : userAccount(config, user)),
    ...(payer === null ? [] : [keyAccount(config, tenant, payer)]),
  ]
}

/** The account of a user that has a budget. */
export function userAccount({ budgets }: ServerConfig, user: string): Account[] {
  return budgeted('user', user, budgets?.user)
}

/** The account of a tenant that has a budget. */
export function tenantAccount({ budgets }: ServerConfig, tenant: string): Account[] {
  return budgeted('tenant', tenant, budgets?.tenants?.[tenant] ?? budgets?.tenant)
}

function budgeted(of: Account['of'], id: string, limits: BudgetLimits | undefined): Account[] {
  return limits ? [{ of, id, limits }] : []
}

/** That of a key of the config, or of who shows a token; what a made key may spend is known by the tenant's object alone. */
function keyAccount({ auth }: ServerConfig, tenant: string, id: string): Account {
  const known = auth?.keys?.find((key) => key.id === id && (key.tenant ?? 'default') === tenant)
  return { of: 'key', id, limits: known?.limits ?? tokenLimits(auth ?? {}, id) ?? {} }
}
