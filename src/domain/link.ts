import * as z from 'zod'
import { LIMITS } from './limits.ts'
import { onDemand, type ShapeOf, time } from '../lib/shape.ts'
import { scope } from './access.ts'
import { DECISION_WORDS, pending } from './pending.ts'
import { STATUSES } from './run.ts'
import { session } from './session.ts'

const { linkMsDefault, linkMsMin, linkMsMax } = LIMITS.access

/** What the holder of a link may do: read, or decide what waits. */
const linkScope = z.enum(['read', 'decide'])
export type LinkScope = z.infer<typeof linkScope>

/** Body of POST /v1/sessions/{id}/links. Neither time given: `linkMsDefault` from now. */
export const newLink = z
  .strictObject({
    scope: linkScope,
    /** The one item that the link is for; absent: the session. */
    pending_id: z.string().min(1).max(100).optional(),
    expires_time: z.iso.datetime({ offset: true, error: 'an RFC 3339 time' }).optional(),
    ttl_ms: z.int().min(linkMsMin).max(linkMsMax).optional(),
    /** Whoever holds it may approve with other arguments than those that are shown. */
    allow_edit: z.boolean().optional(),
  })
  .refine(({ expires_time: until, ttl_ms: ttl }) => until === undefined || ttl === undefined, {
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
  /** It may approve with other arguments than those that are shown. */
  allowEdit: boolean
  /** Id of the key that made it, with which it goes; `server`: the product itself did. */
  createdBy: string
  createdTime: number
  expiresTime: number
}

/** What became of a token that was shown. Forged, revoked and unknown ones are alike. */
export type OpenedLink = { outcome: 'good'; link: Link } | { outcome: 'unknown' } | { outcome: 'expired'; link: Link }

/** When a new link is over. */
export function linkExpiry({ expires_time: until, ttl_ms: ttl = linkMsDefault }: NewLink, now: number): number {
  return until === undefined ? now + ttl : Date.parse(until)
}

/** A link as it is shown. */
export const link = /* @__PURE__ */ onDemand(() =>
  z.object({
    id: z.string(),
    object: z.literal('link'),
    scope,
    session_id: z.string(),
    /** Null: it is for the whole session. */
    pending_id: z.string().nullable(),
    /** Whether it may approve with other arguments than those that are shown. */
    allow_edit: z.boolean(),
    created_time: time(),
    expires_time: time(),
    created_by: z.string().exactOptional(),
  }),
)

/** `url` and `token`: in the answer that made it alone. */
export const madeLink = /* @__PURE__ */ onDemand(() =>
  link().extend({ url: z.string().exactOptional(), token: z.string().exactOptional() }),
)
export type LinkInfo = ShapeOf<typeof madeLink>

/** What the holder of a link sees that is not for reading: what waits for a decision. */
const waitingView = /* @__PURE__ */ onDemand(() =>
  link().extend({ title: z.string(), status: z.enum(STATUSES), pending: z.array(pending()) }),
)

/** What the holder of a link sees: the session, or what waits for a decision. */
export const linkView = /* @__PURE__ */ onDemand(() => z.union([session(), waitingView()]))
export type LinkView = ShapeOf<typeof linkView>

export const linkDecided = /* @__PURE__ */ onDemand(() =>
  z.object({
    object: z.literal('link.decision'),
    session_id: z.string(),
    pending_id: z.string(),
    decision: z.enum(DECISION_WORDS),
  }),
)
export type LinkDecided = ShapeOf<typeof linkDecided>

export const linkSecretRotated = /* @__PURE__ */ onDemand(() =>
  z.object({ object: z.literal('link.secret'), rotated_time: time() }),
)
