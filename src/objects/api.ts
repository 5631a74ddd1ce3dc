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
import type { SessionSummary } from '../domain/session.ts'
import type { Cursor } from '../session/deltas.ts'
import type { CallOptions, ImportOptions, MessagesPart, RunAnswer, SessionText } from '../session/call.ts'
import type { Claim, Claimed, KeptAnswer } from '../store/claims.ts'
import type { SessionFilter } from '../store/directory.ts'

/** What a session's object answers over RPC: plain data and byte streams. */
export interface SessionApi {
  create(id: string, tenant: string, input: NewSession, options: CallOptions): Promise<Result<RunAnswer | SessionText>>
  addMessage(input: NewMessageInput, options: CallOptions): Promise<Result<RunAnswer>>
  continue(input: ContinueInput, options: CallOptions): Promise<Result<RunAnswer>>
  decide(pendingId: string, input: DecisionInput, options: CallOptions): Promise<Result<RunAnswer>>
  cancel(options: Pick<CallOptions, 'key'>): Promise<Result<RunAnswer>>
  read(part: MessagesPart): Promise<Result<SessionText>>
  patch(input: SessionPatch, ifMatch: string | null): Promise<Result<SessionText>>
  remove(): Promise<Result<null>>
  export(atSeq: number | null, secrets: boolean): Promise<Result<ReadableStream<Uint8Array>>>
  import(
    id: string,
    tenant: string,
    body: ReadableStream<Uint8Array>,
    options: ImportOptions,
  ): Promise<Result<SessionText>>
  /** The upgrade of a WebSocket. */
  fetch(request: Request): Promise<Response>
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
  claim(wanted: Claim): Promise<Claimed>
  /** Null: a call with this key is under way. */
  claimRunning(wanted: Claim): Promise<Claimed | null>
  release(key: string): Promise<void>
  keepAnswer(key: string, answer: KeptAnswer | null): Promise<void>
}
