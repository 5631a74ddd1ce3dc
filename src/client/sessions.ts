import { type Page, send, sendForJson, sendForNothing, type Connection, type Request } from './http.ts'
import type { Status, WhenBusy } from '../domain/run.ts'
import type { Message } from '../domain/message.ts'
import type { ListedPending } from '../domain/pending.ts'
import type {
  AgentResponseData,
  CancelledSession,
  RunAccepted,
  SessionData,
  SessionSummary,
} from '../domain/session.ts'
import type { ContinueInput, DecisionInput, WrittenSession, WrittenTask } from '../domain/session-input.ts'
import type { TeamMessageInfo, TeamInput, TeamMessageInput } from '../domain/team.ts'
import { type StreamEvent, resumed } from './events.ts'
import { openSocket, type SessionSocket, type SocketOptions } from './socket.ts'
import type { Sleep } from '../domain/ports.ts'

/** Body of POST /v1/sessions. `team`: one that GET /v1/teams lists, or a whole one. */
export type SessionInput = Omit<WrittenSession, 'team' | 'messages'> & { team?: string | TeamInput | undefined }

/** Body of POST /v1/sessions/{id}/messages: `content` is a text or parts. `output_schema`: what the answer to it fits. */
export type TaskMessage = Pick<WrittenTask, 'content' | 'config' | 'output_schema'>

/** What sets a session going. */
export type Action =
  | ({ type: 'message' } & TaskMessage)
  | ({ type: 'continue' } & ContinueInput)
  | ({ type: 'tell-team' } & TeamMessageInput)
  | { type: 'decide'; pendingId: string; decision: DecisionInput }

export interface BackgroundOptions {
  /** Idempotency-Key: the same call may be sent again under it. Default: one at random. */
  key?: string
  whenBusy?: WhenBusy
}

export interface StreamOptions {
  signal?: AbortSignal | undefined
  /** Seq of the last event known: where to take up when the stream breaks off before its first event. */
  after?: number | undefined
}

export interface ListQuery {
  status?: Status
  user?: string
  q?: string
  /** Only those that gave no sign for `min_age_ms`. */
  stuck?: 'true'
  min_age_ms?: number
  limit?: number
  cursor?: string
}

export interface WaitingQuery {
  user?: string
  type?: ListedPending['type']
  min_age_ms?: number
  limit?: number
  cursor?: string
}

export interface CancelFilter {
  status?: 'in_progress' | 'interrupted'
  user?: string
  stuck?: true
  min_age_ms?: number
}

