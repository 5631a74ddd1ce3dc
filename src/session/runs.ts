import { contentText } from '../domain/content.ts'
import type { ContentInput } from '../domain/content-input.ts'
import type { AuditFact } from '../domain/audit.ts'
import type { NewEvent, RunMode } from '../domain/event.ts'
import { type AppError, fail, ok, type Result } from '../domain/errors.ts'
import type { StoredRequest } from '../domain/ports.ts'
import {
  type ContinueInput,
  type NewMessageInput,
  type PendingAnswer,
  type PendingInput,
} from '../domain/session-input.ts'
import type { SessionRecord } from '../domain/session.ts'
import type { SessionState } from '../domain/state.ts'
import type { TeamMessageInput } from '../domain/team.ts'
import type { CallOptions, KeyOption, RunAnswer } from './call.ts'
import { closingEvents } from '../engine/closing.ts'
import type { TaskAct } from '../engine/work.ts'
import { type Begin, firstLanguage, type SpokenCast } from './commands/begin.ts'
import { configured, configuredAnew, withoutFields } from './commands/configure.ts'
import { schemaRefusal, taskRefusal, titleOf } from './commands/create.ts'
import { decidedEvents } from './commands/decide.ts'
import { noTask, saidBehind, type TakenMessageInput } from './commands/say-behind.ts'
import { endAll, queueEvents } from './commands/queue.ts'
import { recast } from './commands/recast.ts'
import {
  CANCELLED,
  clientToolsEvents,
  decisionMessage,
  deciderOn,
  isDecision,
  otherTools,
  MAY_NOT_DECIDE,
  newTaskEvents,
} from './commands/run.ts'
import { CommandFlow, requestOf } from './driver/command-flow.ts'
import { loadClientTools } from '../run/setup/client-tools.ts'
import { maySteer, steerEvents } from './commands/steer.ts'
import { stepEvents, taskEvents, teamBounds, teamMessageEvents } from './commands/team.ts'
import { movedOn, leftUnanswered } from './commands/thread.ts'
import { unfit } from '../log/journal.ts'
import { checkReach } from '../run/setup/check-config.ts'
import { agentResponse } from './queries/session-data.ts'
import { takeMessage } from './commands/parts/take.ts'
import { placed, type Placed, type TakenContent, takenWords } from './commands/parts/taken.ts'
import { isActive } from '../log/branches.ts'

/** Whether a run rests until a time comes, and waits for nobody. */
function rests({ status, pending }: SessionState): boolean {
  return status === 'interrupted' && pending.length === 0
}

/** How a message was asked to be taken. `spoken`: what the session comes to be in by it, if it is the first. */
interface AskedMessage {
  mode: RunMode
  options: CallOptions
  spoken: SpokenCast | null
}

/** The commands of a session that exists which begin, go on with or end a run. */
export class Runs extends CommandFlow {
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
    return this.perform(options, (mode) => this.#heard(input, { mode, options, spoken }))
  }

