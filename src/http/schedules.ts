import type { Context } from 'hono'
import { fail, ok, type Result } from '../domain/errors.ts'
import { newSchedule, type Schedule, schedulePatch, scheduleTest } from '../domain/schedule.ts'
import { newId } from '../lib/id.ts'
import type { TriggerApi } from '../objects/api.ts'
import { serverOf } from '../objects/engine.ts'
import { directoryObject, triggerObject } from '../objects/env.ts'
import { timezoneOf } from '../objects/trigger-ports.ts'
import { checkStart } from '../session/commands/check-start.ts'
import type { StoredTrigger } from '../store/triggers.ts'
import { listedSchedule, patchedSchedule, scheduleFrom, shownSchedule, type Timed } from '../triggers/schedule-spec.ts'
import { shownRun } from '../triggers/shown.ts'
import { needs } from './middleware/auth.ts'
import { body, query } from './middleware/body.ts'
import { factory, type AppEnv } from './context.ts'
import { describe, listOf } from './openapi/describe.ts'
import { answeredOnce, doneWith } from './middleware/idempotency.ts'
import { list } from './list.ts'
import { problem } from './problem.ts'
import { scheduleListQuery, runListQuery, pageOf, paged } from './trigger-page.ts'

/** Tasks at a time, or again and again. */
export const schedules = factory
  .createApp()

  .get(
    '/',
    describe({
      summary: 'Schedules of the tenant, newest first',
      returns: listOf('ListedSchedule'),
      query: scheduleListQuery,
    }),
    needs('read'),
    query(scheduleListQuery),
    async (c) => {
      const asked = c.req.valid('query')
      const found = (await triggers(c).schedules(pageOf(asked))).map((one) => ({ ...one, id: one.spec.id }))
      const { data, next } = paged(found, asked.limit)
      return list(c, data.map(listedSchedule), next)
    },
  )

  .post(
    '/',
    describe({
      summary: 'Add a schedule: a cron with its time zone, one time, or an interval',
      body: newSchedule,
      returns: 'Schedule',
      status: [201],
      errors: ['too_many', 'unpriced_model'],
      audit: { action: 'schedule.create' },
    }),
    needs('admin'),
    answeredOnce,
    body(newSchedule),
    async (c) => {
      const made = scheduleFrom(c.req.valid('json'), newId('sch', Date.now()), clockOf(c))
      const checked = made.ok ? await startable(c, made.value) : made
      if (!checked.ok) return problem(c, checked.error)
      const kept = await triggers(c).addSchedule(tenantOf(c), checked.value, c.get('once')?.key ?? null)
      if (!kept.ok) return problem(c, kept.error)
      const shown = shownSchedule(kept.value)
      const location = `/v1/schedules/${shown.id}`
      const done = doneWith(c, { body: shown, location })
      if (done) await directoryObject(c.env, tenantOf(c)).keepAnswer(done.key, done.answer)
      c.header('location', location)
      return c.json(shown, 201)
    },
  )

  .get(
    '/:id',
    describe({ summary: 'A schedule, with the times at which it is next due', returns: 'Schedule' }),
    needs('read'),
    async (c) => answer(c, await triggers(c).schedule(c.req.param('id'))),
  )

  .patch(
    '/:id',
    describe({
      summary: 'Change a schedule',
      body: schedulePatch,
      returns: 'Schedule',
      errors: ['unpriced_model'],
      audit: { action: 'schedule.update', fields: true },
    }),
    needs('admin'),
    body(schedulePatch),
    async (c) => {
      const patch = c.req.valid('json')
      const known = await triggers(c).schedule(c.req.param('id'))
      const changed = known.ok ? patchedSchedule(known.value, patch, clockOf(c)) : known
      const checked = changed.ok ? await startable(c, changed.value) : changed
      return answer(c, checked.ok ? await triggers(c).patchSchedule(c.req.param('id'), patch) : checked)
    },
  )

  .delete(
    '/:id',
    describe({ summary: 'Delete a schedule and its log; its sessions stay', audit: { action: 'schedule.delete' } }),
    needs('admin'),
    async (c) => {
      const removed = await triggers(c).removeSchedule(c.req.param('id'))
      return removed.ok ? c.body(null, 204) : problem(c, removed.error)
    },
  )

  .get(
    '/:id/runs',
    describe({
      summary: 'When it was due, what it did and why not, newest first',
      returns: listOf('ScheduledRun'),
      query: runListQuery,
    }),
    needs('read'),
    query(runListQuery),
    async (c) => {
      const asked = c.req.valid('query')
      const found = await triggers(c).scheduledRuns(c.req.param('id'), pageOf(asked))
      if (!found.ok) return problem(c, found.error)
      const { data, next } = paged(found.value, asked.limit)
      return list(c, data.map(shownRun), next)
    },
  )

  .post(
    '/:id/test',
    describe({
      summary: 'Say what the schedule would start; with run it starts it now',
      body: scheduleTest,
      returns: 'ScheduleTrial',
      audit: { action: 'schedule.test' },
    }),
    needs('admin'),
    answeredOnce,
    body(scheduleTest),
    async (c) => {
      const id = c.req.param('id')
      const known = await triggers(c).schedule(id)
      if (!known.ok) return problem(c, known.error)
      const { run } = c.req.valid('json')
      const started = run ? await triggers(c).startSchedule(id, c.get('once')?.key ?? null) : ok(null)
      if (!started.ok) return problem(c, started.error)
      const { task, next_runs } = shownSchedule(known.value)
      return c.json({
        object: 'schedule.trial',
        task,
        next_runs,
        session_id: started.value?.sessionId ?? null,
        run_id: started.value?.runId ?? null,
        run: started.value && shownRun(started.value),
      })
    },
  )

const tenantOf = (c: Context<AppEnv>): string => c.get('principal').tenant

function triggers(c: Context<AppEnv>): TriggerApi {
  return triggerObject(c.env, tenantOf(c))
}

function clockOf(c: Context<AppEnv>) {
  return { now: Date.now, random: Math.random, timezone: timezoneOf(c.env) }
}

/** The schedule, if a session that it makes could be made now. */
async function startable(c: Context<AppEnv>, timed: Timed): Promise<Result<Timed>> {
  const { engine } = serverOf(c.env)
  const refused = await checkStart(engine, tenantOf(c), { ...timed.spec.with, task: timed.spec.task })
  return refused ? fail(refused) : ok(timed)
}

function answer(c: Context<AppEnv>, found: Result<StoredTrigger<Schedule>>): Response {
  return found.ok ? c.json(shownSchedule(found.value)) : problem(c, found.error)
}