export interface Sessions {
  create(input: SessionInput, signal?: AbortSignal): Promise<SessionData>
  /** Creates a session whose task runs in the background, whoever watches. */
  begin(input: SessionInput, options?: BackgroundOptions): Promise<RunAccepted>
  /** Acts; what it starts runs in the background to its end, or until it waits for a human. */
  start(id: string, action: Action, options?: BackgroundOptions): Promise<RunAccepted>
  fork(id: string, atSeq?: number): Promise<SessionData>
  list(query?: ListQuery): Promise<Page<SessionSummary>>
  /** What waits for a human in all of them, newest first. */
  waiting(query?: WaitingQuery): Promise<Page<ListedPending>>
  /** Cancels the runs of many: by their ids, or the newest that a filter finds. */
  cancelMany(which: { ids: string[] } | { filter: CancelFilter }): Promise<Page<CancelledSession>>
  get(id: string, options?: { messages?: 'all' | 'last_run' | 'none' }): Promise<SessionData>
  patch(
    id: string,
    fields: Pick<SessionInput, 'title' | 'metadata' | 'config'>,
    options?: { etag?: string },
  ): Promise<SessionData>
  delete(id: string): Promise<void>
  messages(id: string, query?: { after?: number; limit?: number }): Promise<Page<Message>>
  send(id: string, input: TaskMessage): Promise<AgentResponseData>
  continue(id: string, input?: ContinueInput): Promise<AgentResponseData>
  decide(id: string, pendingId: string, decision: DecisionInput): Promise<AgentResponseData>
  cancel(id: string): Promise<AgentResponseData>
  /** Ends one task of a plan; the run goes on. */
  cancelTask(id: string, task: string): Promise<AgentResponseData>
  /** Does a task once more that failed or was cancelled. */
  retryTask(id: string, task: string): Promise<AgentResponseData>
  /** The whole of a tool's result that was cut. */
  result(id: string, callId: string): Promise<string>
  /** The whole session as one document, which `import` takes. */
  export(id: string): Promise<Response>
  import(document: unknown, query?: { keep_config?: boolean }): Promise<SessionData>
  /** Puts a message on the bus of the session's team. */
  tellTeam(id: string, message: TeamMessageInput): Promise<AgentResponseData>
  teamMessages(id: string, query?: { after?: number; limit?: number }): Promise<Page<TeamMessageInfo>>
  /** Acts, and yields the run's events until it ends or pauses; taken up again where the connection breaks off. */
  stream(id: string, action: Action, options?: StreamOptions): AsyncGenerator<StreamEvent, void, undefined>
  /** Events after a seq, for as long as the session lives or until the signal. */
  events(id: string, options?: StreamOptions): AsyncGenerator<StreamEvent, void, undefined>
  /** The session once nothing of it is in progress: its run ended, waits for a human, or rests between batches. */
  wait(id: string, options?: Pick<StreamOptions, 'signal'>): Promise<SessionData>
  /** A WebSocket on the session: its events after a seq, and acts, both ways over one connection. */
  connect(id: string, options?: SocketOptions): SessionSocket
  /** One page of events after a seq. */
  eventList(id: string, query?: { after?: number; limit?: number }): Promise<Page<StreamEvent>>
}

const EVENT_STREAM = { accept: 'text/event-stream' }

const inBackground = ({ key }: BackgroundOptions) => ({
  prefer: 'respond-async',
  'idempotency-key': key ?? crypto.randomUUID(),
})

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

  async function* eventsOf(id: string, { signal, after = 0 }: StreamOptions = {}) {
    const again = (cursor: string) => follow(id, cursor, signal)
    const first = await again(after.toString())
    const never = () => false
    const ends = { isLast: never, mayEndAt: never }
    yield* resumed({ first, after: after.toString(), again, ...ends, sleep, signal, server: connection.server })
  }

  return {
    create: (input, signal) => json({ method: 'POST', path: '/v1/sessions', body: input, signal }),
    begin: (input, options = {}) =>
      json({ method: 'POST', path: '/v1/sessions', body: input, headers: inBackground(options) }),
    start: (id, action, options = {}) =>
      json({
        ...requestOf(path(id), action),
        headers: inBackground(options),
        query: { when_busy: action.type === 'message' ? options.whenBusy : undefined },
      }),
    fork: (id, atSeq) =>
      json({ method: 'POST', path: path(id, '/fork'), body: atSeq === undefined ? {} : { at_seq: atSeq } }),
    list: (query = {}) => json({ path: '/v1/sessions', query: { ...query } }),
    waiting: (query = {}) => json({ path: '/v1/pending', query: { ...query } }),
    cancelMany: (which) => json({ method: 'POST', path: '/v1/sessions/cancel', body: which }),
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
    import: (document, query = {}) =>
      json({
        method: 'POST',
        path: '/v1/sessions/import',
        query: query.keep_config ? { keep_config: 'true' } : {},
        body: document,
      }),
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
    events: eventsOf,
    wait: async (id, { signal } = {}) => {
      const read = () => json<SessionData>({ path: path(id), signal })
      const before = await json<SessionData>({ path: path(id), query: { messages: 'none' }, signal })
      if (before.status !== 'in_progress') return read()
      const stream = eventsOf(id, { signal, after: Math.max(0, before.last_seq - 1) })
      for await (const event of stream) if (isBound(event)) break
      return read()
    },
    connect: (id, options) => openSocket({ connection, sleep, session: path(id), ...options }),
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
