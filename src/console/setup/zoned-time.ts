import { language, momentText, texts } from '../language.ts'

/** A zone by the one name that the browser has for it; null: it does not know it. */
function knownZone(zone: string | undefined): string | null {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone
  } catch {
    return null
  }
}

/** Whether clocks of this zone are not those of who reads, as far as one knows. */
export function isOtherZone(zone: unknown): zone is string {
  const known = typeof zone === 'string' ? knownZone(zone) : null
  return known !== null && known !== knownZone(undefined)
}

/** The zone of who reads. */
export const ownZone = (): string => knownZone(undefined) ?? 'UTC'

/** A date and a time of day by the clocks of a zone. */
export function momentIn(zone: unknown, time: string): string {
  if (!isOtherZone(zone) || Number.isNaN(Date.parse(time))) return momentText(time)
  const format = new Intl.DateTimeFormat(language.value, { dateStyle: 'medium', timeStyle: 'short', timeZone: zone })
  return format.format(new Date(time))
}

/** The same, with the zone where it is not that of who reads. */
export const zonedText = (zone: unknown, time: string): string =>
  isOtherZone(zone) ? texts().aside(momentIn(zone, time), zone) : momentText(time)
