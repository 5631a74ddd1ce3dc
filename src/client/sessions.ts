import type { SessionConfig } from '../domain/config.ts'
import type { Message } from '../domain/message.ts'
import type { Sleep } from '../domain/ports.ts'
import type { AgentResponseData, Orchestrator, SessionData, SessionSummary, Status } from '../domain/session.ts'
import type { TeamInput, TeamMessage, TeamMessageInput } from '../domain/team.ts'
import type { Money } from '../domain/usage.ts'
import { resumed, type StreamEvent } from './events.ts'
import { send, sendForJson, type Connection, type Request } from './http.ts'

/** Body of POST /v1/sessions (api.md, "Sessions"). */
export interface NewSession {
  task?: string
  character?: string
  title?: string
  orchestrator?: Orchestrator
  skill?: string
  /** One that GET /v1/teams lists, or a whole one (api-details 6). */
  team?: TeamChoice
  user?: string
  metadata?: Record<string, unknown>
  config?: SessionConfig
}

/** Body of POST …/pending/{pending_id}. */
export interface PendingDecision {
  decision: 'approve' | 'reject' | 'answer'
  arguments?: Record<string, unknown>
  arguments_hash?: string
  feedback?: string
  answer?: string
  remember?: 'session'
}

/** `n_round`: so many rounds more; `investment`: so much money in all. Both for a team only. */
export type Continuation = Pick<NewSession, 'config'> & { n_round?: number; investment?: Money }

export type TeamChoice = string | TeamInput

/** What sets a session going. */
export type Action =
  | { type: 'message'; content: string; config?: SessionConfig }
  | ({ type: 'continue' } & Continuation)
  | { type: 'decide'; pendingId: string; decision: PendingDecision }

export interface Page<T> {
  object: 'list'
  data: T[]
  next_cursor: string | null
}

/** A page of a list: `cursor` is the `next_cursor` of the one before. */
export interface PageQuery {
  limit?: number
  cursor?: string
}

/** Answer of a call that goes on in the background. */
export interface Accepted {
  session_id: string
  run_id: string
}

/** What becomes of a message while a run is going. */
export type WhenBusy = 'reject' | 'queue' | 'interrupt'

export interface StartOptions {
  /** Idempotency-Key: the same call may be sent again under it. */
  key: string
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
  limit?: number
  cursor?: string
}

export interface Sessions {
  create(input: NewSession, signal?: AbortSignal): Promise<SessionData>
  /** Creates a session whose task runs in the background, whoever watches. */
  begin(input: NewSession, options: StartOptions): Promise<Accepted>
  /** Acts; what it starts runs in the background to its end, or until it waits for a human. */
  start(id: string, action: Action, options: StartOptions): Promise<Accepted>
  fork(id: string, atSeq?: number): Promise<SessionData>
  list(query?: ListQuery): Promise<Page<SessionSummary>>
  get(id: string, options?: { messages?: 'all' | 'last_run' | 'none' }): Promise<SessionData>
  patch(
    id: string,
    fields: Pick<NewSession, 'title' | 'metadata' | 'config'>,
    options?: { etag?: string },
  ): Promise<SessionData>
  delete(id: string): Promise<void>
  messages(id: string, query?: { after?: number; limit?: number }): Promise<Page<Message>>
  send(id: string, input: { content: string; config?: SessionConfig }): Promise<AgentResponseData>
  continue(id: string, input?: Continuation): Promise<AgentResponseData>
  decide(id: string, pendingId: string, decision: PendingDecision): Promise<AgentResponseData>
  cancel(id: string): Promise<AgentResponseData>
  /** Puts a message on the bus of the session's team. */
  tellTeam(id: string, message: TeamMessageInput): Promise<AgentResponseData>
  teamMessages(id: string, query?: { after?: number; limit?: number }): Promise<Page<TeamMessage & { seq: number }>>
  /** Acts, and yields the run's events until it ends or pauses; taken up again where the connection breaks off. */
  stream(id: string, action: Action, options?: StreamOptions): AsyncGenerator<StreamEvent>
  /** Events after a seq, for as long as the session lives or until the signal. */
  events(id: string, options?: StreamOptions): AsyncGenerator<StreamEvent>
  /** One page of events after a seq. */
  eventList(id: string, query?: { after?: number; limit?: number }): Promise<Page<StreamEvent>>
}

const EVENT_STREAM = { accept: 'text/event-stream' }

const inBackground = ({ key }: StartOptions) => ({ prefer: 'respond-async', 'idempotency-key': key })

/** The routes of api.md, "Sessions", as functions. Errors: see `send` in http.ts. */
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
    delete: async (id) => {
      await (await send(connection, { method: 'DELETE', path: path(id) })).body?.cancel()
    },
    messages: (id, query = {}) => json({ path: path(id, '/messages'), query: { ...query } }),
    send: (id, input) => act(id, { type: 'message', ...input }),
    continue: (id, input = {}) => act(id, { type: 'continue', ...input }),
    decide: (id, pendingId, decision) => act(id, { type: 'decide', pendingId, decision }),
    tellTeam: (id, message) => json({ method: 'POST', path: path(id, '/team/messages'), body: message }),
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

function requestOf(path: string, action: Action): Request {
  if (action.type === 'decide') {
    return { method: 'POST', path: `${path}/pending/${encodeURIComponent(action.pendingId)}`, body: action.decision }
  }
  const { type, ...body } = action
  return { method: 'POST', path: `${path}/${type === 'message' ? 'messages' : 'continue'}`, body }
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
