import { language } from '../language.ts'

/** A UTC day such as `2026-11-24`, as one reads it: `Nov 24`. */
export function usageDayText(day: string): string {
  const time = Date.parse(day)
  if (Number.isNaN(time)) return day
  return new Intl.DateTimeFormat(language.value, { month: 'short', day: 'numeric', timeZone: 'UTC' }).format(time)
}
