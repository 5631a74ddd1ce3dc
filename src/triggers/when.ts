import { Cron } from 'croner'
import { type InputIssue, invalid, ok, type Result } from '../domain/errors.ts'
import type { When } from '../domain/schedule.ts'

/** How a schedule says when it fires; exactly one of the three. */
export interface WhenInput {
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

function cronOf(cron: string, timezone: string, now: number): Result<When> {
  const when: When = { kind: 'cron', cron, timezone }
  try {
    const never = 'it never fires: there is no such time to come'
    return nextAfter(when, now) === null ? invalid([{ path: 'cron', message: never }]) : ok(when)
  } catch (error) {
    const said = error instanceof Error ? error.message.replace(/^CronPattern: /, '') : ''
    return invalid([{ path: 'cron', message: `minute, hour, day, month and weekday: ${said}` }])
  }
}

/** The first time after `after` (Unix ms) that a schedule fires; null: never again. A time that a change of clocks leaves out comes
 *  at the first time after it; one that is there twice comes once, where hour and minute are single values. */
export function nextAfter(when: When, after: number): number | null {
  if (when.kind === 'at') return when.at > after ? when.at : null
  if (when.kind === 'every') {
    const { from, everyMs } = when
    return from + everyMs * Math.max(1, Math.floor((after - from) / everyMs) + 1)
  }
  const cron = new Cron(when.cron, { timezone: when.timezone, paused: true })
  return cron.nextRun(new Date(after))?.getTime() ?? null
}

/** The next times after `after`, at most `count`. */
export function nextTimes(when: When, after: number, count: number): number[] {
  const times: number[] = []
  for (let at = nextAfter(when, after); at !== null && times.length < count; at = nextAfter(when, at)) times.push(at)
  return times
}
