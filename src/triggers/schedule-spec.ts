import { invalid, ok, type Result } from '../domain/errors.ts'
import { LIMITS } from '../domain/limits.ts'
import type { NewSchedule, Schedule, SchedulePatch, When } from '../domain/schedule.ts'
import type { NextFiring, StoredTrigger } from '../store/triggers.ts'
import type { TriggerPorts } from './ports.ts'
import { shownStart, startWith } from './webhook-spec.ts'
import { nextAfter, nextTimes, whenOf } from './when.ts'

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
  const spec: Schedule = {
    id,
    name: input.name,
    description: input.description || null,
    task: input.task,
    when: when.value,
    timezone,
    session: input.session ?? 'new',
    missed: input.missed ?? 'once',
    overlap: input.overlap ?? 'skip',
    jitterMs: input.jitter_ms ?? 0,
    enabled: input.enabled ?? true,
    with: startWith(input, {}),
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

const shownTime = (time: number) => new Date(time).toISOString()

/** A schedule as it is listed. */
export function listedSchedule({ spec, next, lastSession }: StoredTrigger<Schedule>) {
  const { when } = spec
  return {
    id: spec.id,
    object: 'schedule' as const,
    name: spec.name,
    description: spec.description,
    task: spec.task,
    cron: when.kind === 'cron' ? when.cron : null,
    at: when.kind === 'at' ? shownTime(when.at) : null,
    every_ms: when.kind === 'every' ? when.everyMs : null,
    timezone: spec.timezone,
    session: spec.session,
    missed: spec.missed,
    overlap: spec.overlap,
    jitter_ms: spec.jitterMs,
    enabled: spec.enabled,
    next_run_time: next && shownTime(next.time),
    last_session_id: lastSession,
    ...shownStart(spec.with),
    created_time: shownTime(spec.createdTime),
    updated_time: shownTime(spec.updatedTime),
  }
}

/** A schedule as clients see it, with the times at which it is next due. */
export function shownSchedule(stored: StoredTrigger<Schedule>) {
  const { spec, next } = stored
  const later = next ? nextTimes(spec.when, next.due, LIMITS.trigger.nextRunsMax - 1) : []
  return { ...listedSchedule(stored), next_runs: next ? [next.time, ...later].map(shownTime) : [] }
}
