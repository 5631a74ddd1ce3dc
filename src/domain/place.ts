import * as z from 'zod'

/** Where objects may be kept by law. Source: Cloudflare's page of Durable Objects' data location. */
const JURISDICTIONS = ['eu', 'us', 'fedramp', 'fedramp-high'] as const
export type Jurisdiction = (typeof JURISDICTIONS)[number]

/** Near whom an object is made; no promise. */
const LOCATION_HINTS = ['wnam', 'enam', 'sam', 'weur', 'eeur', 'apac', 'apac-ne', 'apac-se', 'oc', 'afr', 'me'] as const

/** Where sessions are kept. Fixed for the life of each. */
export const place = z.strictObject({
  jurisdiction: z.enum(JURISDICTIONS).exactOptional(),
  location_hint: z.enum(LOCATION_HINTS).exactOptional(),
})
export type Place = z.infer<typeof place>

/** The jurisdiction that a session's id ends with; null: none. So whoever has the id finds the session. */
export function jurisdictionOf(id: string): Jurisdiction | null {
  const ending = id.slice(id.indexOf('-') + 1)
  return JURISDICTIONS.find((one) => id.includes('-') && one === ending) ?? null
}
