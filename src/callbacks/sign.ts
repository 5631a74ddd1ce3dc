import { Webhook } from 'standardwebhooks'
import type { Callback } from '../domain/callback.ts'
import { LIMITS } from '../domain/limits.ts'
import { toBase64 } from '../lib/base64.ts'
import { hmacSha256 } from '../lib/hash.ts'

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
