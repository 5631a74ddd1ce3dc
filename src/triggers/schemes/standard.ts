import { LIMITS } from '../../domain/limits.ts'
import { fromBase64, toBase64 } from '../../lib/base64.ts'
import { isSignedWith, prefixed } from '../../lib/hash.ts'
import { NO_MATCH, PLAIN, type Scheme, textMember } from './scheme.ts'
import { timeProblem } from './signed-time.ts'

const PREFIX = 'whsec_'

/** Standard Webhooks: HMAC-SHA-256 over id, time and body, in base64; one header may hold several signatures.
 *  Source: github.com/standard-webhooks/standard-webhooks, spec/standard-webhooks.md, "Verifying webhook authenticity". */
export const STANDARD: Scheme = {
  ...PLAIN,
  verify: async ({ headers, bytes, now }, secret) => {
    const { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signed } = headers
    if (!id || !time || !signed) return 'webhook-id, webhook-timestamp and webhook-signature are needed'
    const late = timeProblem(time, now)
    if (late !== null) return late
    const key = keyOf(secret) ?? new Uint8Array()
    return (await isSignedWith(key, prefixed(`${id}.${time}.`, bytes), signaturesIn(signed))) ? null : NO_MATCH
  },
  deliveryId: (headers) => headers['webhook-id'] ?? null,
  eventOf: (_headers, body) => textMember(body, 'type'),
  newSecret: () => `${PREFIX}${toBase64(crypto.getRandomValues(new Uint8Array(LIMITS.trigger.secretBytes)))}`,
  secretProblem: (secret) => (keyOf(secret)?.length ? null : 'whsec_ and base64, as Standard Webhooks has them'),
}

function keyOf(secret: string): Uint8Array<ArrayBuffer> | null {
  return fromBase64(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret)
}

function signaturesIn(header: string): Uint8Array<ArrayBuffer>[] {
  const all = header.split(' ', LIMITS.trigger.signaturesMax)
  return all.flatMap((one) => (one.startsWith('v1,') ? (fromBase64(one.slice(3)) ?? []) : []))
}
