import type { Attempt, Delivery, DeliveryEvent, DeliveryStatus } from '../domain/callback.ts'
import { LIMITS } from '../domain/limits.ts'
import type { Database } from './database.ts'

/** A delivery before it has its place. `time`: when it happened that is told, Unix ms. */
export type NewDelivery = Pick<Delivery, 'id' | 'callbackId' | 'sessionId' | 'event' | 'time' | 'data'>

/** A delivery that is being tried. `step`: how far it is on its schedule, 1 for the first try. */
export interface TakenDelivery extends Delivery {
  step: number
}

/** What becomes of a delivery after a try: over, or tried again at `due` (Unix ms), and never before `notBefore`, the time that its
 *  receiver asked for. */
export type Fate = { status: 'delivered' | 'dead' } | { status: 'pending'; due: number; notBefore: number }

export interface DeliveryRow {
  n: number
  id: string
  callback: string
  session: string | null
  event: string
  status: string
  time: number
  due: number | null
  step: number
  attempts: number
  ended: number | null
  data: string
}

export const DELIVERY_COLUMNS = 'n, id, callback, session, event, status, time, due, step, attempts, ended, data'

export function deliveryOf(row: DeliveryRow): TakenDelivery {
  return {
    id: row.id,
    callbackId: row.callback,
    sessionId: row.session,
    event: row.event as DeliveryEvent,
    status: row.status as DeliveryStatus,
    attempts: row.attempts,
    step: row.step,
    time: row.time,
    due: row.due,
    endedTime: row.ended,
    data: JSON.parse(row.data) as Delivery['data'],
  }
}

/** Put a delivery behind those of its session; one that is known already stays as it is. */
export function putDelivery(db: Database, delivery: NewDelivery, now: number): void {
  const { id, callbackId, sessionId, event, time, data } = delivery
  const lane = sessionId ?? id
  const waits = firstOfLane(db, callbackId, lane) !== null
  db.all(
    `INSERT INTO deliveries (id, callback, session, lane, event, status, time, due, step, attempts, data)
     VALUES (?, ?, ?, ?, ?, 'pending', ?, ?, 0, 0, ?) ON CONFLICT (id) DO NOTHING`,
    id,
    callbackId,
    sessionId,
    lane,
    event,
    time,
    waits ? null : now,
    JSON.stringify(data),
  )
}

/** Keep a delivery that is not sent by the outbox itself. */
export function putEnded(db: Database, delivery: NewDelivery, status: 'delivered' | 'dead', attempt: Attempt): void {
  const { id, callbackId, sessionId, event, time, data } = delivery
  db.all(
    `INSERT INTO deliveries (id, callback, session, lane, event, status, time, step, attempts, ended, data)
     VALUES (?, ?, ?, ?, ?, ?, ?, 1, 1, ?, ?)`,
    id,
    callbackId,
    sessionId,
    id,
    event,
    status,
    time,
    attempt.time + attempt.ms,
    JSON.stringify(data),
  )
  keepAttempt(db, id, 1, attempt)
}

/** Take the delivery of a callback that is longest due. The try counts before it is made; one that gives no sign is due again
 *  after its lease. Null: none is due. */
export function takeDue(db: Database, callbackId: string, now: number): TakenDelivery | null {
  const [row] = db.all<DeliveryRow & Record<string, string | number | null>>(
    `UPDATE deliveries SET due = ?, taken = 1, attempts = attempts + 1, step = step + 1
     WHERE n = (SELECT n FROM deliveries WHERE callback = ? AND due IS NOT NULL AND due <= ? ORDER BY due, n LIMIT 1)
     RETURNING ${DELIVERY_COLUMNS}`,
    now + LIMITS.callback.leaseMs,
    callbackId,
    now,
  )
  return row ? deliveryOf(row) : null
}

/** Note how a try went and what becomes of its delivery; the next of its session is due when it is over. False: it is gone, or
 *  was taken up by another try meanwhile. */
export function settleDelivery(
  db: Database,
  { id, attempts }: Pick<TakenDelivery, 'id' | 'attempts'>,
  attempt: Attempt,
  fate: Fate,
  now: number,
): boolean {
  const row = db.first<{ callback: string; lane: string }>(
    "SELECT callback, lane FROM deliveries WHERE id = ? AND attempts = ? AND status = 'pending'",
    id,
    attempts,
  )
  if (!row) return false
  keepAttempt(db, id, attempts, attempt)
  if (fate.status !== 'pending') endDelivery(db, { id, ...row }, fate.status, now)
  else putOff(db, id, fate)
  return true
}

function putOff(db: Database, id: string, { due, notBefore }: { due: number; notBefore: number }): void {
  db.all('UPDATE deliveries SET due = ?, not_before = ?, taken = 0 WHERE id = ?', due, notBefore, id)
}

