import { type Page, send, sendForJson, sendForNothing, type Connection, type Request } from './http.ts'
import type { Status, WhenBusy } from '../domain/run.ts'
import type { FeedbackData, FeedbackInput } from '../domain/feedback.ts'
import type { Message } from '../domain/message.ts'
import type { ListedPending, Pending } from '../domain/pending.ts'
import type {
  AgentResponseData,
  CancelledSession,
  RunAccepted,
  SessionData,
  SessionSummary,
} from '../domain/session.ts'
import type { ContinueInput, PendingInput, WrittenSession, WrittenTask } from '../domain/session-input.ts'
import type { TeamMessageInfo, TeamInput, TeamMessageInput } from '../domain/team.ts'
import {
  isStale,
  callsOf,
  type CallerTools,
  offering,
  giveResult,
  madeResult,
  type WithTools,
  withToolsRun,
} from './caller-tools.ts'
import { type StreamEvent, resumed } from './events.ts'
import { openSocket, type SessionSocket, type SocketOptions } from './socket.ts'
import type { Sleep } from '../domain/ports.ts'
import { randomKey } from '../lib/random-key.ts'

/** Body of POST /v1/sessions. `team`: one that GET /v1/teams lists, or a whole one. */
export type SessionInput = Omit<WrittenSession, 'team' | 'messages'> & {
  team?: string | TeamInput | undefined
} & WithTools

/** Body of POST /v1/sessions/{id}/messages: `content` is a text or parts. `output_schema`: what the answer to it fits. `tools`: those that are run
 *  here, while the answer is waited for or streamed. */
export type TaskMessage = Pick<WrittenTask, 'content' | 'config' | 'output_schema' | 'client_tools' | 'inputs'> &
  WithTools

export type { CallerTool, CallerTools, CallToMake, WithTools } from './caller-tools.ts'

/** What sets a session going. */
export type Action =
  | ({ type: 'message' } & TaskMessage)
  | ({ type: 'continue' } & ContinueInput)
  | ({ type: 'tell-team' } & TeamMessageInput)
  | { type: 'decide'; pendingId: string; decision: PendingInput }
  | { type: 'retry-step'; step: string }

/** What becomes of a message while a run is going. */
interface BusyOptions {
  whenBusy?: WhenBusy
}

export interface BackgroundOptions extends BusyOptions {
  /** Idempotency-Key: the same call may be sent again under it. Default: one at random. */
  key?: string
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
  /** Only those whose metadata says `pinned: true`. */
  pinned?: 'true'
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
  /** What a person makes of an answer; `rating` null takes it back. */
  rate(id: string, message: string, feedback: FeedbackInput): Promise<FeedbackData>
  send(id: string, input: TaskMessage, options?: BusyOptions): Promise<AgentResponseData>
  continue(id: string, input?: ContinueInput): Promise<AgentResponseData>
  /** A decision, or the result of a call that is made here. */
  decide(id: string, pendingId: string, decision: PendingInput): Promise<AgentResponseData>
  cancel(id: string): Promise<AgentResponseData>
  /** Ends one task of a plan; the run goes on. */
  cancelTask(id: string, task: string): Promise<AgentResponseData>
  /** Does a task once more that failed or was cancelled. */
  retryTask(id: string, task: string): Promise<AgentResponseData>
  /** Does a step of a workflow, or an item of a map (`each[3]`), once more that has ended; the run goes on from there. */
  retryStep(id: string, step: string): Promise<AgentResponseData>
  /** The whole of a tool's result that was cut. */
  result(id: string, callId: string): Promise<string>
  /** The whole session as one document, which `import` takes. */
  export(id: string): Promise<Response>
  import(document: unknown, query?: { keep_config?: boolean }): Promise<SessionData>
  /** Puts a message on the bus of the session's team. */
  tellTeam(id: string, message: TeamMessageInput): Promise<AgentResponseData>
  teamMessages(id: string, query?: { after?: number; limit?: number }): Promise<Page<TeamMessageInfo>>
  /** Acts, and yields the run's events until it ends or pauses; taken up again where the connection breaks off. */
  stream(
    id: string,
    action: Action,
    options?: StreamOptions & BusyOptions,
  ): AsyncGenerator<StreamEvent, void, undefined>
  /** Events after a seq, for as long as the session lives or until the signal. */
  events(id: string, options?: StreamOptions): AsyncGenerator<StreamEvent, void, undefined>
  /** Makes all calls that a session has for these tools, those too that waited before, until its run ends or waits for somebody else. */
  runTools(id: string, tools: CallerTools, options?: Pick<StreamOptions, 'signal'>): Promise<SessionData>
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
  'idempotency-key': key ?? randomKey(),
})

