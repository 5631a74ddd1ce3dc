import { memberOf } from '../lib/json.ts'
import { LIMITS } from '../domain/limits.ts'
import { fromBase64, toBase64 } from '../lib/base64.ts'
import { isSignedWith, prefixed, fromHex } from '../lib/hash.ts'
import type { WebhookScheme } from '../domain/webhook.ts'

/** A delivery as it arrived. Names of headers are in lower case; `now`: Unix ms. */
export interface SignedRequest {
  headers: Readonly<Record<string, string>>
  bytes: Uint8Array<ArrayBuffer>
  now: number
}

/** Null: the signature holds. Else why it does not, in words for the webhook's owner. */
type Refusal = string | null

/** How one kind of sender proves itself, and where it says what it sends. */
interface Scheme {
  verify: (request: SignedRequest, secret: string) => Promise<Refusal>
  /** What the sender calls this delivery, again when it is sent again; null: nothing. */
  deliveryId: (headers: SignedRequest['headers'], body: unknown) => string | null
  /** The kind of the event; null: it is not said. */
  eventOf: (headers: SignedRequest['headers'], body: unknown) => string | null
  /** A new secret; null: the sender's service makes it. */
  newSecret: (() => string) | null
  /** What is wrong with a secret; null: nothing. */
  secretProblem: (secret: string) => string | null
  /** The answer to a sender that only asks whether it speaks to the right one; null: it does not ask. */
  answerTo: (body: unknown) => Record<string, unknown> | null
}

/** What most schemes have in common. */
const PLAIN = {
  newSecret: null,
  secretProblem: () => null,
  answerTo: () => null,
} satisfies Partial<Scheme>

const NO_MATCH = 'no signature fits a secret of this webhook'

/** A member of an object that has to be a text. */
function textMember(value: unknown, name: string): string | null {
  const member = memberOf(value, name)
  return typeof member === 'string' && member !== '' ? member : null
}

const PREFIX = 'whsec_'

/** Standard Webhooks: HMAC-SHA-256 over id, time and body, in base64; one header may hold several signatures.
 *  Source: github.com/standard-webhooks/standard-webhooks, spec/standard-webhooks.md, "Verifying webhook authenticity". */
const STANDARD: Scheme = {
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

/** Signatures as senders write them: another text of the same bytes is none. */
function signaturesIn(header: string): Uint8Array<ArrayBuffer>[] {
  const all = header.split(' ', LIMITS.trigger.signaturesMax)
  return all.flatMap((one) => {
    const bytes = one.startsWith('v1,') ? fromBase64(one.slice(3)) : null
    return bytes && `v1,${toBase64(bytes)}` === one ? [bytes] : []
  })
}

/** GitHub: HMAC-SHA-256 over the body, in hex. It signs no time; a repeat is known by the id of its delivery.
 *  Source: docs.github.com, "Validating webhook deliveries". */
const GITHUB: Scheme = {
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

/** Slack: HMAC-SHA-256 over version, time and body, in hex. Its first request asks for its challenge back.
 *  Source: docs.slack.dev, "Verifying requests from Slack" and "url_verification". */
const SLACK: Scheme = {
  ...PLAIN,
  verify: async ({ headers, bytes, now }, secret) => {
    const { 'x-slack-request-timestamp': time, 'x-slack-signature': signed } = headers
    if (!time || !signed) return 'x-slack-request-timestamp and x-slack-signature are needed'
    const late = timeProblem(time, now)
    if (late !== null) return late
    const signature = signed.startsWith('v0=') ? fromHex(signed.slice('v0='.length)) : null
    return signature && (await isSignedWith(secret, prefixed(`v0:${time}:`, bytes), [signature])) ? null : NO_MATCH
  },
  deliveryId: (_headers, body) => textMember(body, 'event_id'),
  eventOf: (_headers, body) => textMember(memberOf(body, 'event'), 'type') ?? textMember(body, 'type'),
  answerTo: (body) => {
    const challenge = textMember(body, 'type') === 'url_verification' ? textMember(body, 'challenge') : null
    return challenge === null ? null : { challenge }
  },
}

/** Stripe: HMAC-SHA-256 over time and body, in hex; while a secret is rolled there are several `v1`.
 *  Source: docs.stripe.com/webhooks, "Verify webhook signatures manually". */
const STRIPE: Scheme = {
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

/** A secret that is sent along as it is: for senders that can sign nothing. */
const BEARER: Scheme = {
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

/** A secret for senders that take any text. */
function randomSecret(): string {
  const text = toBase64(crypto.getRandomValues(new Uint8Array(LIMITS.trigger.secretBytes)))
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/** Why the time that a request was signed with is not to be taken; null: it is. `seconds`: Unix time as the sender wrote it. */
function timeProblem(seconds: string, now: number): string | null {
  if (!/^\d{1,12}$/.test(seconds)) return 'the signed time is not a Unix time in seconds'
  const { toleranceMs } = LIMITS.trigger
  const away = now - Number(seconds) * 1_000
  if (away > toleranceMs) return `it was signed more than ${toleranceMs / 1_000} seconds ago`
  return away < -toleranceMs ? `it was signed for more than ${toleranceMs / 1_000} seconds ahead` : null
}

export const SCHEMES: Readonly<Record<WebhookScheme, Scheme>> = {
  standard: STANDARD,
  github: GITHUB,
  slack: SLACK,
  stripe: STRIPE,
  bearer: BEARER,
}
