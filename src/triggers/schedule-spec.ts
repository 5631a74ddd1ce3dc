import type { ListedSchedule, NewSchedule, Schedule, ScheduleInfo, SchedulePatch, When } from '../domain/schedule.ts'
import { type InputIssue, invalid, ok, type Result } from '../domain/errors.ts'
import { LIMITS } from '../domain/limits.ts'
import type { NextFiring, StoredTrigger } from '../store/triggers.ts'
import { triggeredWork } from '../domain/start.ts'
import type { TriggerPorts } from './starter.ts'
import { hasFixedHours, nextOnWall } from './wall-times.ts'
import { startView, startWith } from './webhook-spec.ts'
import { Cron } from 'croner'

/** The server's own place in time. */
type Clock = Pick<TriggerPorts, 'now' | 'random' | 'timezone'>

/** A schedule and when it fires next. */
export type Timed = Pick<StoredTrigger<Schedule>, 'spec' | 'next'>

/** A schedule as it was asked for, or why it would never fire. */
export function scheduleFrom(input: NewSchedule, id: string, clock: Clock): Result<Timed> {
  const now = clock.now()
  const timezone = input.timezone ?? clock.timezone
  const when = whenOf(input, timezone, now)
  if (!when.ok) return when
  const work = triggeredWork(input.task, startWith(input, {}))
  const spec: Schedule = {
    id,
    name: input.name,
    description: input.description || null,
    task: work.words,
    when: when.value,
    timezone,
    session: input.session ?? 'new',
    missed: input.missed ?? 'once',
    overlap: input.overlap ?? 'skip',
    jitterMs: input.jitter_ms ?? 0,
    enabled: input.enabled ?? true,
    with: work.with,
    createdTime: now,
    updatedTime: now,
  }
  return checked({ spec, next: nextOf(spec, now, clock) })
}

/** The schedule with a change. Its next time is reckoned anew only if the change has to do with it. */
export function patchedSchedule({ spec, next }: Timed, patch: SchedulePatch, clock: Clock): Result<Timed> {
  const now = clock.now()
  const timezone = patch.timezone === null ? clock.timezone : (patch.timezone ?? spec.timezone)
  const when = patchedWhen(spec, patch, timezone, now)
  if (!when.ok) return when
  const changed: Schedule = {
    ...spec,
    name: patch.name ?? spec.name,
    description: patch.description === undefined ? spec.description : patch.description || null,
    task: patch.task ?? spec.task,
    when: when.value,
    timezone,
    session: patch.session ?? spec.session,
    missed: patch.missed ?? spec.missed,
    overlap: patch.overlap ?? spec.overlap,
    jitterMs: patch.jitter_ms ?? spec.jitterMs,
    enabled: patch.enabled ?? spec.enabled,
    with: startWith(patch, spec.with),
    updatedTime: now,
  }
  const isTimed = when.value !== spec.when || changed.enabled !== spec.enabled || changed.jitterMs !== spec.jitterMs
  return checked({ spec: changed, next: isTimed ? nextOf(changed, now, clock) : next })
}

/** What is not spoken of stays, unless something else takes its place. */
function patchedWhen(spec: Schedule, patch: SchedulePatch, timezone: string, now: number): Result<When> {
  const given = [patch.cron, patch.at, patch.every_ms].some((value) => value !== undefined && value !== null)
  if (given) return whenOf(patch, timezone, now)
  const { when } = spec
  const isGone = (when.kind === 'cron' ? patch.cron : when.kind === 'at' ? patch.at : patch.every_ms) === null
  if (isGone) return whenOf({}, timezone, now)
  return when.kind === 'cron' && timezone !== spec.timezone ? whenOf({ cron: when.cron }, timezone, now) : ok(when)
}

function checked(timed: Timed): Result<Timed> {
  const { session, overlap } = timed.spec
  if (session === 'new' && overlap === 'queue')
    return invalid([
      { path: 'overlap', message: 'queue goes with session same: sessions of their own wait for nobody' },
    ])
  if (session === 'same' && overlap === 'allow')
    return invalid([{ path: 'overlap', message: 'allow goes with session new: one session has one run at a time' }])
  return ok(timed)
}

