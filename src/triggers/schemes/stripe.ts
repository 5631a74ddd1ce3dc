import { LIMITS } from '../../domain/limits.ts'
import { fromHex, isSignedWith, prefixed } from '../../lib/hash.ts'
import { NO_MATCH, PLAIN, type Scheme, textMember } from './scheme.ts'
import { timeProblem } from './signed-time.ts'

/** Stripe: HMAC-SHA-256 over time and body, in hex; while a secret is rolled there are several `v1`.
 *  Source: docs.stripe.com/webhooks, "Verify webhook signatures manually". */
export const STRIPE: Scheme = {
  ...PLAIN,
  verify: async ({ headers, bytes, now }, secret) => {
    const signed = headers['stripe-signature']
    if (!signed) return 'stripe-signature is needed'
    const parts = signed.split(',', LIMITS.trigger.signaturesMax).map((part) => part.trim())
    const time = parts.find((part) => part.startsWith('t='))?.slice('t='.length) ?? ''
    const late = timeProblem(time, now)
    if (late !== null) return late
    const signatures = parts.flatMap((part) =>
      part.startsWith('v1=') ? (fromHex(part.slice('v1='.length)) ?? []) : [],
    )
    return (await isSignedWith(secret, prefixed(`${time}.`, bytes), signatures)) ? null : NO_MATCH
  },
  deliveryId: (_headers, body) => textMember(body, 'id'),
  eventOf: (_headers, body) => textMember(body, 'type'),
}
