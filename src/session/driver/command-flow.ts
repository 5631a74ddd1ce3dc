import type { AuditAct, AuditFact } from '../../domain/audit.ts'
import type { NewEvent, RunMode } from '../../domain/event.ts'
import { fail, ok, type Result } from '../../domain/errors.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { StoredRequest } from '../../domain/ports.ts'
import type { AgentResponseData, RunAccepted } from '../../domain/session.ts'
import { fileEvents } from '../../engine/job.ts'
import { newId } from '../../lib/id.ts'
import { isActive, isOpen } from '../../log/branches.ts'
import type { FollowedPart } from '../../log/observe.ts'
import { type AppendExtras, Journal } from '../../log/journal.ts'
import type { SessionPorts } from '../../run/ports.ts'
import { livePorts, type LivePorts } from '../../run/setup/servers.ts'
import type { CallOptions, KeyOption, KeyStand, RunAnswer, Superseded } from '../call.ts'
import { awaitedRun, type Begin, decisionsIn, signed, withLanguage } from '../commands/begin.ts'
import { configEvents } from '../commands/configure.ts'
import { Driver } from './driver.ts'
import { type Projections, Views } from '../queries/projection.ts'
import { firstSeqOf, responseOf } from '../queries/response.ts'

/** A call whose effect is in the log: what is to be driven, and from where on its caller is told. */
interface Asked extends CallOptions {
  mode: RunMode
  /** The run that its caller waits for. */
  runId: string | null
  /** Where the log ended before the call. */
  fromSeq: number
}

/** The way of each command that runs something: look up its key, write its transaction, start the driver, answer. */
export class CommandFlow {
  protected readonly journal: Journal
  protected readonly ports: LivePorts
  protected readonly driver: Driver
  protected readonly views: Views

  constructor(given: SessionPorts, projections: Projections) {
    const { reduce } = given.engine.orchestrators
    this.journal = new Journal(given.log, given.now, { reduce, watch: given.watch })
    const ports = livePorts(given, this.journal)
    this.ports = ports
    this.driver = new Driver(this.journal, ports)
    this.views = new Views(this.journal, ports, projections)
  }

  /** True while a run is active: this process makes its moves or, after a crash, is about to. */
  get going(): boolean {
    return this.driver.busy || isActive(this.journal.state)
  }

  /** Do one command. `begin` gives what it writes; its events are written in one transaction, then the run is driven and the call is answered. A call that
   *  came before with the same key is answered as it was then. */
  protected async perform(options: CallOptions, begin: (mode: RunMode) => Result<Begin>): Promise<Result<RunAnswer>> {
    this.driver.recover()
    const known = this.repeated(options)
    if (known) return this.replay(known, options)
    const mode: RunMode = options.form === 'background' || options.thread ? 'background' : 'request'
    const fromSeq = this.journal.state.lastSeq
    const begun = begin(mode)
    if (!begun.ok) return begun
    const asked: Asked = { ...options, mode, fromSeq, runId: awaitedRun(begun.value, this.journal.state.run) }
    return this.journal.together(() => {
      this.#append(begun.value, asked)
      return this.#answer(asked)
    })
  }

