import type { News } from '../domain/callback.ts'
import { idFrom } from '../lib/id.ts'

/** The id of what a callback is told by this news: the same each time that it is told. */
export async function deliveryId(callbackId: string, { sessionId, seq, event, time }: News): Promise<string> {
  const name = new TextEncoder().encode([callbackId, sessionId, seq, event].join('\n'))
  return idFrom('dlv', time, new Uint8Array(await crypto.subtle.digest('SHA-256', name)))
}
