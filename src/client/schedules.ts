import type { NewSchedule, SchedulePatch } from '../domain/schedule.ts'
import { sendForJson, sendForNothing, type Connection } from './http.ts'
import type { Page, PageQuery } from './session-shapes.ts'

/** A schedule as the server shows it. */
export interface ScheduleInfo {
  id: string
  name: string
  enabled: boolean
  /** Null: it is over, or switched off. */
  next_run_time: string | null
  [more: string]: unknown
}

/** One time that a schedule was due, and what it did. */
export interface ScheduledRunInfo {
  id: string
  status: string
  reason: string | null
  session_id: string | null
  run_id: string | null
  [more: string]: unknown
}

/** The routes of schedules as functions. Errors: see `send` in http.ts. */
export function schedulesOf(connection: Connection) {
  const path = (id: string, rest = '') => `/v1/schedules/${encodeURIComponent(id)}${rest}`
  return {
    list: (query: PageQuery = {}) =>
      sendForJson<Page<ScheduleInfo>>(connection, { path: '/v1/schedules', query: { ...query } }),
    create: (schedule: NewSchedule) =>
      sendForJson<ScheduleInfo>(connection, { method: 'POST', path: '/v1/schedules', body: schedule }),
    get: (id: string) => sendForJson<ScheduleInfo>(connection, { path: path(id) }),
    update: (id: string, patch: SchedulePatch) =>
      sendForJson<ScheduleInfo>(connection, { method: 'PATCH', path: path(id), body: patch }),
    delete: (id: string) => sendForNothing(connection, { method: 'DELETE', path: path(id) }),
    runs: (id: string, query: PageQuery = {}) =>
      sendForJson<Page<ScheduledRunInfo>>(connection, { path: path(id, '/runs'), query: { ...query } }),
    /** Start its run now. */
    run: (id: string) =>
      sendForJson<{ session_id: string | null; run_id: string | null }>(connection, {
        method: 'POST',
        path: path(id, '/test'),
        body: { run: true },
      }),
  }
}
