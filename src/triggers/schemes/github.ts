import { fromHex, isSignedWith } from '../../lib/hash.ts'
import { NO_MATCH, PLAIN, type Scheme, textMember } from './scheme.ts'
import { randomSecret } from './secrets.ts'

/** GitHub: HMAC-SHA-256 over the body, in hex. It signs no time; a repeat is known by the id of its delivery.
 *  Source: docs.github.com, "Validating webhook deliveries". */
export const GITHUB: Scheme = {
  ...PLAIN,
  verify: async ({ headers, bytes }, secret) => {
    const signed = headers['x-hub-signature-256']
    if (!signed) return 'x-hub-signature-256 is needed'
    const signature = signed.startsWith('sha256=') ? fromHex(signed.slice('sha256='.length)) : null
    return signature && (await isSignedWith(secret, bytes, [signature])) ? null : NO_MATCH
  },
  deliveryId: (headers) => headers['x-github-delivery'] ?? null,
  eventOf: (headers, body) => {
    const event = headers['x-github-event'] ?? null
    const action = textMember(body, 'action')
    return event !== null && action !== null ? `${event}.${action}` : event
  },
  newSecret: randomSecret,
}