/** The routes of sessions as functions. Errors: see `send` in http.ts. */
export function sessionsOf(connection: Connection, sleep: Sleep): Sessions {
  const json = <T>(request: Request) => sendForJson<T>(connection, request)
  const giving = { json, sleep }
  const path = (id: string, rest = '') => `/v1/sessions/${encodeURIComponent(id)}${rest}`
  const act = (id: string, action: Action, options?: BusyOptions) =>
    json<AgentResponseData>(requestOf(path(id), action, options))
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

  async function* streamOf(id: string, action: Action, { signal, after, ...options }: StreamOptions & BusyOptions) {
    const request = requestOf(path(id), action, options)
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
  }

  /** Events of a run, and of all that comes after its rests for these tools. Their calls are made as they come. */
  async function* madeCalls(
    first: AsyncIterable<StreamEvent>,
    { id, tools, signal, known = [], after = 0 }: Made,
  ): AsyncGenerator<StreamEvent, void, undefined> {
    const failed = new AbortController()
    const waiting = new Set<string>()
    let seq = after
    const make = async (item: Pending) => {
      const said = await madeResult(item, { session: id, tools, signal })
      await giveResult(item, said, { session: id, signal, background: true }, giving)
    }
    const give = (item: Pending) => {
      waiting.add(item.id)
      make(item).catch((error: unknown) => isStale(error) || failed.abort(error))
    }
    const hear = (event: StreamEvent) => {
      seq = Math.max(seq, event.seq)
      if (event.type === 'pending') callsOf([event.pending], tools).forEach(give)
      if (event.type === 'pending-end') waiting.delete(event.id)
      return event
    }
    known.forEach(give)
    for await (const event of first) yield hear(event)
    if (waiting.size === 0) return
    const until = signal ? AbortSignal.any([signal, failed.signal]) : failed.signal
    for await (const event of eventsOf(id, { signal: until, after: seq })) {
      yield hear(event)
      if (isBound(event) && waiting.size === 0) return
    }
  }

  return {
    create: async (input, signal) => {
      const made = await json<SessionData>({ method: 'POST', path: '/v1/sessions', body: offering(input), signal })
      const { tools } = input
      if (tools === undefined || callsOf(made.pending, tools).length === 0) return made
      await withToolsRun(made, { session: made.id, tools, signal }, giving)
      return json({ path: path(made.id), signal })
    },
    begin: (input, options = {}) =>
      json({ method: 'POST', path: '/v1/sessions', body: offering(input), headers: inBackground(options) }),
    start: (id, action, options = {}) =>
      json({
        ...requestOf(path(id), action, options),
        headers: inBackground(options),
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
    send: async (id, input, options) => {
      const answer = await act(id, { type: 'message', ...input }, options)
      const { tools } = input
      return tools === undefined ? answer : withToolsRun(answer, { session: id, tools }, giving)
    },
    rate: (id, message, body) =>
      json({ method: 'POST', path: path(id, `/messages/${encodeURIComponent(message)}/feedback`), body }),
    continue: (id, input = {}) => act(id, { type: 'continue', ...input }),
    decide: (id, pendingId, decision) => act(id, { type: 'decide', pendingId, decision }),
    cancelTask: (id, task) => json({ method: 'POST', path: path(id, `/tasks/${encodeURIComponent(task)}/cancel`) }),
    retryTask: (id, task) => json({ method: 'POST', path: path(id, `/tasks/${encodeURIComponent(task)}/retry`) }),
    retryStep: (id, step) => act(id, { type: 'retry-step', step }),
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
    async *stream(id, action, options = {}) {
      const { signal } = options
      const tools = action.type === 'message' ? action.tools : undefined
      const events = streamOf(id, action, options)
      if (tools === undefined) return yield* events
      yield* madeCalls(events, { id, tools, signal })
    },
    events: eventsOf,
    runTools: async (id, tools, { signal } = {}) => {
      const read = () => json<SessionData>({ path: path(id), signal })
      const before = await read()
      const known = callsOf(before.pending, tools)
      if (before.status !== 'in_progress' && known.length === 0) return before
      const isResting = before.status !== 'in_progress'
      const events = isResting
        ? nothing()
        : untilRest(eventsOf(id, { signal, after: Math.max(0, before.last_seq - 1) }))
      const made = madeCalls(events, { id, tools, signal, known, after: before.last_seq })
      while (!(await made.next()).done);
      return read()
    },
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

const PATHS = { continue: 'continue', 'tell-team': 'team/messages' } as const

function requestOf(path: string, action: Action, { whenBusy }: BusyOptions = {}): Request {
  if (action.type === 'decide') {
    return { method: 'POST', path: `${path}/pending/${encodeURIComponent(action.pendingId)}`, body: action.decision }
  }
  if (action.type === 'retry-step')
    return { method: 'POST', path: `${path}/workflow/steps/${encodeURIComponent(action.step)}/retry` }
  if (action.type === 'message') {
    const { type: _, ...message } = action
    return { method: 'POST', path: `${path}/messages`, body: offering(message), query: { when_busy: whenBusy } }
  }
  const { type, ...body } = action
  return { method: 'POST', path: `${path}/${PATHS[type]}`, body }
}

/** Whose calls are made, and those that waited before. */
interface Made {
  id: string
  tools: CallerTools
  signal?: AbortSignal | undefined
  known?: readonly Pending[]
  after?: number
}

async function* nothing(): AsyncGenerator<StreamEvent, void, undefined> {}

/** Events up to the next rest of a run. */
async function* untilRest(events: AsyncIterable<StreamEvent>): AsyncGenerator<StreamEvent, void, undefined> {
  for await (const event of events) {
    yield event
    if (isBound(event)) return
  }
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
