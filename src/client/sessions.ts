import type { Sleep } from '../domain/ports.ts'
import type { AgentResponseData } from '../domain/session.ts'
import { resumed, type StreamEvent } from './events.ts'
import { send, sendForJson, sendForNothing, type Connection, type Request } from './http.ts'
import type { Action, Sessions, StartOptions } from './session-shapes.ts'

const EVENT_STREAM = { accept: 'text/event-stream' }

const inBackground = ({ key }: StartOptions) => ({ prefer: 'respond-async', 'idempotency-key': key })

/** The routes of sessions as functions. Errors: see `send` in http.ts. */
export function sessionsOf(connection: Connection, sleep: Sleep): Sessions {
  const json = <T>(request: Request) => sendForJson<T>(connection, request)
  const path = (id: string, rest = '') => `/v1/sessions/${encodeURIComponent(id)}${rest}`
  const act = (id: string, action: Action) => json<AgentResponseData>(requestOf(path(id), action))
  const follow = (id: string, after: string | undefined, signal: AbortSignal | undefined) =>
    send(connection, {
      path: path(id, '/events'),
      headers: { ...EVENT_STREAM, ...(after === undefined ? {} : { 'last-event-id': after }) },
      signal,
    })

  return {
    create: (input, signal) => json({ method: 'POST', path: '/v1/sessions', body: input, signal }),
    begin: (input, options) =>
      json({ method: 'POST', path: '/v1/sessions', body: input, headers: inBackground(options) }),
    start: (id, action, options) =>
      json({
        ...requestOf(path(id), action),
        headers: inBackground(options),
        query: { when_busy: action.type === 'message' ? options.whenBusy : undefined },
      }),
    fork: (id, atSeq) =>
      json({ method: 'POST', path: path(id, '/fork'), body: atSeq === undefined ? {} : { at_seq: atSeq } }),
    list: (query = {}) => json({ path: '/v1/sessions', query: { ...query } }),
    get: (id, { messages } = {}) => json({ path: path(id), query: { messages } }),
    patch: (id, fields, { etag } = {}) =>
      json({ method: 'PATCH', path: path(id), body: fields, headers: etag === undefined ? {} : { 'if-match': etag } }),
    delete: (id) => sendForNothing(connection, { method: 'DELETE', path: path(id) }),
    messages: (id, query = {}) => json({ path: path(id, '/messages'), query: { ...query } }),
    send: (id, input) => act(id, { type: 'message', ...input }),
    continue: (id, input = {}) => act(id, { type: 'continue', ...input }),
    decide: (id, pendingId, decision) => act(id, { type: 'decide', pendingId, decision }),
    cancelTask: (id, task) => json({ method: 'POST', path: path(id, `/tasks/${encodeURIComponent(task)}/cancel`) }),
    retryTask: (id, task) => json({ method: 'POST', path: path(id, `/tasks/${encodeURIComponent(task)}/retry`) }),
    result: async (id, callId) =>
      (await send(connection, { path: path(id, `/results/${encodeURIComponent(callId)}`) })).text(),
    export: (id) => send(connection, { path: path(id, '/export') }),
    import: (document) => json({ method: 'POST', path: '/v1/sessions/import', body: document }),
    tellTeam: (id, message) => act(id, { type: 'tell-team', ...message }),
    teamMessages: (id, query = {}) => json({ path: path(id, '/team/messages'), query: { ...query } }),
    cancel: (id) => json({ method: 'POST', path: path(id, '/cancel') }),
    async *stream(id, action, { signal, after } = {}) {
      const request = requestOf(path(id), action)
      const first = await send(connection, { ...request, headers: EVENT_STREAM, signal })
      yield* resumed({
        first,
        after: after?.toString(),
        again: (cursor) => follow(id, cursor, signal),
        isLast: endOf(action),
        mayEndAt: isBound,
        sleep,
        signal,
        server: connection.server,
      })
    },
    async *events(id, { signal, after = 0 } = {}) {
      const again = (cursor: string) => follow(id, cursor, signal)
      const first = await again(after.toString())
      const never = () => false
      yield* resumed({
        first,
        after: after.toString(),
        again,
        isLast: never,
        mayEndAt: never,
        sleep,
        signal,
        server: connection.server,
      })
    },
    eventList: (id, query = {}) => json({ path: path(id, '/events'), query: { ...query } }),
  }
}

const PATHS = { message: 'messages', continue: 'continue', 'tell-team': 'team/messages' } as const

function requestOf(path: string, action: Action): Request {
  if (action.type === 'decide') {
    return { method: 'POST', path: `${path}/pending/${encodeURIComponent(action.pendingId)}`, body: action.decision }
  }
  const { type, ...body } = action
  return { method: 'POST', path: `${path}/${PATHS[type]}`, body }
}

const isBound = (event: StreamEvent) => event.type === 'run-end' || event.type === 'run-pause'

/** A message may first end the run that rested before it; then only the end of the run that it started is the last event. */
function endOf(action: Action): (event: StreamEvent) => boolean {
  let runId: string | null | undefined
  return (event) => {
    if (event.type === 'run-start' || event.type === 'run-resume') runId = event.run_id
    return isBound(event) && (action.type !== 'message' || event.run_id === runId)
  }
}
