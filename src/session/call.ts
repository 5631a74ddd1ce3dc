import type { Pending } from '../domain/pending.ts'
import type { Status, WhenBusy } from '../domain/run.ts'
import type { Origin } from '../domain/telemetry.ts'
import type { AuditActor, AuditFact } from '../domain/audit.ts'
import type { NewMessageInput } from '../domain/session-input.ts'
import type { AgentResponseData, RunAccepted, ThreadLead } from '../domain/session.ts'

/** How a call that runs is answered: when it rests, as it happens, by what a view makes of it when it rests, or at once. */
export type AnswerForm = 'wait' | 'stream' | 'whole' | 'background'

/** As what a door wants a run or a session shown: the name of a projection, and what it is made with. */
export interface View {
  name: string
  options?: unknown
  /** The stream of a run begins with the run's first event, whatever it did before the call. */
  isWhole?: boolean
}

/** What a run did from one of its events on; null: from its first. `follows`: it is told as it goes on, until it rests. */
export interface RunPart {
  runId: string
  fromSeq: number | null
  follows: boolean
  /** Without that event itself: what the run did after a rest. */
  isBehind?: boolean
}
export type PlacedPart = Pick<RunPart, 'runId'> & { fromSeq: number }

/** How a call wants to be answered, and the key under which it may come again. */
export interface CallOptions {
  form: AnswerForm
  /** Of a stream, or a whole; absent: as the native door shows it. */
  view?: View | undefined
  key?: string | undefined
  /** Of what a keyed call asks; absent: somebody else has compared it. */
  fingerprint?: string | undefined
  /** Of the session that the key makes: how many others it made before. Absent: the id is not the key's. */
  generation?: number | undefined
  whenBusy?: WhenBusy
  /** In which its request asks to be answered (BCP 47). Absent: it does not say. */
  language?: string | undefined
  /** Where it was asked for, for those who watch. */
  origin?: Origin
  /** The account of the caller; absent: nobody in particular. */
  by?: string
  /** The caller's key, if it has a budget, else null: its budget pays for what the call runs. Absent: as before. */
  payer?: string | null
  /** Who decides on what waits. Absent: the caller may not. */
  decider?: AuditActor
  /** Who gives results of the calls that callers make. Absent: the decider, if there is one. */
  answerer?: AuditActor
  triggered?: Triggered
  /** Of a door whose threads are sessions. */
  thread?: ThreadOptions | undefined
  /** What the audit is told of it; absent: nothing. */
  act?: AuditFact | undefined
}

/** A call of a door whose threads are sessions: it is answered by its run, which goes on to its end whoever listens. A session that is
 *  there already takes a task as its next, and the same request again joins its run while that goes on. */
export interface ThreadOptions {
  /** The newest run of the session that the caller knows of, null: there is none; where it has another one nothing is done. Absent: whichever it is. */
  after?: string | null
  /** The seq from which the caller knows of what that run did; where that was taken back nothing is done. */
  afterSeq?: number
  /** The run that a message is for: where that is over nothing is done. Absent: whichever it is, or a new one. */
  inRun?: string
  /** The request is sent anew on purpose: if its run has ended well, it is answered by that. */
  isRetry?: boolean
  /** It says of what waits what can be said but once: the same request again is answered by what it did, whatever became of that. */
  isOnce?: boolean
  /** What the door wants to find again with what it asked for: it stands in the log where that begins. */
  kept?: Readonly<Record<string, unknown>>
  /** Fields of the session's config that each request says anew (`llm.temperature` is one within another): one that this request does not say is
   *  as the server has it. Absent: what earlier requests said stays. */
  saysAnew?: readonly string[]
  /** What a request that has no message, but answers what waits, asks of the run that goes on. */
  asks?: Pick<NewMessageInput, 'config' | 'client_tools'>
  /** What its client calls the message that it brings; absent: nothing. */
  messageId?: string
  /** Where the request says what it answers of what waits for a human (`resume`): it answers all of that or none, and words alone decide
   *  nothing. Absent: words decide. */
  answersIn?: string
  /** Where the request has what results show, which is its message: then what waits is answered whole. Absent: a message says something else. */
  showsIn?: string
  /** The thread may go on in another session by now (`Session.goOnIn`): then nothing is done. */
  mayBeElsewhere?: boolean
}

/** Where a thread stands. */
export interface ThreadStand {
  /** The session in which it goes on; null: this one. */
  goesOnIn: string | null
  /** Where it may go on, which nobody has seen to its end; null: nowhere. */
  mayGoOnIn: ThreadLead | null
  status: Status
  run: string | null
  pending: readonly Pending[]
}

/** A message of a thread. The copy that ends with the event `cutSeq` does not have it. */
export interface ThreadTurn {
  role: 'user' | 'assistant'
  cutSeq: number
  run: string | null
  /** What its client calls it; null: nothing. */
  clientId: string | null
  /** What its door kept with the run that it began. */
  kept: Readonly<Record<string, unknown>>
}

/** Of a trigger: the text is a task whatever waits for a human, so it decides nothing, and a session that is there already takes
 *  it as its next. `untrusted`: it holds text from outside. */
export interface Triggered {
  untrusted: boolean
}

export type KeyOption = Pick<CallOptions, 'key' | 'fingerprint' | 'act'>

/** The key makes another session than the one that was asked: this one is gone, or its key is too old. */
export interface Superseded {
  replayed: true
  /** Of the session to ask in its place. */
  generation: number
}

/** What a session knows of a key: nothing, that this very request came before, that another one did; or who is to be asked. */
export type KeyStand = 'free' | 'same' | 'other' | Superseded

/** How a call that runs is answered; `replayed`: by what its first sending got. What is long is a stream. */
export type RunAnswer = { replayed?: boolean } & (
  | { form: 'wait'; response: AgentResponseData }
  | { form: 'stream'; runId: string | null; body: ReadableStream<Uint8Array> }
  | { form: 'whole'; runId: string | null; body: string | ReadableStream<Uint8Array> }
  | { form: 'background'; accepted: RunAccepted }
)

/** A session as a door shows it: a text when it is short, else a stream. */
export interface SessionText {
  etag: string
  body: string | ReadableStream<Uint8Array>
  /** True: what the first sending of a keyed call got. */
  replayed?: boolean
}

/** How a document is taken in. */
export interface ImportOptions extends KeyOption, Pick<CallOptions, 'generation'> {
  bytesMax: number
  /** What the document's config allows, and the model elsewhere that it names, stay as they are. */
  keepConfig?: boolean
}

export type MessagesPart = 'all' | 'last_run' | 'none'
