import * as z from 'zod'
import { LIMITS } from './limits.ts'

const { linkMsDefault, linkMsMin, linkMsMax } = LIMITS.access

/** What the holder of a link may do: read, or decide what waits. */
export const linkScope = z.enum(['read', 'decide'])
export type LinkScope = z.infer<typeof linkScope>

/** Body of POST /v1/sessions/{id}/links. Neither time given: `linkMsDefault` from now. */
export const newLink = z
  .strictObject({
    scope: linkScope,
    /** The one item that the link is for; absent: the session. */
    pending_id: z.string().min(1).max(100).optional(),
    expires_time: z.iso.datetime({ offset: true, error: 'an RFC 3339 time' }).optional(),
    ttl_ms: z.int().min(linkMsMin).max(linkMsMax).optional(),
  })
  .refine(({ expires_time: time, ttl_ms: ttl }) => time === undefined || ttl === undefined, {
    path: ['ttl_ms'],
    error: 'either expires_time or ttl_ms',
  })
export type NewLink = z.infer<typeof newLink>

/** A link as its tenant knows it. Times in Unix ms. */
export interface Link {
  id: string
  scope: LinkScope
  sessionId: string
  /** Null: the whole session. */
  pendingId: string | null
  /** Id of the key that made it, with which it goes; `server`: the product itself did. */
  createdBy: string
  createdTime: number
  expiresTime: number
}

/** What became of a token that was shown. Forged, revoked and unknown ones are alike. */
export type OpenedLink = { outcome: 'good'; link: Link } | { outcome: 'unknown' } | { outcome: 'expired'; link: Link }

/** When a new link is over. */
export function linkExpiry({ expires_time: time, ttl_ms: ttl = linkMsDefault }: NewLink, now: number): number {
  return time === undefined ? now + ttl : Date.parse(time)
}
