import { PLAIN, type Scheme, textMember } from './scheme.ts'
import { randomSecret } from './secrets.ts'

/** A secret that is sent along as it is: for senders that can sign nothing. */
export const BEARER: Scheme = {
  ...PLAIN,
  verify: async ({ headers }, secret) => {
    const shown = /^Bearer\s+(\S+)\s*$/i.exec(headers['authorization'] ?? '')?.[1]
    if (shown === undefined) return 'Authorization: Bearer SECRET is needed'
    return (await isSame(shown, secret)) ? null : 'the secret is not that of this webhook'
  },
  deliveryId: (headers) => headers['webhook-id'] ?? headers['idempotency-key'] ?? null,
  eventOf: (headers, body) => textMember(body, 'type') ?? headers['x-event-type'] ?? null,
  newSecret: randomSecret,
  secretProblem: (secret) => (/^\S+$/.test(secret) ? null : 'a text without white space'),
}

/** Compared by their hashes, all of each: the time that it takes tells nothing. */
async function isSame(one: string, other: string): Promise<boolean> {
  const [left = new Uint8Array(), right = new Uint8Array()] = await Promise.all([one, other].map(digestOf))
  return left.reduce((different, byte, at) => different | (byte ^ (right[at] ?? 0)), 0) === 0
}

async function digestOf(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
}
