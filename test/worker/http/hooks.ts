import { createHmac, randomUUID } from 'node:crypto'
import { hearUntil } from '../../support/sse.ts'
import { call, json, type List, type Stage } from './http.ts'

export interface ShownWebhook {
  id: string
  url: string
  secret: string
  [more: string]: unknown
}

export interface ShownDelivery {
  id: string
  status: string
  reason: string | null
  session_id: string | null
  [more: string]: unknown
}

export interface Accepted {
  session_id: string
  run_id: string
  ignored?: boolean
}

export const SECRET = 'It is a secret to everybody'

/** A GitHub webhook that speaks with the stage's model. */
export async function newHook({ config }: Pick<Stage, 'config'>, more: object = {}): Promise<ShownWebhook> {
  const body = {
    name: '问题',
    scheme: 'github',
    secret: SECRET,
    task_template: '看看：{{body.title}}',
    config,
    ...more,
  }
  return json(call('POST', '/v1/webhooks', { body }), 201)
}

interface Sent {
  delivery?: string
  event?: string
  secret?: string
  headers?: Record<string, string>
}

/** A delivery as GitHub sends it. A body that is no text goes as JSON. */
export function deliver(
  { id }: { id: string },
  body: unknown,
  { delivery = randomUUID(), event = 'issues', secret = SECRET, headers = {} }: Sent = {},
): Promise<Response> {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const signature = `sha256=${createHmac('sha256', secret).update(text).digest('hex')}`
  return call('POST', `/hooks/${id}`, {
    body: text,
    headers: {
      'x-github-delivery': delivery,
      'x-github-event': event,
      'x-hub-signature-256': signature,
      ...headers,
    },
  })
}

export const delivered = (hook: { id: string }, body: unknown, sent?: Sent): Promise<Accepted> =>
  json(deliver(hook, body, sent), 202)

/** The log of a webhook, newest first. */
export const logOf = async ({ id }: { id: string }): Promise<ShownDelivery[]> =>
  (await json<List<ShownDelivery>>(call('GET', `/v1/webhooks/${id}/deliveries?limit=100`))).data

/** Until so many runs of a session have ended. */
export async function ended(sessionId: string, runs = 1): Promise<void> {
  const headers = { accept: 'text/event-stream' }
  const { body } = await call('GET', `/v1/sessions/${sessionId}/events`, { headers })
  let count = 0
  await hearUntil(body, ({ event }) => event === 'run-end' && ++count === runs)
}

/** Until a run of a session rests, as it does when it waits for a human. */
export async function rests(sessionId: string): Promise<void> {
  const headers = { accept: 'text/event-stream' }
  const { body } = await call('GET', `/v1/sessions/${sessionId}/events`, { headers })
  await hearUntil(body, ({ event }) => event === 'run-pause')
}
