import type { NewSchedule, SchedulePatch } from '../domain/schedule.ts'
import { sendForJson, type Connection } from './http.ts'
import { pathsBelow, resourceOf } from './resource.ts'
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

const BASE = '/v1/schedules'

/** The routes of schedules as functions. Errors: see `send` in http.ts. */
export function schedulesOf(connection: Connection) {
  const path = pathsBelow(BASE)
  return {
    ...resourceOf<ScheduleInfo, NewSchedule, SchedulePatch>(connection, BASE),
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
