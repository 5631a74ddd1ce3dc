import { LIMITS } from '../../domain/limits.ts'
import { toBase64 } from '../../lib/base64.ts'

/** A secret for senders that take any text. */
export function randomSecret(): string {
  const text = toBase64(crypto.getRandomValues(new Uint8Array(LIMITS.trigger.secretBytes)))
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}
