import type { Attempt, Delivery, DeliveryStatus } from '../domain/callback.ts'
import { LIMITS } from '../domain/limits.ts'
import type { Database, Value } from './database.ts'
import { DELIVERY_COLUMNS, deliveryOf, type DeliveryRow } from './deliveries.ts'

export interface DeliveryQuery {
  status?: DeliveryStatus | undefined
  /** Ids strictly older than this one. */
  cursor?: string | undefined
  limit: number
}

/** Deliveries of a callback, newest first. */
export function listDeliveries(db: Database, callbackId: string, query: DeliveryQuery): Delivery[] {
  const { status, cursor, limit } = query
  const conditions = ['callback = ?', ...(status ? ['status = ?'] : []), ...(cursor ? ['id < ?'] : [])]
  const values: Value[] = [callbackId, ...(status ? [status] : []), ...(cursor ? [cursor] : [])]
  const sql = `SELECT ${DELIVERY_COLUMNS} FROM deliveries WHERE ${conditions.join(' AND ')} ORDER BY id DESC LIMIT ?`
  return db.all<DeliveryRow>(sql, ...values, limit).map(deliveryOf)
}

export function getDelivery(db: Database, callbackId: string, id: string): Delivery | null {
  const sql = `SELECT ${DELIVERY_COLUMNS} FROM deliveries WHERE callback = ? AND id = ?`
  const row = db.first<DeliveryRow>(sql, callbackId, id)
  return row ? deliveryOf(row) : null
}

/** The newest tries of a delivery, oldest first. */
export function attemptsOf(db: Database, id: string): Attempt[] {
  const sql = 'SELECT attempt FROM attempts WHERE delivery = ? ORDER BY n DESC LIMIT ?'
  const rows = db.all<{ attempt: string }>(sql, id, LIMITS.callback.attemptsShownMax)
  return rows.map(({ attempt }) => JSON.parse(attempt) as Attempt).toReversed()
}

/** When the delivery of a callback that ended first is to be forgotten (Unix ms); null: there is none. */
export function nextForgotten(db: Database, callbackId: string): number | null {
  const sql = 'SELECT ended FROM deliveries WHERE callback = ? AND ended IS NOT NULL ORDER BY ended LIMIT 1'
  const ended = db.first<{ ended: number }>(sql, callbackId)?.ended
  return ended === undefined ? null : ended + LIMITS.callback.keptMs
}

/** Forget what came to an end long ago, and the oldest of too many; a bounded number. */
export function forgetEnded(db: Database, callbackId: string, now: number): void {
  const { keptMs, keptMax, forgottenAtOnceMax } = LIMITS.callback
  const old = db.all<{ id: string }>(
    `DELETE FROM deliveries WHERE n IN (
       SELECT n FROM deliveries WHERE callback = ? AND ended IS NOT NULL AND ended < ? ORDER BY ended LIMIT ?) RETURNING id`,
    callbackId,
    now - keptMs,
    forgottenAtOnceMax,
  )
  const many = db.all<{ id: string }>(
    `DELETE FROM deliveries WHERE n IN (
       SELECT n FROM deliveries WHERE callback = ? AND ended IS NOT NULL ORDER BY ended DESC LIMIT ? OFFSET ?) RETURNING id`,
    callbackId,
    forgottenAtOnceMax,
    keptMax,
  )
  for (const { id } of [...old, ...many]) forgetAttempts(db, id)
}

/** What is over of a session that is deleted goes; what waits tells no more than that it was there and how it ended. */
export function forgetSession(db: Database, sessionId: string): void {
  const gone = db.all<{ id: string }>(
    "DELETE FROM deliveries WHERE session = ? AND status <> 'pending' RETURNING id",
    sessionId,
  )
  for (const { id } of gone) forgetAttempts(db, id)
  db.all(
    `UPDATE deliveries SET data = json_object('session_id', data ->> 'session_id', 'run_id', data ->> 'run_id',
       'status', data ->> 'status', 'finish_reason', data ->> 'finish_reason') WHERE session = ?`,
    sessionId,
  )
}

function forgetAttempts(db: Database, id: string): void {
  db.all('DELETE FROM attempts WHERE delivery = ?', id)
}
