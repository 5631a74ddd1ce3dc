import { contentText } from '../domain/content.ts'
import type { ContentInput } from '../domain/content-input.ts'
import type { AuditAct, AuditFact } from '../domain/audit.ts'
import type { NewEvent, RunMode } from '../domain/event.ts'
import { type AppError, fail, invalid, ok, type Result } from '../domain/errors.ts'
import { LIMITS } from '../domain/limits.ts'
import type { StoredRequest } from '../domain/ports.ts'
import type { AgentResponseData, RunAccepted } from '../domain/session.ts'
import { type ContinueInput, isCallAnswer, type NewMessageInput, type PendingInput } from '../domain/session-input.ts'
import type { TeamMessageInput } from '../domain/team.ts'
import type { CallOptions, KeyOption, KeyStand, RunAnswer, Superseded } from './call.ts'
import { newId } from '../lib/id.ts'
import { closingEvents } from '../engine/closing.ts'
import { fileEvents } from '../engine/job.ts'
import type { TaskAct } from '../engine/engine.ts'
import {
  type Begin,
  decisionsIn,
  awaitedRun,
  firstLanguage,
  signed,
  type SpokenCast,
  withLanguage,
} from './commands/begin.ts'
import { configEvents, configured } from './commands/configure.ts'
import { schemaRefusal, titleOf } from './commands/create.ts'
import { checkDecision, decisionEvent, remembered } from './commands/decide.ts'
import { endAll, queueEvents } from './commands/queue.ts'
import { recast } from './commands/recast.ts'
import {
  CANCELLED,
  clientToolsEvents,
  decisionMessage,
  deciderOn,
  isDecision,
  MAY_NOT_DECIDE,
  newTaskEvents,
} from './commands/run.ts'
import { loadClientTools } from '../run/setup/client-tools.ts'
import { maySteer, steerEvents } from './commands/steer.ts'
import { taskEvents, teamBounds, teamMessageEvents } from './commands/team.ts'
import { Driver } from './driver/driver.ts'
import { type AppendExtras, Journal, unfit } from '../log/journal.ts'
import type { SessionPorts } from '../run/ports.ts'
import { checkReach } from '../run/setup/check-config.ts'
import { livePorts, type LivePorts } from '../run/setup/servers.ts'
import { type Projections, Views } from './queries/projection.ts'
import { responseOf } from './queries/response.ts'
import { agentResponse } from './queries/session-data.ts'
import { takeMessage } from './commands/parts/take.ts'
import { placed, type TakenContent, takenWords } from './commands/parts/taken.ts'
import { isActive, isOpen } from '../log/branches.ts'

/** A schema is of the answer to a task. */
const NO_TASK = invalid([
  { path: 'output_schema', message: 'nothing: the run waits for a human, and this message decides' },
]).error

/** A message with what it brings along. */
export type TakenMessageInput = Omit<NewMessageInput, 'content'> & { content: TakenContent }

/** A call whose effect is in the log: what is driven, and from where on its caller is told. */
interface Asked extends CallOptions {
  mode: RunMode
  /** The run that its caller waits for. */
  runId: string | null
  /** Where the log ended before the call. */
  fromSeq: number
}

/** The commands of a session that exists which begin, go on with or end a run. */
export class Runs {
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

  /** True while a run is active here or, after a crash, is about to be taken up. */
  get going(): boolean {
    return this.driver.busy || isActive(this.journal.state)
  }

