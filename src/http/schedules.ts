import type { Context } from 'hono'
import { fail, ok, type Result } from '../domain/errors.ts'
import { newSchedule, type Schedule, schedulePatch, scheduleTest } from '../domain/schedule.ts'
import { newId } from '../lib/id.ts'
import { serverFor } from '../objects/engine.ts'
import { triggerObject } from '../objects/env.ts'
import { serverTimezone } from '../objects/trigger-ports.ts'
import { checkStart } from '../session/commands/create.ts'
import type { StoredTrigger } from '../store/triggers.ts'
import { patchedSchedule, scheduleFrom, scheduleListView, scheduleView, type Timed } from '../triggers/schedule-spec.ts'
import { scheduleRunView } from '../triggers/view.ts'
import { type AppEnv, factory } from './context.ts'
import { listOf } from './openapi/describe.ts'
import { pageOf, runListQuery, scheduleListQuery } from './queries.ts'
import { type Answer, type Call, json, lastId, nothing, page, query, route } from './route.ts'

const triggers = ({ c, tenant }: Call<unknown>) => triggerObject(c.env, tenant)

/** Tasks at a time, or again and again. */
export const scheduleRoutes = factory
  .createApp()

  .get(
    '/',
    route(
      {
        summary: 'Schedules of the tenant, newest first',
        scope: 'read',
        reads: query(scheduleListQuery),
        returns: listOf('ListedSchedule'),
      },
      async (call) => {
        const found = await triggers(call).schedules(pageOf(call.input))
        return ok(page(found, call.input.limit, ({ spec }) => spec.id, scheduleListView))
      },
    ),
  )

  .post(
    '/',
    route(
      {
        summary: 'Add a schedule: a cron with its time zone, one time, or an interval',
        scope: 'admin',
        reads: json(newSchedule),
        returns: 'Schedule',
        status: [201],
        errors: ['too_many', 'unpriced_model'],
        audit: { action: 'schedule.create' },
      },
      async (call) => {
        const made = scheduleFrom(call.input, newId('sch', Date.now()), clockOf(call.c))
        const checked = made.ok ? await startable(call, made.value) : made
        if (!checked.ok) return checked
        const kept = await triggers(call).addSchedule(call.tenant, checked.value, call.key)
        if (!kept.ok) return kept
        const body = scheduleView(kept.value)
        return ok({ body, location: `/v1/schedules/${body.id}`, status: 201 })
      },
    ),
  )

  .get(
    '/:id',
    route(
      {
        summary: 'A schedule, with the times at which it is next due',
        scope: 'read',
        reads: nothing,
        returns: 'Schedule',
      },
      async (call) => answer(await triggers(call).schedule(call.param('id'))),
    ),
  )

  .patch(
    '/:id',
    route(
      {
        summary: 'Change a schedule',
        scope: 'admin',
        reads: json(schedulePatch),
        returns: 'Schedule',
        errors: ['unpriced_model'],
        audit: { action: 'schedule.update', fields: true },
      },
      async (call) => {
        const known = await triggers(call).schedule(call.param('id'))
        const changed = known.ok ? patchedSchedule(known.value, call.input, clockOf(call.c)) : known
        const checked = changed.ok ? await startable(call, changed.value) : changed
        return answer(checked.ok ? await triggers(call).patchSchedule(call.param('id'), call.input) : checked)
      },
    ),
  )

  .delete(
    '/:id',
    route(
      {
        summary: 'Delete a schedule and its log; its sessions stay',
        scope: 'admin',
        reads: nothing,
        audit: { action: 'schedule.delete' },
      },
      async (call) => {
        const removed = await triggers(call).removeSchedule(call.param('id'))
        return removed.ok ? ok({}) : removed
      },
    ),
  )

  .get(
    '/:id/runs',
    route(
      {
        summary: 'When it was due, what it did and why not, newest first',
        scope: 'read',
        reads: query(runListQuery),
        returns: listOf('ScheduledRun'),
      },
      async (call) => {
        const found = await triggers(call).scheduledRuns(call.param('id'), pageOf(call.input))
        return found.ok ? ok(page(found.value, call.input.limit, lastId, scheduleRunView)) : found
      },
    ),
  )

  .post(
    '/:id/test',
    route(
      {
        summary: 'Say what the schedule would start; with run it starts it now',
        scope: 'admin',
        reads: json(scheduleTest),
        returns: 'ScheduleTrial',
        audit: { action: 'schedule.test' },
      },
      async (call) => {
        const known = await triggers(call).schedule(call.param('id'))
        if (!known.ok) return known
        const started = call.input.run ? await triggers(call).startSchedule(call.param('id'), call.key) : ok(null)
        if (!started.ok) return started
        const { task, next_runs } = scheduleView(known.value)
        const { sessionId: session_id = null, runId: run_id = null } = started.value ?? {}
        const run = started.value && scheduleRunView(started.value)
        return ok({ body: { object: 'schedule.trial', task, next_runs, session_id, run_id, run } })
      },
    ),
  )

function clockOf(c: Context<AppEnv>) {
  return { now: Date.now, random: Math.random, timezone: serverTimezone(c.env) }
}

/** The schedule, if a session that it makes could be made now. */
async function startable({ c, tenant }: Call<unknown>, timed: Timed): Promise<Result<Timed>> {
  const { engine } = await serverFor(c.env, tenant)
  const refused = await checkStart(engine, tenant, { ...timed.spec.with, task: timed.spec.task })
  return refused ? fail(refused) : ok(timed)
}

function answer(found: Result<StoredTrigger<Schedule>>): Result<Answer> {
  return found.ok ? ok({ body: scheduleView(found.value) }) : found
}
