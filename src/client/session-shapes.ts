import type { KnownOrchestrator, Status, WhenBusy } from '../domain/run.ts'
import type { SessionConfig } from '../domain/config.ts'
import type { Message } from '../domain/message.ts'
import type { AgentResponseData, SessionData, SessionSummary } from '../domain/session.ts'
import type { TeamInput, TeamMessage, TeamMessageInput } from '../domain/team.ts'
import type { Money } from '../domain/usage.ts'
import type { StreamEvent } from './events.ts'

/** Body of POST /v1/sessions. */
export interface NewSession {
  task?: string
  character?: string
  title?: string
  orchestrator?: KnownOrchestrator
  skill?: string
  /** One that GET /v1/teams lists, or a whole one. */
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
  | ({ type: 'tell-team' } & TeamMessageInput)
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
  /** Ends one task of a plan; the run goes on. */
  cancelTask(id: string, task: string): Promise<AgentResponseData>
  /** Does a task once more that failed or was cancelled. */
  retryTask(id: string, task: string): Promise<AgentResponseData>
  /** The whole of a tool's result that was cut. */
  result(id: string, callId: string): Promise<string>
  /** The whole session as one document, which `import` takes. */
  export(id: string): Promise<Response>
  import(document: unknown): Promise<SessionData>
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