  /** A task, or the word of a human on what waits. */
  async addMessage(input: NewMessageInput, options: CallOptions): Promise<Result<RunAnswer>> {
    const loading = input.client_tools?.length ? loadClientTools() : null
    if (loading) await loading
    const refused = (await this.refused(input)) ?? (this.#decides(options) ? null : await this.#full(options))
    if (refused) return refused
    const { content, config } = input
    const taken = await this.taken(content, { path: 'content', config, options })
    if (!taken.ok) return taken
    const spoken = await this.spoken(takenWords(input.content), input, options)
    return unfit(this.journal) ?? this.message({ ...input, content: taken.value }, options, spoken)
  }

  /** What a content brings along. A call that came before is not taken once more. `path`: of the content in its request. */
  protected async taken(
    content: ContentInput,
    { path, config, options }: Pick<NewMessageInput, 'config'> & { path: string; options: CallOptions },
  ): Promise<Result<TakenContent>> {
    if (typeof content === 'string' || this.repeated(options)) return ok(takenWords(content))
    return takeMessage({ content, path, config }, this.journal, this.ports)
  }

  /** The same in a session that is there, with a config that fits. `spoken`: what the session comes to be in by its first message. */
  protected async message(
    input: TakenMessageInput,
    options: CallOptions,
    spoken: SpokenCast | null,
  ): Promise<Result<RunAnswer>> {
    return this.#run(options, (mode) => {
      const moved = this.#movedOn(options)
      if (moved) return moved
      const { engine } = this.ports
      const record = configured(engine, this.journal.record, input.config)
      if (!record.ok) return record
      const { output_schema: outputSchema } = input
      const unusable = schemaRefusal(engine, record.value.orchestrator, outputSchema)
      if (unusable) return fail(unusable)
      const { triggered } = options
      const isWaiting = triggered !== undefined && this.journal.state.pending.length > 0
      const isBusy = this.going || isWaiting
      const isQueued = isBusy && options.whenBusy === 'queue'
      const isSteering = options.whenBusy === 'steer' && maySteer(this.journal.state, this.going)
      if (isBusy && !isQueued && !isSteering && options.whenBusy !== 'interrupt') return this.#inProgress()
      const said = placed(input.content, this.journal.log.files)
      if (!said.ok) return said
      const { content, files } = said.value
      if (isQueued) return queueEvents(this.journal, input, said.value, mode, triggered)
      if (isSteering) {
        const steering = { mode, triggered, record: record.value }
        return steerEvents({ journal: this.journal, engine }, input, said.value, steering)
      }
      if (isBusy) this.#stop()
      const by = deciderOn(this.journal.state, options)
      if (!by && isDecision(this.journal.state)) return MAY_NOT_DECIDE
      const decided = by && decisionMessage({ journal: this.journal, engine }, content, { mode, by })
      if (decided && outputSchema !== undefined) return fail(NO_TASK)
      const { client_tools: clientTools } = input
      if (decided) return ok({ events: [...clientToolsEvents(clientTools), ...decided], record: record.value, files })
      const titled =
        record.value.title === '' ? { ...record.value, title: titleOf(contentText(content, null)) } : record.value
      return ok({
        language: this.#takesLanguage(input) ? spoken : null,
        events: newTaskEvents(this.journal, engine, content, mode, { triggered, outputSchema, clientTools }),
        record: titled,
        files,
      })
    })
  }

  /** The next batch of the same run, or a run that failed once more; limits in the config are new totals. */
  async continue(input: ContinueInput, options: CallOptions): Promise<Result<RunAnswer>> {
    const refused = (await this.refused(input)) ?? unfit(this.journal)
    if (refused) return refused
    return this.#run(options, (mode) => {
      const { status, run } = this.journal.state
      if (this.going) return this.#inProgress()
      if (!run || status === 'idle' || status === 'completed' || status === 'cancelled')
        return fail({ code: 'nothing_to_continue', status })
      const record = configured(this.ports.engine, this.journal.record, input.config)
      if (!record.ok) return record
      const bounds = teamBounds(this.ports.engine, record.value, input)
      if (!bounds.ok) return bounds
      const again: NewEvent =
        status === 'failed'
          ? { type: 'run-start', orchestrator: run.orchestrator, mode, resumed: true, ...bounds.value }
          : { type: 'run-resume', mode, ...bounds.value }
      return ok({ events: [again], record: record.value })
    })
  }

  /** A message on the bus of the session's team, while it works too: whoever hears it acts upon it in the next round. */
  async sendTeamMessage(input: TeamMessageInput, options: CallOptions): Promise<Result<RunAnswer>> {
    const full = await this.#full(options)
    if (full) return full
    const spoken = await this.spoken(input.content, {}, options)
    const gone = unfit(this.journal)
    if (gone) return gone
    return this.#run(options, (mode) => {
      const events = teamMessageEvents({ journal: this.journal, engine: this.ports.engine }, input, mode)
      const language = this.#takesLanguage({}) ? spoken : null
      return events.ok ? ok({ language, events: events.value }) : events
    })
  }

  /** What a session is in that does not say so and is given its first task, and whom it is cast with then; null: it stays as it is. */
  protected async spoken(
    words: string,
    { config }: Pick<NewMessageInput, 'config'>,
    options: CallOptions,
  ): Promise<SpokenCast | null> {
    if (!this.journal.exists || !this.#takesLanguage(config ? { config } : {})) return null
    const { record } = this.journal
    const language = config?.language ?? firstLanguage(words, options)
    return language === null ? null : { language, ...(await recast(this.ports.engine, record, language)) }
  }

  /** Whether its first message says what the session is in: by its config, or by its words where nobody has said it. */
  #takesLanguage({ config }: Partial<Pick<NewMessageInput, 'config'>>): boolean {
    const { record, state } = this.journal
    return state.taskSeq === 0 && (config?.language !== undefined || record.config.language === undefined)
  }

  /** A human's decision on one pending item, or the result of a call that the caller makes; for anything but what waits nothing happens. */
  async decide(
    pendingId: string,
    input: PendingInput,
    { payer: _decides, ...options }: CallOptions,
  ): Promise<Result<RunAnswer>> {
    const loading = this.#loadTools()
    if (loading) await loading
    const gone = unfit(this.journal)
    if (gone) return gone
    const { decider, answerer = decider } = options
    const by = isCallAnswer(input) ? answerer : decider
    if (!by) return MAY_NOT_DECIDE
    return this.#run(options, (mode) => {
      const checked = checkDecision(this.journal, this.ports.engine, pendingId, input)
      if (!checked.ok) return checked
      const { item } = checked
      const known = this.journal.record
      const record = input.remember
        ? remembered(known, { journal: this.journal, engine: this.ports.engine }, item)
        : known
      const resume: NewEvent[] = isActive(this.journal.state) ? [] : [{ type: 'run-resume', mode }]
      return ok({ events: [decisionEvent(item, input, by), ...resume], record })
    })
  }

  /** End one task of a plan, or have it done once more; the run goes on. */
  async task(taskId: string, act: TaskAct, options: CallOptions): Promise<Result<RunAnswer>> {
    const gone = unfit(this.journal)
    if (gone) return gone
    return this.#run(options, (mode) => {
      const events = taskEvents({ journal: this.journal, engine: this.ports.engine }, taskId, act, mode)
      if (events.ok && act === 'cancel') this.driver.abortBranch(taskId)
      return events.ok ? ok({ events: events.value }) : events
    })
  }

  /** What is known here of a key and what its request asks. */
  keyStand({ key, fingerprint, generation }: Pick<CallOptions, 'key' | 'fingerprint' | 'generation'>): KeyStand {
    const superseded = this.superseded({ key, generation })
    if (superseded) return superseded
    const known = this.known(key)
    if (!known) return 'free'
    return isOther(known, fingerprint) ? 'other' : 'same'
  }

  /** The key that made the session made others since. */
  keepSuccessor(generation: number): void {
    const until = this.ports.now() + LIMITS.idempotency.keptMs
    this.journal.log.keepSuccessor({ generation, until })
    // Where the session is gone the alarm clears that away.
    if (!this.journal.exists) this.ports.alarm.set(until)
  }

  /** Which session is to be asked for a key in the place of this one; null: it is this one. */
  protected superseded({ key, generation }: Pick<CallOptions, 'key' | 'generation'>): Superseded | null {
    if (generation === undefined) return null
    const successor = this.journal.log.successor()
    // Whoever makes the next one finds it from here for as long as its key is kept.
    if (successor && !this.journal.exists) this.keepSuccessor(successor.generation)
    if (successor) return { replayed: true, generation: successor.generation }
    if (!this.journal.exists || this.known(key)) return null
    return { replayed: true, generation: generation + 1 }
  }

  /** Stop the run; what is under way is cut and its outcome dropped. Without a run nothing happens. */
  async cancel({ key, fingerprint, act }: KeyOption = {}): Promise<Result<RunAnswer>> {
    const gone = unfit(this.journal)
    if (gone) return gone
    const known = this.known(key)
    if (known) return this.replay(known, { form: 'wait', fingerprint })
    const asked = requestOf(
      { key, fingerprint },
      this.ports.now(),
      this.journal.state.run?.id ?? null,
      this.journal.state.lastSeq,
    )
    this.#stop(asked, act)
    const response = agentResponse(this.journal, this.ports.engine)
    if (key !== undefined) this.journal.log.keepAnswer(key, JSON.stringify(response))
    this.driver.announce()
    this.driver.recover()
    return ok({ form: 'wait', response })
  }

  /** End every run, those of queued messages too; whoever waits for one is told. */
  protected endAll(): void {
    endAll(this.journal, this.ports.engine)
    this.driver.abort('deleted')
  }

  /** One command that runs: its transaction, then the driver, then the answer in the form that was asked for. */
  async #run(options: CallOptions, begin: (mode: RunMode) => Result<Begin>): Promise<Result<RunAnswer>> {
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

  /** Write what a command changes, and who asked for it. `details`: what the audit is told of that beside. */
  protected record(
    events: readonly NewEvent[],
    extras: AppendExtras,
    fact: AuditFact | undefined,
    details: Record<string, unknown> = {},
  ): void {
    const act = fact && this.named(fact, details)
    if (act || events.length > 0 || Object.keys(extras).length > 0) this.journal.append(events, { ...extras, act })
  }

  /** What is done, with its id and time. */
  protected named(fact: AuditFact, details: Record<string, unknown> = {}): AuditAct {
    const now = this.ports.now()
    const about = { ...fact, details: { ...fact.details, ...details } }
    return { id: newId('aud', now), time: new Date(now).toISOString(), ...about }
  }

  /** Have the run of a call driven, and answer the call. */
  async #answer({ form, view, key, mode, runId, fromSeq }: Asked): Promise<Result<RunAnswer>> {
    const rested = this.driver.rested(runId ?? '', fromSeq)
    this.driver.go(mode, runId ?? '', { begins: form !== 'background' })
    if (form === 'stream') return ok({ form, runId, body: this.#streamOf(view, runId, fromSeq) })
    if (form === 'background') return ok({ form, accepted: this.#accepted(runId) })
    const response = await rested
    if (key !== undefined && this.journal.exists) this.journal.log.keepAnswer(key, JSON.stringify(response))
    return ok({ form, response })
  }

  #accepted(runId: string | null): RunAccepted {
    const { id } = this.journal.record
    return { id, session_id: id, run_id: runId }
  }

  /** The request that a key was given to; null: none, or one of a day ago. */
  protected known(key: string | undefined): StoredRequest | null {
    const known = key === undefined || !this.journal.exists ? null : this.journal.log.request(key)
    return known && this.ports.now() - known.time < LIMITS.idempotency.keptMs ? known : null
  }

  /** The same of a call that comes again: one of a thread only while its run goes on, or where it is sent anew on purpose. */
  protected repeated({ key, thread }: Pick<CallOptions, 'key' | 'thread'>): StoredRequest | null {
    const known = this.known(key)
    if (!known || !thread || isOpen(this.journal.state, known.runId)) return known
    const { run, status } = this.journal.state
    return thread.isRetry && run?.id === known.runId && status !== 'failed' ? known : null
  }

  /** Why nothing is done in a thread: its session has another run than the one that the caller knows of. */
  #movedOn({ thread }: Pick<CallOptions, 'thread'>): { ok: false; error: AppError } | null {
    if (thread?.after === undefined) return null
    const newest = this.journal.state.run?.id ?? null
    return newest === thread.after ? null : fail({ code: 'precondition_failed', etag: newest ?? '', what: 'run' })
  }

  /** The answer that a keyed call got, or gets now that the process that ran it is gone. */
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
    if (isGoing) return ok({ form, replayed: true, response: await this.driver.rested(runId ?? '', known.fromSeq) })
    const response = responseOf(this.journal, this.ports.engine, runId, known.fromSeq)
    this.journal.log.keepAnswer(known.key, JSON.stringify(response))
    return ok({ form, replayed: true, response })
  }

  #streamOf(view: CallOptions['view'], runId: string | null, fromSeq: number): ReadableStream<Uint8Array> {
    return this.views.stream(view, { from: { seq: fromSeq, n: 0 }, untilRestOf: runId })
  }

  /** End the run as cancelled, if there is one; whoever waits for it is told. */
  #stop(asked: { request?: StoredRequest } = {}, act?: AuditFact): void {
    const { status } = this.journal.state
    const unfinished = status === 'in_progress' || status === 'interrupted'
    const events = unfinished ? closingEvents(this.journal, this.ports.engine, CANCELLED) : []
    this.record(events, asked, act)
    this.driver.abort('cancelled')
  }

  /** Why a call cannot be taken: there is no session, or its config names what cannot be reached. Null: it can, but the
   *  session may be gone meanwhile. */
  protected async refused({ config }: { config?: unknown }): Promise<{ ok: false; error: AppError } | null> {
    const gone = unfit(this.journal)
    if (gone) return gone
    const refused = await checkReach(this.ports.engine, this.journal.record.tenant, config)
    return refused ? fail(refused) : null
  }

  /** Its tenant has no room for more work than a known key began. Nobody is asked where it had room when it was last heard of. */
  async #full({ key }: CallOptions): Promise<{ ok: false; error: AppError } | null> {
    if (!this.journal.exists || this.known(key)) return null
    const refusal = await this.ports.room?.refusal(this.journal.record.tenant)
    return refusal ? fail(refusal) : null
  }

  /** Whether a message decides on what waits, which is no more work. */
  #decides({ triggered }: CallOptions): boolean {
    return triggered === undefined && this.journal.exists && !this.going && isDecision(this.journal.state)
  }

  /** Edited arguments are checked by the tool that they are for, which may be a server's or the caller's. Null: the tools are at hand. */
  #loadTools(): Promise<unknown> | null {
    const { engine } = this.ports
    if (!this.journal.exists) return null
    const tools = engine.isLoaded ? null : engine.load(this.journal.record)
    const clientTools = engine.loadClientTools()
    return tools || clientTools ? Promise.all([tools, clientTools]) : null
  }

  #inProgress(): Result<never> {
    return fail({ code: 'run_in_progress', runId: this.journal.state.run?.id ?? '' })
  }
}

/** Whether the key was given to a request that asks for something else. */
export function isOther(known: StoredRequest, fingerprint: string | undefined): boolean {
  return fingerprint !== undefined && known.fingerprint !== undefined && known.fingerprint !== fingerprint
}

/** The keyed request as it is kept with its effect; nothing without a key. */
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
