import type { TokenOutcome } from '../access/tokens.ts'
import type { WrongKeys } from '../access/wrong-keys.ts'
import type { Admission, KeyLimits, RateStand } from '../domain/access.ts'
import type { AuditFact } from '../domain/audit.ts'
import type { AppError, Result } from '../domain/errors.ts'
import type { OpenedLink } from '../domain/link.ts'
import type { ServerConfig } from '../domain/server-config.ts'
import type { ThreadPlace, ThreadRequest, ThreadRest } from '../domain/thread.ts'
import type { Place } from '../domain/place.ts'
import type {
  ContinueInput,
  PendingAnswer,
  PendingInput,
  NewMessageInput,
  NewSession,
} from '../domain/session-input.ts'
import type { TeamMessageInput } from '../domain/team.ts'
import type { Secret } from '../lib/secret.ts'
import type {
  CallOptions,
  ImportOptions,
  KeyOption,
  KeyStand,
  RunAnswer,
  SessionText,
  Superseded,
} from '../session/call.ts'
import type { NamedRun } from '../session/commands/skill.ts'
import type { Claim, Claimed, KeptAnswer } from '../store/claims.ts'
import type { CountedConnection } from '../store/connections.ts'

type Document = Result<ReadableStream<Uint8Array>>

/** What the service asks of a session. */
export interface SessionCommands {
  create(
    id: string,
    tenant: string,
    input: NewSession,
    options: CallOptions,
  ): Promise<Result<RunAnswer | SessionText | Superseded>>
  runSkill(id: string, tenant: string, run: NamedRun, options: CallOptions): Promise<Result<RunAnswer | Superseded>>
  addMessage(input: NewMessageInput, options: CallOptions): Promise<Result<RunAnswer>>
  continue(input: ContinueInput, options: CallOptions): Promise<Result<RunAnswer>>
  sendTeamMessage(input: TeamMessageInput, options: CallOptions): Promise<Result<RunAnswer>>
  task(taskId: string, act: 'cancel' | 'retry', options: CallOptions): Promise<Result<RunAnswer>>
  retryStep(path: string, options: CallOptions): Promise<Result<RunAnswer>>
  decide(pendingId: string, input: PendingInput, options: CallOptions): Promise<Result<RunAnswer>>
  decideAll(answers: readonly PendingAnswer[], options: CallOptions): Promise<Result<RunAnswer>>
  answerAndSay(
    answers: readonly PendingAnswer[],
    input: NewMessageInput,
    options: CallOptions,
  ): Promise<Result<RunAnswer>>
  keyStand(key: Pick<CallOptions, 'key' | 'fingerprint' | 'generation'>): KeyStand | Promise<KeyStand>
  /** The key that made the session made others since. */
  keepSuccessor(generation: number): void | Promise<void>
  cancel(options: KeyOption): Promise<Result<RunAnswer>>
  export(atSeq: number | null, secrets: boolean): Document | Promise<Document>
  import(
    id: string,
    tenant: string,
    body: ReadableStream<Uint8Array>,
    options: ImportOptions,
  ): Promise<Result<SessionText>>
}

/** What a tenant may have; absent: as much as it likes. */
export interface TenantMost {
  sessions?: number | undefined
  bytes?: number | undefined
}

/** What it has, of what is bounded. */
export type TenantTaken = Record<keyof TenantMost, number>

