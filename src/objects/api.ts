import type { SessionEvent } from '../domain/event.ts'
import type { Result } from '../domain/errors.ts'
import type { Message } from '../domain/message.ts'
import type {
  ContinueInput,
  DecisionInput,
  NewMessageInput,
  NewSession,
  SessionPatch,
} from '../domain/session-input.ts'
import type { AgentResponseData, SessionSummary } from '../domain/session.ts'
import type { Cursor } from '../session/deltas.ts'
import type { AnswerForm } from '../session/ports.ts'
import type { MessagesPart, RunAnswer } from '../session/session.ts'
import type { SessionFilter } from '../store/directory.ts'

type SessionText = { etag: string; body: ReadableStream<Uint8Array> }

/** What a session's object answers over RPC: plain data and byte streams. */
export interface SessionApi {
  create(id: string, tenant: string, input: NewSession, form: AnswerForm): Promise<Result<RunAnswer | null>>
  addMessage(input: NewMessageInput, form: AnswerForm): Promise<Result<RunAnswer>>
  continue(input: ContinueInput, form: AnswerForm): Promise<Result<RunAnswer>>
  decide(pendingId: string, input: DecisionInput, form: AnswerForm): Promise<Result<RunAnswer>>
  cancel(): Promise<Result<AgentResponseData>>
  read(part: MessagesPart): Promise<Result<SessionText>>
  patch(input: SessionPatch, ifMatch: string | null): Promise<Result<SessionText>>
  remove(): Promise<Result<null>>
  messages(after: number, limit: number): Promise<Result<Message[]>>
  events(after: number, limit: number): Promise<Result<SessionEvent[]>>
  observe(from: Cursor): Promise<Result<ReadableStream<Uint8Array>>>
  result(callId: string): Promise<Result<string>>
}

/** What a tenant's directory answers over RPC. */
export interface DirectoryApi {
  put(summary: SessionSummary, words: string): Promise<void>
  remove(id: string): Promise<void>
  list(filter: SessionFilter): Promise<{ data: SessionSummary[]; nextCursor: string | null }>
}