  #append({ events, record: given, texts, files = [], language }: Begin, asked: Asked): void {
    const changed = given ? configEvents(this.journal.record, given) : []
    const record = language ? withLanguage(given ?? this.journal.record, language) : given
    const decisions = decisionsIn(events, this.journal.state.pending)
    const extras = {
      ...(record ? { record } : {}),
      ...(texts ? { texts } : {}),
      ...(files.length > 0 ? { files } : {}),
      ...requestOf(asked, this.ports.now(), asked.runId, asked.fromSeq),
    }
    const told = [...events, ...fileEvents(files)]
    const begun = [...changed, ...signed(told, asked, this.journal.state.run)]
    this.record(begun, extras, asked.act, decisions.length > 0 ? { decisions } : {})
  }

  /** Write what a command changes, with the act for the audit. `details`: further details of the act. */
  protected record(
    events: readonly NewEvent[],
    extras: AppendExtras,
    fact: AuditFact | undefined,
    details: Record<string, unknown> = {},
  ): void {
    const act = fact && this.named(fact, details)
    if (act || events.length > 0 || Object.keys(extras).length > 0) this.journal.append(events, { ...extras, act })
  }

  /** An act for the audit, with its id and time. */
  protected named(fact: AuditFact, details: Record<string, unknown> = {}): AuditAct {
    const now = this.ports.now()
    const about = { ...fact, details: { ...fact.details, ...details } }
    return { id: newId('aud', now), time: new Date(now).toISOString(), ...about }
  }

  /** Have the run of a call driven, and answer the call. */
  async #answer({ form, view, key, mode, runId, fromSeq }: Asked): Promise<Result<RunAnswer>> {
    const rested = form === 'wait' ? this.driver.rested(runId ?? '', fromSeq) : null
    this.driver.go(mode, runId ?? '', { begins: form !== 'background' })
    if (form === 'stream') return ok({ form, runId, body: this.#streamOf(view, runId, fromSeq) })
    if (form === 'whole') return ok({ form, runId, body: await this.#wholeOf(view, runId, fromSeq) })
    if (!rested) return ok({ form: 'background', accepted: this.#accepted(runId) })
    const response = await rested
    if (key !== undefined && this.journal.exists) this.journal.log.keepAnswer(key, JSON.stringify(response))
    return ok({ form: 'wait', response })
  }

  #accepted(runId: string | null): RunAccepted {
    const { id } = this.journal.record
    return { id, session_id: id, run_id: runId }
  }

  /** The request that came with a key; null: none did within `LIMITS.idempotency.keptMs`. */
  protected known(key: string | undefined): StoredRequest | null {
    const known = key === undefined || !this.journal.exists ? null : this.journal.log.request(key)
    return known && this.ports.now() - known.time < LIMITS.idempotency.keptMs ? known : null
  }

  /** The request that this call repeats; null: it is a new one. A call of a thread repeats an earlier one only while the run of that goes on, if it is a
   *  retry, or if the answer was lost with the process that ran it. */
  protected repeated({ key, thread }: Pick<CallOptions, 'key' | 'thread'>): StoredRequest | null {
    const known = this.known(key)
    if (!known || !thread || thread.isOnce || isOpen(this.journal.state, known.runId)) return known
    const { run, status } = this.journal.state
    if (run === null || run.id !== known.runId || status === 'failed') return null
    return thread.isRetry || this.driver.tellsTakenUp(run.id) ? known : null
  }

  /** What this session knows of a key. */
  keyStand({ key, fingerprint, generation }: Pick<CallOptions, 'key' | 'fingerprint' | 'generation'>): KeyStand {
    const superseded = this.superseded({ key, generation })
    if (superseded) return superseded
    const known = this.known(key)
    if (!known) return 'free'
    return isOther(known, fingerprint) ? 'other' : 'same'
  }

  /** Store that the key which made this session has made another one since. */
  keepSuccessor(generation: number): void {
    const until = this.ports.now() + LIMITS.idempotency.keptMs
    this.journal.log.keepSuccessor({ generation, until })
    // Where the session is gone the alarm clears that away.
    if (!this.journal.exists) this.ports.alarm.set(until)
  }

  /** Which session has to be asked for a key; null: this one. */
  protected superseded({ key, generation }: Pick<CallOptions, 'key' | 'generation'>): Superseded | null {
    if (generation === undefined) return null
    const successor = this.journal.log.successor()
    // Whoever makes the next one finds it from here for as long as its key is kept.
    if (successor && !this.journal.exists) this.keepSuccessor(successor.generation)
    if (successor) return { replayed: true, generation: successor.generation }
    if (!this.journal.exists || this.known(key)) return null
    return { replayed: true, generation: generation + 1 }
  }

  /** The answer that a call with a key got. If its process died before it could answer, the answer is made now. */
  protected async replay(
    known: StoredRequest,
    { form, view, fingerprint, thread }: Pick<CallOptions, 'form' | 'view' | 'fingerprint' | 'thread'>,
  ): Promise<Result<RunAnswer>> {
    if (isOther(known, fingerprint)) return fail({ code: 'idempotency_key_reused' })
    const { runId } = known
    if (form === 'background') return ok({ form, replayed: true, accepted: this.#accepted(runId) })
    if (known.answer !== null && form === 'wait')
      return ok({ form, replayed: true, response: JSON.parse(known.answer) as AgentResponseData })
    const isGoing = isOpen(this.journal.state, runId)
    if (isGoing && !thread) return fail({ code: 'idempotency_in_progress' })
    if (form === 'stream') return ok({ form, runId, replayed: true, body: this.#streamOf(view, runId, known.fromSeq) })
    if (form === 'whole')
      return ok({ form, runId, replayed: true, body: await this.#wholeOf(view, runId, known.fromSeq) })
    if (isGoing) return ok({ form, replayed: true, response: await this.driver.rested(runId ?? '', known.fromSeq) })
    const response = responseOf(this.journal, this.ports.engine, runId, known.fromSeq)
    this.journal.log.keepAnswer(known.key, JSON.stringify(response))
    return ok({ form, replayed: true, response })
  }

  #streamOf(view: CallOptions['view'], runId: string | null, fromSeq: number): ReadableStream<Uint8Array> {
    return this.views.stream(view, this.#partOf(view, runId, fromSeq))
  }

  #wholeOf(view: CallOptions['view'], runId: string | null, fromSeq: number): ReturnType<Views['whole']> {
    return this.views.whole(view, this.#partOf(view, runId, fromSeq))
  }

  /** The part of the log that the caller of a run is told. */
  #partOf(view: CallOptions['view'], runId: string | null, fromSeq: number): FollowedPart {
    const seq = view?.isWhole && runId !== null ? (firstSeqOf(this.journal, runId) ?? 1) - 1 : fromSeq
    return { from: { seq, n: 0 }, untilRestOf: runId, restsUpTo: fromSeq }
  }
}

/** Whether the key came with a request that asks for something else. */
export function isOther(known: StoredRequest, fingerprint: string | undefined): boolean {
  return fingerprint !== undefined && known.fingerprint !== undefined && known.fingerprint !== fingerprint
}

/** The request as it is stored with its effect; nothing if it has no key. */
export function requestOf(
  { key, fingerprint, thread }: KeyOption & Pick<CallOptions, 'thread'>,
  time: number,
  runId: string | null,
  fromSeq = 0,
): { request?: StoredRequest } {
  if (key === undefined) return {}
  const replaces = thread ? { replaces: true as const } : {}
  return { request: { key, fingerprint, runId, fromSeq, time, answer: null, ...replaces } }
}