  /** What a message writes: to the queue, to the run that is going, or at once. */
  #heard(input: TakenMessageInput, asked: AskedMessage): Result<Begin> {
    const { journal } = this
    const { engine } = this.ports
    const { mode, options } = asked
    const { triggered } = options
    const moved = movedOn(journal, options)
    if (moved) return moved
    const record = configured(engine, withoutFields(journal.record, options.thread?.saysAnew), input.config)
    if (!record.ok) return record
    const unusable = schemaRefusal(engine, record.value.orchestrator, input.output_schema)
    if (unusable) return fail(unusable)
    const way = this.#wayOf(options)
    if (way === null) return this.#inProgress()
    const said = placed(input.content, journal.log.files)
    if (!said.ok) return said
    const isTask = way === 'now' ? !isDecision(journal.state) : way !== 'steer'
    const misfit = isTask ? taskRefusal({ engine, record: record.value }, input, said.value.content) : null
    if (misfit) return fail(misfit)
    if (way === 'queue') return queueEvents(journal, input, said.value, mode, triggered)
    if (way === 'steer')
      return steerEvents({ journal, engine }, input, said.value, { mode, triggered, record: record.value })
    if (way === 'interrupt') this.#stop()
    return this.#unanswered([], options) ?? this.#readNow(input, said.value, record.value, asked)
  }

  /** What becomes of a message that comes now. Null: a run is going, and the caller does not say what is to become of the message then. */
  #wayOf({ triggered, whenBusy }: CallOptions): 'queue' | 'steer' | 'interrupt' | 'now' | null {
    const { state } = this.journal
    if (whenBusy === 'steer' && maySteer(state)) return 'steer'
    const isWaiting = triggered !== undefined && state.pending.length > 0
    if (!this.going && !isWaiting && !rests(state)) return 'now'
    return whenBusy === 'queue' || whenBusy === 'interrupt' ? whenBusy : null
  }

  /** A message decides on what waits; where nothing waits it begins a run. */
  #readNow(
    input: TakenMessageInput,
    { content, files }: Placed,
    record: SessionRecord,
    { mode, options, spoken }: AskedMessage,
  ): Result<Begin> {
    const { journal } = this
    const { engine } = this.ports
    const { output_schema: outputSchema, client_tools: clientTools, inputs } = input
    if (isDecision(journal.state)) {
      const by = deciderOn(journal.state, options)
      if (!by) return MAY_NOT_DECIDE
      const idle = noTask(input)
      if (idle) return fail(idle)
      const { pending } = journal.state
      const decided = decisionMessage({ journal, engine }, content, { mode, by, pending })
      return ok({ events: [...clientToolsEvents(clientTools), ...decided], record, files })
    }
    const title = record.title === '' ? titleOf(contentText(content, null), journal.record.workflow) : record.title
    const { triggered } = options
    return ok({
      language: this.#takesLanguage(input) ? spoken : null,
      events: newTaskEvents(journal, engine, content, mode, { triggered, outputSchema, clientTools, inputs }),
      record: title === record.title ? record : { ...record, title },
      files,
    })
  }

  /** The next batch of the same run, or a run that failed once more; limits in the config are new totals. */
  async continue(input: ContinueInput, options: CallOptions): Promise<Result<RunAnswer>> {
    const refused = (await this.refused(input)) ?? unfit(this.journal)
    if (refused) return refused
    return this.perform(options, (mode) => {
      const { status, run } = this.journal.state
      if (this.going) return this.#inProgress()
      if (!run || status === 'idle' || status === 'completed' || status === 'cancelled')
        return fail({ code: 'nothing_to_continue', status })
      const { orchestrators } = this.ports.engine
      const over = orchestrators
        .find(run.orchestrator)
        ?.notCarriedOn?.({ journal: this.journal, engine: this.ports.engine })
      if (over) return fail({ code: 'nothing_to_continue', status: over })
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
    return this.perform(options, (mode) => {
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
  async decide(pendingId: string, input: PendingInput, options: CallOptions): Promise<Result<RunAnswer>> {
    return this.decideAll([{ pendingId, input }], options)
  }

  /** The same of several items at once: all of it holds, or none. */
  async decideAll(
    answers: readonly PendingAnswer[],
    { payer: _decides, ...options }: CallOptions,
  ): Promise<Result<RunAnswer>> {
    const loading = this.#loadTools()
    if (loading) await loading
    const { asks } = options.thread ?? {}
    if (asks?.client_tools?.length) await loadClientTools()
    const gone = asks ? await this.refused(asks) : unfit(this.journal)
    if (gone) return gone
    return this.perform(options, (mode) => {
      const moved = movedOn(this.journal, options)
      if (moved) return moved
      const context = { journal: this.journal, engine: this.ports.engine }
      const known = configuredAnew(context.engine, this.journal.record, options.thread)
      if (!known.ok) return known
      const decided = decidedEvents(context, answers, { record: known.value, ...options })
      if (!decided.ok) return decided
      const { record } = decided.value
      const events = [...otherTools(context.engine, asks?.client_tools), ...decided.value.events]
      const unanswered = this.#unanswered(answers, options)
      if (unanswered) return unanswered
      const resume: NewEvent[] = isActive(this.journal.state) ? [] : [{ type: 'run-resume', mode }]
      return ok({ events: [...events, ...resume], record })
    })
  }

  /** What is said of items that wait, and a message behind it: all of it holds, or none. The run hears the message with its next model call, unless
   *  more waits for somebody: then that is what the words are about. */
  async answerAndSay(
    answers: readonly PendingAnswer[],
    input: NewMessageInput,
    { payer: _decides, ...options }: CallOptions,
  ): Promise<Result<RunAnswer>> {
    await Promise.all([this.#loadTools(), input.client_tools?.length ? loadClientTools() : null])
    const refused = await this.refused(input)
    if (refused) return refused
    const { content, config } = input
    const taken = await this.taken(content, { path: 'content', config, options })
    if (!taken.ok) return taken
    return (
      unfit(this.journal) ??
      this.perform(options, (mode) =>
        this.#answeredAndSaid(answers, { ...input, content: taken.value }, { mode, options }),
      )
    )
  }

  #answeredAndSaid(
    answers: readonly PendingAnswer[],
    input: TakenMessageInput,
    { mode, options }: { mode: RunMode; options: CallOptions },
  ): Result<Begin> {
    const moved = movedOn(this.journal, options)
    if (moved) return moved
    const context = { journal: this.journal, engine: this.ports.engine }
    const known = withoutFields(this.journal.record, options.thread?.saysAnew)
    const record = configured(context.engine, known, input.config)
    if (!record.ok) return record
    const decided = decidedEvents(context, answers, { record: record.value, ...options })
    if (!decided.ok) return decided
    const said = placed(input.content, this.journal.log.files)
    if (!said.ok) return said
    return (
      this.#unanswered(answers, options) ??
      saidBehind(context, decided.value, { input, said: said.value, mode, by: (open) => deciderOn(open, options) })
    )
  }

  /** End one task of a plan, or have it done once more; the run goes on. */
  async task(taskId: string, act: TaskAct, options: CallOptions): Promise<Result<RunAnswer>> {
    const gone = unfit(this.journal)
    if (gone) return gone
    return this.perform(options, (mode) => {
      const events = taskEvents({ journal: this.journal, engine: this.ports.engine }, taskId, act, mode)
      if (events.ok && act === 'cancel') this.driver.abortBranch(taskId)
      return events.ok ? ok({ events: events.value }) : events
    })
  }

  /** Have a declared step done once more that has ended; the run goes on from there. */
  async retryStep(path: string, options: CallOptions): Promise<Result<RunAnswer>> {
    const gone = unfit(this.journal)
    if (gone) return gone
    return this.perform(options, (mode) => {
      if (this.going) return this.#inProgress()
      const events = stepEvents({ journal: this.journal, engine: this.ports.engine }, path, mode)
      return events.ok ? ok({ events: events.value }) : events
    })
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

  #unanswered(answers: readonly PendingAnswer[], options: CallOptions): { ok: false; error: AppError } | null {
    return this.going ? null : leftUnanswered(this.journal.state, answers, options)
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
    this.#lookAnew()
    const renewing = this.ports.engine.renew(this.journal.record)
    if (renewing) await renewing
    const left = unfit(this.journal)
    if (left) return left
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

  /** What a call waits for may have been given a moment ago: with the answer the run reads it. */
  #lookAnew(): void {
    const { record, state } = this.journal
    if (state.pending.some(({ connection }) => connection)) this.ports.engine.forget(record)
  }

  /** Edited arguments are checked by the tool that they are for, which may be a server's or the caller's. Null: the tools are at hand. */
  #loadTools(): Promise<unknown> | null {
    const { engine } = this.ports
    if (!this.journal.exists) return null
    this.#lookAnew()
    const tools = engine.isLoaded ? null : engine.load(this.journal.record)
    const clientTools = engine.loadClientTools()
    return tools || clientTools ? Promise.all([tools, clientTools]) : null
  }

  #inProgress(): Result<never> {
    return fail({ code: 'run_in_progress', runId: this.journal.state.run?.id ?? '' })
  }
}
