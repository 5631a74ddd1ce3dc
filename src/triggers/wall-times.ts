import { Cron } from 'croner'

const DAY_MS = 86_400_000
const SECOND_MS = 1_000

/** Hours that a cron names one by one, as people do who mean times of a day; it may begin with seconds. */
const FIXED_HOURS = /^(?:\S+\s+)?\S+\s+\d{1,2}(?:,\d{1,2})*(?:\s+\S+){3}$/

/** Whether a cron means times that the clock on the wall shows, rather than a rhythm. */
export function hasFixedHours(cron: string): boolean {
  return FIXED_HOURS.test(cron)
}

/** The first time after `after` (Unix ms) that a cron of fixed hours names; null: never again. A time that a change of clocks leaves out comes at
 *  the first time after it, one that is there twice at the first of the two. croner keeps to that only where hour and minute are single values. */
export function nextOnWall(cron: string, timezone: string, after: number): number | null {
  const wall = wallOf(timezone)
  const times = new Cron(cron, { timezone: 'UTC', paused: true })
  for (let at = times.nextRun(new Date(wall(after))); at !== null; at = times.nextRun(at)) {
    const instant = instantOf(at.getTime(), wall)
    if (instant > after) return instant
  }
  return null
}

/** What the clock on the wall shows at an instant, as if it were UTC, in whole seconds. */
type Wall = (instant: number) => number

function wallOf(timezone: string): Wall {
  const numbers = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric' } as const
  const minutes = { minute: 'numeric', second: 'numeric', hourCycle: 'h23' } as const
  const format = new Intl.DateTimeFormat('en-US', { ...numbers, ...minutes, timeZone: timezone })
  return (instant) => {
    const parts = new Map(format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]))
    const of = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0
    return Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'))
  }
}

/** The first instant at which the clock shows a time, or one behind it that it jumps to. */
function instantOf(shown: number, wall: Wall): number {
  const offsets = [shown - DAY_MS, shown + DAY_MS].map((around) => wall(around) - around)
  const [least, most] = [Math.min(...offsets), Math.max(...offsets)]
  // The clock is further ahead before a time that is there twice.
  if (wall(shown - most) === shown) return shown - most
  if (wall(shown - least) === shown) return shown - least
  let [before, behind] = [shown - most, shown - least]
  while (behind - before > SECOND_MS) {
    const middle = before + Math.floor((behind - before) / 2 / SECOND_MS) * SECOND_MS
    if (wall(middle) < shown) before = middle
    else behind = middle
  }
  return behind
}
