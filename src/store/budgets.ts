import type { Money } from '../domain/usage.ts'
import type { Database } from './database.ts'
import { isMade, makeForUse, schemaOf } from './migrate.ts'

/** What accounts spent in a period, calls under way included: tokens in the row without a currency, amounts in one a currency.
 *  `holds`: calls whose end is not told, with where they are booked. `period` is `YYYY-MM-DD` or `YYYY-MM`. */
export const BUDGETS_SCHEMA = `
  CREATE TABLE IF NOT EXISTS budget_sums (account TEXT NOT NULL, period TEXT NOT NULL, currency TEXT NOT NULL, amount REAL NOT NULL,
    PRIMARY KEY (account, period, currency)) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS budget_sums_by_period ON budget_sums (period);
  CREATE TABLE IF NOT EXISTS budget_holds (id TEXT PRIMARY KEY, period TEXT NOT NULL, places TEXT NOT NULL, tokens INTEGER NOT NULL,
    currency TEXT NOT NULL, amount REAL NOT NULL) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS budget_holds_by_period ON budget_holds (period);`

/** What accounts may spend beyond their budgets, of the few that were topped up: as sums are kept. */
const CREDITS_SCHEMA = schemaOf([
  'CREATE TABLE IF NOT EXISTS budget_credits (account TEXT NOT NULL, period TEXT NOT NULL, currency TEXT NOT NULL, amount REAL NOT NULL, PRIMARY KEY (account, period, currency)) WITHOUT ROWID;',
])

/** An account in a period. */
export interface AccountPeriod {
  account: string
  period: string
}

interface Amounts {
  tokens: number
  cost: Money | null
}

/** What was spent in a place. `currency` empty: tokens. */
export function getSpent(db: Database, { account, period }: AccountPeriod, currency: string): number {
  const sql = 'SELECT amount FROM budget_sums WHERE account = ? AND period = ? AND currency = ?'
  return db.first<{ amount: number }>(sql, account, period, currency)?.amount ?? 0
}

/** Whether anything was booked for an account from a period on. */
export function isBooked(db: Database, account: string, from: string): boolean {
  return db.first('SELECT 1 FROM budget_sums WHERE account = ? AND period >= ? LIMIT 1', account, from) !== undefined
}

/** Begin the sum of a place with what was spent there before. */
export function beginSum(db: Database, place: AccountPeriod, spent: readonly Amounts[]): void {
  for (const amounts of [{ tokens: 0, cost: null }, ...spent]) book(db, place, amounts)
}

/** What a place was topped up by. */
export function getCredit(db: Database, { account, period }: AccountPeriod, currency: string): number {
  if (!isMade(db, CREDITS_SCHEMA)) return 0
  const sql = 'SELECT amount FROM budget_credits WHERE account = ? AND period = ? AND currency = ?'
  return db.first<{ amount: number }>(sql, account, period, currency)?.amount ?? 0
}

/** Top a place up. */
export function addCredit(db: Database, place: AccountPeriod, amounts: Amounts): void {
  makeForUse(db, CREDITS_SCHEMA)
  add(db, 'budget_credits', place, amounts)
}

/** Whether a call is held. */
export function isHeld(db: Database, id: string): boolean {
  return db.first('SELECT 1 FROM budget_holds WHERE id = ?', id) !== undefined
}

/** Book what a call may take, in all of these places, until it is settled. */
export function holdBudget(db: Database, id: string, places: readonly AccountPeriod[], held: Amounts): void {
  db.all(
    'INSERT INTO budget_holds (id, period, places, tokens, currency, amount) VALUES (?, ?, ?, ?, ?, ?)',
    id,
    places[0]?.period ?? '',
    JSON.stringify(places),
    held.tokens,
    held.cost?.currency ?? '',
    held.cost?.amount ?? 0,
  )
  for (const place of places) book(db, place, held)
}

/** Book what a call took in the place of what was held for it. A call that is not held, or not any more, changes nothing. */
export function settleHold(db: Database, id: string, spent: Amounts): void {
  const [held] = db.all<{ places: string; tokens: number; currency: string; amount: number }>(
    'DELETE FROM budget_holds WHERE id = ? RETURNING places, tokens, currency, amount',
    id,
  )
  if (!held) return
  const back = held.currency === '' ? null : { amount: -held.amount, currency: held.currency }
  for (const place of JSON.parse(held.places) as AccountPeriod[]) {
    book(db, place, { tokens: -held.tokens, cost: back })
    book(db, place, spent)
  }
}

/** Forget the periods before one. */
export function forgetPeriods(db: Database, before: string): void {
  db.all('DELETE FROM budget_sums WHERE period < ?', before)
  db.all('DELETE FROM budget_holds WHERE period < ?', before)
  if (isMade(db, CREDITS_SCHEMA)) db.all('DELETE FROM budget_credits WHERE period < ?', before)
}

/** Forget an account. What is settled of its calls later is booked in the others of theirs alone. */
export function forgetAccount(db: Database, account: string): void {
  db.all('DELETE FROM budget_sums WHERE account = ?', account)
  if (isMade(db, CREDITS_SCHEMA)) db.all('DELETE FROM budget_credits WHERE account = ?', account)
  db.all(
    `UPDATE budget_holds SET places = (SELECT json_group_array(json(value)) FROM json_each(places) WHERE value ->> 'account' <> ?)
     WHERE EXISTS (SELECT 1 FROM json_each(places) WHERE value ->> 'account' = ?)`,
    account,
    account,
  )
}

function book(db: Database, place: AccountPeriod, amounts: Amounts): void {
  add(db, 'budget_sums', place, amounts)
}

function add(
  db: Database,
  table: 'budget_sums' | 'budget_credits',
  { account, period }: AccountPeriod,
  { tokens, cost }: Amounts,
): void {
  for (const { currency, amount } of [{ currency: '', amount: tokens }, ...(cost ? [cost] : [])]) {
    db.all(
      `INSERT INTO ${table} (account, period, currency, amount) VALUES (?, ?, ?, ?)
       ON CONFLICT (account, period, currency) DO UPDATE SET amount = round(amount + excluded.amount, 9)`,
      account,
      period,
      currency,
      amount,
    )
  }
}
