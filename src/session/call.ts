import type { Pending } from '../domain/pending.ts'
import type { Status, WhenBusy } from '../domain/run.ts'
import type { Origin } from '../domain/telemetry.ts'
import type { AuditActor, AuditFact } from '../domain/audit.ts'
import type { NewMessageInput } from '../domain/session-input.ts'
import type { AgentResponseData, RunAccepted, ThreadLead } from '../domain/session.ts'

/** How a call that runs something is answered. `wait`: with the response, when the run rests. `stream`: with frames, as they come. `whole`: with what the
 *  view makes of the run when it rests. `background`: at once, while the run goes on. */
export type AnswerForm = 'wait' | 'stream' | 'whole' | 'background'

/** How a door wants a run or a session to be shown: the name of a projection, and the options for it. */
export interface View {
  name: string
  options?: unknown
  /** The stream of a run begins with the run's first event, whatever it did before the call. */
  isWhole?: boolean
}

/** The part of a run from one of its events on (`fromSeq` null: from its first) to its next rest. `follows`: as it happens, else up to now. */
export interface RunPart {
  runId: string
  fromSeq: number | null
  follows: boolean
  /** The part begins after that event. */
  isBehind?: boolean
}
export type PlacedPart = Pick<RunPart, 'runId'> & { fromSeq: number }

/** How a call is to be answered, who makes it, and the key under which it may be sent again. */
export interface CallOptions {
  form: AnswerForm
  /** For `stream` and `whole`; absent: the view of the native API. */
  view?: View | undefined
  key?: string | undefined
  /** Hash of what a call with a key asks; absent: somebody else has compared it. */
  fingerprint?: string | undefined
  /** If the session's id is made of the key: how many sessions the key made before. Absent: it is not. */
  generation?: number | undefined
  whenBusy?: WhenBusy
  /** The language in which the request asks to be answered (BCP 47). Absent: it does not say. */
  language?: string | undefined
  /** Where the call came from, for telemetry. */
  origin?: Origin
  /** Id of the caller's account; absent: the caller has none. */
  by?: string
  /** Id of the key whose budget pays for the run; null: the caller's key has no budget. Absent: whoever paid so far. */
  payer?: string | null
  /** Who decides on pending items by this call. Absent: the caller may not decide. */
  decider?: AuditActor
  /** Who gives results of calls of the caller's own tools. Absent: the decider, if there is one. */
  answerer?: AuditActor
  /** Set if a trigger makes the call. */
  triggered?: Triggered
  /** Set if a door makes the call whose threads are sessions. */
  thread?: ThreadOptions | undefined
  /** The entry for the audit; absent: none. */
  act?: AuditFact | undefined
}

/** Options of a door whose threads are sessions. The run of such a call goes on to its end even if nobody listens. A session that exists takes the task
 *  as its next one. If the same request comes again, it joins its run while that goes on. */
export interface ThreadOptions {
  /** The newest run that the caller knows of; null: none. If the session has another newest run, the call is refused. Absent: it does not matter. */
  after?: string | null
  /** The seq from which the caller knows that run. If that part of the run was withdrawn, the call is refused. */
  afterSeq?: number
  /** The run that the message is for. If it is over, the call is refused. Absent: the present run, or a new one. */
  inRun?: string
  /** The request is a retry: if its run has ended well, the answer is that of the run. */
  isRetry?: boolean
  /** The request answers pending items, which can be done only once: if it comes again, it is answered by what it did the first time. */
  isOnce?: boolean
  /** Data that the door needs to find again. The event that begins the run, or goes on with it, keeps them. */
  kept?: Readonly<Record<string, unknown>>
  /** Paths of fields of the session's config that each request sets anew, such as `llm.temperature`. A field that this request does not set falls back to
   *  the server's value. Absent: what earlier requests set stays. */
  saysAnew?: readonly string[]
  /** Config and tools for the run that goes on, of a request that answers pending items and has no message. */
  asks?: Pick<NewMessageInput, 'config' | 'client_tools'>
  /** The client's id of the message; absent: it has none. */
  messageId?: string
  /** The field of the request that answers items which wait for a human, such as `resume`. The request has to answer all of them or none, and a message
   *  alone decides nothing. Absent: a message decides. */
  answersIn?: string
  /** The field of the request that has the results of calls, and no message beside them: it has to answer all pending items. Absent: a message says
   *  something else. */
  showsIn?: string
  /** The thread may have moved to another session (`Session.goOnIn`): then the call is refused. */
  mayBeElsewhere?: boolean
}

/** The state of a thread. */
export interface ThreadStand {
  /** Id of the session in which the thread goes on; null: this one. */
  goesOnIn: string | null
  /** The session that the thread was about to move to, if that was not finished; null: none. */
  mayGoOnIn: ThreadLead | null
  status: Status
  run: string | null
  pending: readonly Pending[]
}

/** A message of a thread. `cutSeq`: the event with which a copy of the session has to end in order not to have the message. */
export interface ThreadTurn {
  role: 'user' | 'assistant'
  cutSeq: number
  run: string | null
  /** The client's id of the message; null: it has none. */
  clientId: string | null
  /** The data that its door kept with the run of the message (`ThreadOptions.kept`). */
  kept: Readonly<Record<string, unknown>>
}

/** A call of a trigger. Its text is a task even if something waits for a human: it decides nothing. A session that exists takes it as its next task.
 *  `untrusted`: the task holds text from outside. */
export interface Triggered {
  untrusted: boolean
}

export type KeyOption = Pick<CallOptions, 'key' | 'fingerprint' | 'act'>

/** The answer of a session that is not the one of the key any more, because it is gone or the key was kept too long. */
export interface Superseded {
  replayed: true
  /** The generation of the session that is to be asked instead. */
  generation: number
}

/** What a session knows of a key. `free`: nothing. `same`: this request came before with it. `other`: another request did. Else another session has to be
 *  asked. */
export type KeyStand = 'free' | 'same' | 'other' | Superseded

/** The answer of a call that runs something. `replayed`: it is the one that the request got when it was first sent. A long body is a stream. */
export type RunAnswer = { replayed?: boolean } & (
  | { form: 'wait'; response: AgentResponseData }
  | { form: 'stream'; runId: string | null; body: ReadableStream<Uint8Array> }
  | { form: 'whole'; runId: string | null; body: string | ReadableStream<Uint8Array> }
  | { form: 'background'; accepted: RunAccepted }
)

/** A session as JSON: a text if it is short, else a stream. */
export interface SessionText {
  etag: string
  body: string | ReadableStream<Uint8Array>
  /** It is the answer that the request got when it was first sent. */
  replayed?: boolean
}

/** How a document is imported. */
export interface ImportOptions extends KeyOption, Pick<CallOptions, 'generation'> {
  bytesMax: number
  /** Keep the permissions that the document's config grants, and the address of the model that it names. */
  keepConfig?: boolean
}

export type MessagesPart = 'all' | 'last_run' | 'none'