function endDelivery(
  db: Database,
  { id, callback, lane }: { id: string; callback: string; lane: string },
  status: 'delivered' | 'dead',
  now: number,
): void {
  db.all('UPDATE deliveries SET status = ?, due = NULL, taken = 0, ended = ? WHERE id = ?', status, now, id)
  const next = firstOfLane(db, callback, lane)
  if (next !== null) db.all('UPDATE deliveries SET due = ? WHERE n = ? AND due IS NULL', now, next)
}

/** The oldest delivery of a lane that is not over. */
function firstOfLane(db: Database, callback: string, lane: string): number | null {
  const sql = `SELECT n FROM deliveries INDEXED BY deliveries_by_lane
    WHERE callback = ? AND lane = ? AND status = 'pending' ORDER BY n LIMIT 1`
  return db.first<{ n: number }>(sql, callback, lane)?.n ?? null
}

function keepAttempt(db: Database, id: string, n: number, attempt: Attempt): void {
  const sql = `INSERT INTO attempts (delivery, n, attempt) VALUES (?, ?, ?)
    ON CONFLICT (delivery, n) DO UPDATE SET attempt = excluded.attempt`
  db.all(sql, id, n, JSON.stringify(attempt))
  db.all('DELETE FROM attempts WHERE delivery = ? AND n <= ?', id, n - LIMITS.callback.attemptsShownMax)
}

/** Give up the oldest of too many deliveries that wait; a bounded number. */
export function giveUpOldest(db: Database, callbackId: string, why: Attempt, now: number): void {
  const { forgottenAtOnceMax, pendingMax } = LIMITS.callback
  const sql = `SELECT id, callback, lane, attempts FROM deliveries
    WHERE callback = ? AND status = 'pending' ORDER BY id DESC LIMIT ? OFFSET ?`
  const rows = db.all<{ id: string; callback: string; lane: string; attempts: number }>(
    sql,
    callbackId,
    forgottenAtOnceMax,
    pendingMax,
  )
  for (const row of rows) {
    keepAttempt(db, row.id, row.attempts + 1, why)
    endDelivery(db, row, 'dead', now)
  }
}

/** When the next delivery of a callback is due (Unix ms); null: never. */
export function nextDue(db: Database, callbackId: string): number | null {
  const sql = 'SELECT due FROM deliveries WHERE callback = ? AND due IS NOT NULL ORDER BY due LIMIT 1'
  return db.first<{ due: number }>(sql, callbackId)?.due ?? null
}

/** Nothing of what was taken is under way any more: its process died, and it is due now. */
export function reclaim(db: Database, now: number): void {
  db.all('UPDATE deliveries SET due = ?, taken = 0 WHERE taken = 1', now)
}

/** The receiver is back: what waits for its next try is due now, or when the receiver asked for it, and a try that fails then does
 *  not count on its schedule. False: there is more. */
export function bringForward(db: Database, callbackId: string, now: number): boolean {
  const { broughtForwardMax: max, broughtForwardAttemptsMax: attemptsMax } = LIMITS.callback
  const brought = db.all(
    `UPDATE deliveries SET due = max(?1, not_before), step = step - 1 WHERE n IN (
       SELECT n FROM deliveries WHERE callback = ?2 AND due IS NOT NULL AND due > max(?1, not_before)
       AND taken = 0 AND step > 0 AND attempts < ?3 ORDER BY due LIMIT ?4)
     RETURNING n`,
    now,
    callbackId,
    attemptsMax,
    max,
  )
  return brought.length < max
}

/** A callback that was switched on again: what was held is due now. */
export function release(db: Database, callbackId: string, now: number): void {
  const sql = 'UPDATE deliveries SET due = ? WHERE callback = ? AND due IS NOT NULL AND due > ? AND taken = 0'
  db.all(sql, now, callbackId, now)
}

/** Try a delivery once more from the start of its schedule, whatever became of it, and without waiting for others of its
 *  session. False: there is none. */
export function retryDelivery(db: Database, callbackId: string, id: string, now: number): boolean {
  const row = db.first<{ lane: string; status: string; due: number | null; taken: number }>(
    'SELECT lane, status, due, taken FROM deliveries WHERE callback = ? AND id = ?',
    callbackId,
    id,
  )
  if (!row) return false
  const sql = "UPDATE deliveries SET status = 'pending', lane = ?, due = ?, step = 0, ended = NULL WHERE id = ?"
  if (row.status !== 'pending') db.all(sql, id, now, id)
  else if (row.due !== null && row.taken === 0) db.all(sql, row.lane, now, id)
  return true
}