/** When a schedule fires next after a time, and for what; null: never. */
export function nextOf({ when, jitterMs, enabled }: Schedule, after: number, { random }: Clock): NextFiring | null {
  const due = enabled ? nextAfter(when, after) : null
  return due === null ? null : { due, time: due + Math.floor(random() * jitterMs) }
}

const timeText = (time: number) => new Date(time).toISOString()

/** A schedule as it is listed. */
export function scheduleListView({ spec, next, lastSession }: StoredTrigger<Schedule>): ListedSchedule {
  const { when } = spec
  return {
    id: spec.id,
    object: 'schedule',
    name: spec.name,
    description: spec.description,
    task: spec.task,
    cron: when.kind === 'cron' ? when.cron : null,
    at: when.kind === 'at' ? timeText(when.at) : null,
    every_ms: when.kind === 'every' ? when.everyMs : null,
    timezone: spec.timezone,
    session: spec.session,
    missed: spec.missed,
    overlap: spec.overlap,
    jitter_ms: spec.jitterMs,
    enabled: spec.enabled,
    next_run_time: next && timeText(next.time),
    last_session_id: lastSession,
    ...startView(spec.with),
    created_time: timeText(spec.createdTime),
    updated_time: timeText(spec.updatedTime),
  }
}

/** A schedule as clients see it, with the times at which it is next due. */
export function scheduleView(stored: StoredTrigger<Schedule>): ScheduleInfo {
  const { spec, next } = stored
  const later = next ? nextTimes(spec.when, next.due, LIMITS.trigger.nextRunsMax - 1) : []
  return { ...scheduleListView(stored), next_runs: next ? [next.time, ...later].map(timeText) : [] }
}

/** How a schedule says when it fires; exactly one of the three. */
interface WhenInput {
  cron?: string | null | undefined
  at?: string | null | undefined
  every_ms?: number | null | undefined
}

const NAMES = ['cron', 'at', 'every_ms'] as const

/** When a schedule fires, or why it never will. `timezone`: of a cron; `now`: Unix ms. */
export function whenOf(input: WhenInput, timezone: string, now: number): Result<When> {
  const given = NAMES.filter((name) => input[name] !== undefined && input[name] !== null)
  const [, ...more] = given
  const wrong = given.length === 0 ? [NAMES[0]] : more
  if (wrong.length > 0) return invalid(wrong.map(exactlyOne))
  if (typeof input.cron === 'string') return cronOf(input.cron, timezone, now)
  if (typeof input.at === 'string') return timeOf(input.at, now)
  return ok({ kind: 'every', everyMs: input.every_ms ?? 0, from: now })
}

function exactlyOne(path: string): InputIssue {
  return { path, message: `exactly one of ${NAMES.join(', ')}` }
}

function timeOf(text: string, now: number): Result<When> {
  const at = Date.parse(text)
  return at > now ? ok({ kind: 'at', at }) : invalid([{ path: 'at', message: 'a time to come' }])
}

const NO_CRON = 'minute, hour, day, month and weekday with spaces between, such as 0 9 * * 1-5 for 9:00 on weekdays'

function cronOf(cron: string, timezone: string, now: number): Result<When> {
  const when: When = { kind: 'cron', cron, timezone }
  try {
    const never = 'it never fires: there is no such time to come'
    return nextAfter(when, now) === null ? invalid([{ path: 'cron', message: never }]) : ok(when)
  } catch {
    return invalid([{ path: 'cron', message: NO_CRON }])
  }
}

/** The first time after `after` (Unix ms) that a schedule fires; null: never again. A time that a change of clocks leaves out comes
 *  at the first time after it; one that is there twice comes once, where the hours are named one by one. */
export function nextAfter(when: When, after: number): number | null {
  if (when.kind === 'at') return when.at > after ? when.at : null
  if (when.kind === 'every') {
    const { from, everyMs } = when
    return from + everyMs * Math.max(1, Math.floor((after - from) / everyMs) + 1)
  }
  if (hasFixedHours(when.cron)) return nextOnWall(when.cron, when.timezone, after)
  const cron = new Cron(when.cron, { timezone: when.timezone, paused: true })
  return cron.nextRun(new Date(after))?.getTime() ?? null
}

/** The next times after `after`, at most `count`. */
export function nextTimes(when: When, after: number, count: number): number[] {
  const times: number[] = []
  for (let at = nextAfter(when, after); at !== null && times.length < count; at = nextAfter(when, at)) times.push(at)
  return times
}
