import { LIMITS } from '../../domain/limits.ts'

/** Why the time that a request was signed with is not to be taken; null: it is. `seconds`: Unix time as the sender wrote it. */
export function timeProblem(seconds: string, now: number): string | null {
  if (!/^\d{1,12}$/.test(seconds)) return 'the signed time is not a Unix time in seconds'
  const { toleranceMs } = LIMITS.trigger
  const away = now - Number(seconds) * 1_000
  if (away > toleranceMs) return `it was signed more than ${toleranceMs / 1_000} seconds ago`
  return away < -toleranceMs ? `it was signed for more than ${toleranceMs / 1_000} seconds ahead` : null
}