/** What the service asks of a tenant: who may come in, what its keys use, and which requests there were. */
export interface TenantRules {
  /** Count a request of the key with this hash (SHA-256 in hex). Null: there is no such key, or no such tenant. */
  admitKey(hash: string): Promise<Admission | null>
  /** Count a request of a key that the config holds; null: it has no limit. */
  takeRequest(id: string, limits: KeyLimits): Promise<RateStand | null>
  /** Count a frame of a socket that a made key opened; `gone`: the key is not valid any more. */
  takeFrame(id: string): Promise<RateStand | null | 'gone'>
  /** Whether a made key still lets anybody in. */
  holdsKey(id: string): Promise<boolean>
  /** Take a place for a session among the `max` that a key may have in progress. */
  leaseRun(key: string, session: string, max: number): Promise<'taken' | 'known' | 'full'>
  giveBackRun(key: string, session: string): Promise<void>
  /** Take a place for a session that is to be made among what the tenant may have; else what there is too much of already. */
  takeSession(id: string, max: TenantMost): Promise<'taken' | 'sessions' | 'bytes'>
  /** It was not made. */
  giveBackSession(id: string): Promise<void>
  /** What its sessions keep, in bytes. */
  keptBytes(): Promise<number>
  /** Keep a stream or socket, one of `max` of its kind; false: there are as many. */
  openConnection(connection: CountedConnection, max: number): Promise<boolean>
  /** A stream is still there. */
  renewConnection(id: string): Promise<void>
  closeConnection(id: string): Promise<void>
  openLink(id: string, proof: string): Promise<OpenedLink>
  /** Null: a call with this key is under way. */
  claimRunning(wanted: Claim): Promise<Claimed | null>
  /** A request without an effect gives its key back; one with an answer has ended. */
  release(key: string): Promise<void>
  keepAnswer(key: string, answer: KeptAnswer | null): Promise<void>
  /** Where a request belongs whose protocol carries no id of a thread; it is known to run from now on. */
  enterThread(request: ThreadRequest): Promise<ThreadPlace>
  leaveThread(rest: ThreadRest): Promise<void>
}

/** What the service tells a tenant's audit. */
export interface AuditTrail {
  open(fact: AuditFact): Promise<string>
  close(id: string, fact: AuditFact | null): Promise<void>
  record(fact: AuditFact): Promise<void>
  /** Unix ms before which no other refusal is taken; 0: at once. */
  refuse(fact: AuditFact): Promise<number>
}

/** Keys whose registry lives in this isolate; undefined: it has to be asked elsewhere. */
export interface NearKeys {
  admitFromMemory(hash: string, now: number): Admission | undefined
  takeFromMemory(id: string, limits: KeyLimits, now: number): RateStand | null | undefined
}

/** A place for a stream that is to come. `id`: null while the tenant is asked for it. */
export interface PlaceAhead {
  id: string | null
  /** Unix ms up to which it may be used: the tenant keeps it somewhat longer. */
  until: number
}

/** What the service needs of the world. An object is taken anew for each call: one that has died is reached by no older stub. */
export interface ServicePorts {
  /** `locationHint`: where it is made, if it is made now. */
  session(tenant: string, id: string, locationHint?: Place['location_hint']): SessionCommands
  tenant(name: string): TenantRules
  audit(tenant: string): AuditTrail
  nearKeys(tenant: string, now: number): NearKeys | null
  /** Whether a tenant's list has a session: of those whose ids have no mark. */
  listsSession(tenant: string, id: string): Promise<boolean>
  config: Pick<ServerConfig, 'auth' | 'budgets' | 'cors' | 'public_url' | 'quotas'>
  /** Where sessions are made; null: places are ignored, since this platform has none. */
  place: Place | null
  tokens: { ofBearer(token: string): Promise<TokenOutcome>; ofAccess(token: string): Promise<TokenOutcome> }
  /** What marks that something was given out here. */
  secret(): Promise<Secret>
  /** False: the one that is set can be guessed. */
  hasUsableSecret: boolean
  /** Places for streams that this isolate took before it needed them, by tenant. */
  streamsAhead: Map<string, PlaceAhead>
  /** Who showed wrong keys, as this isolate knows. */
  wrongKeys: WrongKeys
  /** The admin key of tenant `default`; empty: there is none. */
  apiKey: string
  /** Started on this machine, by whose own names it is served. */
  isLocal: boolean
  now(): number
  report(error: unknown): void
  /** What whoever called is told of a throw. */
  failureOf(error: unknown): AppError
}
