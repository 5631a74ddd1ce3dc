/** Milliseconds that a Retry-After header asks for, in seconds or as a date; null when it says nothing readable. */
export function parseRetryAfter(header: string | null, now: number): number | null {
  if (header === null || header.trim() === '') return null
  const ms = /^\s*\d+(\.\d+)?\s*$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - now
  return Number.isFinite(ms) ? Math.max(0, Math.ceil(ms)) : null
}
