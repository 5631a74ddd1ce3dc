// What `yaa/client` exports. Types that these name are exported with them.
export { createClient, type Client, type ClientOptions } from './client.ts'
export { answerValueOf, finishAnswerOf, isDelta, type StreamEvent, type StreamedDelta } from './events.ts'
export { entries, type Page, type PageQuery, type Request } from './http.ts'
export { ApiProblem, Unreachable } from './problem.ts'
export type {
  Action,
  BackgroundOptions,
  SessionInput,
  Sessions,
  StreamOptions,
  TaskMessage,
  WaitingQuery,
} from './sessions.ts'
export type { SessionSocket, SocketEvent, SocketFrame, SocketOptions } from './socket.ts'
export type { CallerTool, CallerTools, CallToMake } from './caller-tools.ts'
export { makeCalls } from './live/calls.ts'
export type { LiveMessage } from './live/messages.ts'
export { livePending, NOTHING_PENDING, type PendingStore, type PendingSnapshot } from './live/pending.ts'
export { liveSession, NO_SESSION, type SessionSnapshot } from './live/session.ts'
export type { Store } from './live/store.ts'
export type { SessionEvent, EventType } from '../domain/event.ts'
export type { Message } from '../domain/message.ts'
export type { Content, Part } from '../domain/content.ts'
export type { ListedPending, Pending } from '../domain/pending.ts'
export type { DecisionInput } from '../domain/session-input.ts'
export type { PlanData, PlanTask } from '../domain/plan.ts'
export type { AgentResponseData, SessionData, SessionSummary } from '../domain/session.ts'
export type { Status, FinishReason, WhenBusy } from '../domain/run.ts'
export type { TeamData } from '../domain/team.ts'
export type { Usage } from '../domain/usage.ts'
