import type { Callback, Delivery, NewsData, NotifiedPending } from '../domain/callback.ts'
import type { Language } from '../domain/language.ts'
import { chatMessage } from './chat-message.ts'
import { feishuCard } from './feishu.ts'
import { slackMessage } from './slack.ts'
import { Webhook } from 'standardwebhooks'
import { LIMITS } from '../domain/limits.ts'
import { toBase64 } from '../lib/base64.ts'
import { hmacSha256 } from '../lib/hash.ts'

/** What a delivery says: `data` of its payload. */
type PayloadData = NewsData | { test: true }

/** What a body is made with. */
export interface PayloadPorts {
  language: Language
  /** Where this server is reached from outside; null: where it was reached when the callback was made. */
  publicUrl: string | null
}

/** The JSON that a delivery sends at `now` (Unix ms). */
export async function bodyOf(
  ports: PayloadPorts,
  callback: Callback,
  delivery: Pick<Delivery, 'event' | 'time' | 'data'>,
  now: number,
): Promise<string> {
  const base = ports.publicUrl ?? callback.origin
  const data = withAddresses(delivery.data, base)
  if (callback.template === null)
    return JSON.stringify({ type: delivery.event, timestamp: new Date(delivery.time).toISOString(), data })
  const message = chatMessage(delivery.event, data, base, ports.language)
  if (callback.template === 'slack') return JSON.stringify(slackMessage(message))
  const signature = callback.templateSecret === null ? {} : await feishuSignature(callback.templateSecret, now)
  return JSON.stringify({ ...signature, ...feishuCard(message) })
}

/** Links as addresses under `base`. */
function withAddresses(data: PayloadData, base: string): PayloadData {
  if ('test' in data || data.pending === undefined) return data
  const pending = data.pending.map(({ decide_path: path, ...item }): NotifiedPending =>
    path === undefined ? item : { ...item, decide_url: `${base}${path}` },
  )
  return { ...data, pending }
}

/** What is told, without what opens a door. */
export function withoutLinks(data: PayloadData): PayloadData {
  if ('test' in data || data.pending === undefined) return data
  return { ...data, pending: data.pending.map(({ decide_path: _path, ...item }) => item) }
}

type Secrets = Pick<Callback, 'secret' | 'previousSecret'>

/** The headers by which a receiver knows a delivery, and that it is ours. Signed with the secret and, for a while, with the one
 *  that it replaced. Source: the Standard Webhooks specification. */
export function signedHeaders(secrets: Secrets, id: string, body: string, now: number): Record<string, string> {
  const time = new Date(now)
  const signatures = secretsAt(secrets, now).map((secret) => new Webhook(secret).sign(id, time, body))
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(now / 1_000)),
    'webhook-signature': signatures.join(' '),
  }
}

function secretsAt({ secret, previousSecret }: Secrets, now: number): string[] {
  return previousSecret && previousSecret.until > now ? [secret, previousSecret.value] : [secret]
}

export function newSecret(): string {
  return `whsec_${toBase64(crypto.getRandomValues(new Uint8Array(LIMITS.callback.secretBytes)))}`
}

/** Feishu's own signature, which goes into the body. Source: open.feishu.cn, "Custom bot usage guide", "Signature verification". */
export async function feishuSignature(secret: string, now: number): Promise<{ timestamp: string; sign: string }> {
  const timestamp = String(Math.floor(now / 1_000))
  const signature = await hmacSha256(`${timestamp}\n${secret}`, new Uint8Array(0))
  return { timestamp, sign: toBase64(signature) }
}
