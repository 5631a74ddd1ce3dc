import type { Period } from '../domain/budget.ts'

/** The name of the period that a time is in: `2026-11-21` or `2026-11`, in UTC. Older ones sort before it. */
export function periodOf(period: Period, now: number): string {
  return new Date(now).toISOString().slice(0, period === 'day' ? 10 : 7)
}

/** When the period ends, Unix ms. */
export function endOf(period: Period, now: number): number {
  const date = new Date(now)
  const day = period === 'day' ? date.getUTCDate() + 1 : 1
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + (period === 'day' ? 0 : 1), day)
}

/** The oldest period that is kept: the month before. */
export function oldestKept(now: number): string {
  const date = new Date(now)
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - 1, 1)).toISOString().slice(0, 7)
}
