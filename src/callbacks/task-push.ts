import type { Callback, Delivery, NewsData, TaskPush } from '../domain/callback.ts'
import { taskIdOf } from '../domain/task-id.ts'
import { toBase64 } from '../lib/base64.ts'
import { newSecret } from './payload.ts'

/** What a client of A2A is told of its task without asking: a StreamResponse. Source: the A2A specification 1.0, "Push notifications". */

const STATES: Readonly<Record<string, string>> = {
  completed: 'TASK_STATE_COMPLETED',
  cancelled: 'TASK_STATE_CANCELED',
  interrupted: 'TASK_STATE_INPUT_REQUIRED',
}

export function taskPushBody(
  push: NonNullable<Callback['push']>,
  { time, data }: Pick<Delivery, 'time' | 'data'>,
): string {
  if ('test' in data) return JSON.stringify({})
  const { owner, contextId } = push
  const id = taskIdOf({ session: data.session_id, run: data.run_id ?? '', owner })
  const about = { contextId, taskId: id }
  const parts = partsOf(data)
  const message =
    parts.length > 0 ? { message: { messageId: `push-${time}`, ...about, role: 'ROLE_AGENT', parts } } : {}
  const state = STATES[data.status] ?? 'TASK_STATE_FAILED'
  const status = { state, timestamp: new Date(time).toISOString(), ...message }
  if (data.status === 'interrupted') return JSON.stringify({ statusUpdate: { ...about, status } })
  const { result, truncated } = data
  const cut = truncated ? { metadata: { 'yaa/truncated': true } } : {}
  const artifacts = result ? [{ artifactId: 'answer', name: 'answer', parts: [{ text: result }], ...cut }] : []
  return JSON.stringify({ task: { id, contextId, status, artifacts } })
}

/** What waits, or why it failed. */
function partsOf({ pending = [], error }: NewsData): object[] {
  if (error) return [{ text: error.message ?? error.detail }]
  return pending.map(({ id, type, tool, arguments: args, question, options }) => ({
    data: {
      pending_id: id,
      type,
      ...(tool === undefined ? {} : { tool }),
      ...(args === undefined ? {} : { arguments: args }),
      ...(question === undefined ? {} : { question }),
      ...(options === undefined ? {} : { options }),
    },
    mediaType: 'application/json',
  }))
}

/** The headers by which the client knows that it is its own config that it is told by. */
export function taskPushHeaders({ token, authentication }: NonNullable<Callback['push']>): Record<string, string> {
  const { scheme, credentials = '' } = authentication ?? {}
  const isSent = scheme !== undefined && credentials !== '' && !isSigning(scheme)
  return {
    'content-type': 'application/a2a+json',
    ...(token ? { 'x-a2a-notification-token': token } : {}),
    ...(isSent ? { authorization: `${scheme} ${credentials}` } : {}),
  }
}

/** A scheme of ours: its credentials are a secret of Standard Webhooks, which signs and is never sent. */
export function isSigning(scheme: string): boolean {
  return scheme.toLowerCase() === 'whsec'
}

/** With what deliveries are signed: with the secret of the client, else with its token, which goes along with each and so proves no more than itself. */
export function taskPushSecret({ token, authentication }: Pick<TaskPush, 'token' | 'authentication'>): string {
  const { scheme = '', credentials = '' } = authentication ?? {}
  if (isSigning(scheme)) return credentials
  return token ? `whsec_${toBase64(new TextEncoder().encode(token))}` : newSecret()
}
