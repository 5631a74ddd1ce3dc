import type { Callback, Delivery, NewsData, ToldPending } from '../domain/callback.ts'
import type { Language } from '../domain/language.ts'
import { chatMessage } from './chat-message.ts'
import { feishuCard } from './feishu.ts'
import { feishuSignature } from './sign.ts'
import { slackMessage } from './slack.ts'

/** What a delivery says: `data` of its payload. */
export type Told = NewsData | { test: true }

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
function withAddresses(data: Told, base: string): Told {
  if ('test' in data || data.pending === undefined) return data
  const pending = data.pending.map(({ decide_path: path, ...item }): ToldPending =>
    path === undefined ? item : { ...item, decide_url: `${base}${path}` },
  )
  return { ...data, pending }
}

/** What is told, without what opens a door. */
export function withoutLinks(data: Told): Told {
  if ('test' in data || data.pending === undefined) return data
  return { ...data, pending: data.pending.map(({ decide_path: _path, ...item }) => item) }
}
