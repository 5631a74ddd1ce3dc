/** Since when the clocks of these zones have been left alone: 1 January 1992, Unix milliseconds. */
const SINCE = 694_224_000_000
const MINUTE_MS = 60_000

/** Minutes ahead of UTC. Of the zones without summer time these are the ones that most people live in; any other is left to `Intl`. */
const MINUTES: ReadonlyMap<string, number> = new Map([
  ['UTC', 0],
  ['Asia/Dubai', 240],
  ['Asia/Kolkata', 330],
  ['Asia/Bangkok', 420],
  ['Asia/Ho_Chi_Minh', 420],
  ['Asia/Jakarta', 420],
  ['Asia/Shanghai', 480],
  ['Asia/Hong_Kong', 480],
  ['Asia/Taipei', 480],
  ['Asia/Kuala_Lumpur', 480],
  ['Asia/Singapore', 480],
  ['Asia/Manila', 480],
  ['Asia/Tokyo', 540],
  ['Asia/Seoul', 540],
])

export const STEADY_ZONES: readonly string[] = [...MINUTES.keys()]

/** How far the clock of a zone is ahead of UTC, in milliseconds; null: `Intl` has to say it. The first use of `Intl` loads what it knows of
 *  all languages: 7 MB, and 12 ms of an isolate's first run. */
export function steadyOffsetMs(zone: string, now: number): number | null {
  const minutes = now < SINCE ? undefined : MINUTES.get(zone)
  return minutes === undefined ? null : minutes * MINUTE_MS
}

/** True: it is a zone for certain, of which `Intl` need not be asked. */
export function isSteadyZone(zone: string): boolean {
  return MINUTES.has(zone)
}
