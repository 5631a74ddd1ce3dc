import type { Origin } from '../domain/telemetry.ts'
import type { Decided } from '../domain/audit.ts'
import type { NewEvent, RunMode } from '../domain/event.ts'
import { fail, ok, type Result } from '../domain/errors.ts'
import type { Pending } from '../domain/pending.ts'
import type { StoredRequest } from '../domain/ports.ts'
import type { ContinueInput, DecisionInput, NewMessageInput } from '../domain/session-input.ts'
import type { AgentResponseData, SessionRecord } from '../domain/session.ts'
import type { RunState } from '../domain/state.ts'
import type { TeamMessageInput } from '../domain/team.ts'
import type { AnswerForm, CallOptions, KeyOption, RunAnswer } from './call.ts'
import { closingEvents } from './closing.ts'
import { configEvents, configured } from './commands/configure.ts'
import { titleOf } from './commands/create.ts'
import { checkDecision, decisionEvent, remembered } from './commands/decide.ts'
import { endAll, queueEvents } from './commands/queue.ts'
import { CANCELLED, decisionMessage, newTaskEvents } from './commands/run.ts'
import { cancelTask, retryTask } from './commands/task.ts'
import { teamBounds, teamMessageEvents } from './commands/team-message.ts'
import type { Driver } from './drive.ts'
import type { Journal } from './journal.ts'
import type { SessionPorts } from './ports.ts'
import { agentResponse } from './projections.ts'
import { responseOf } from './response.ts'
import { eventStream } from './sse.ts'
import { isActive } from './state.ts'

/** What happens at once, in one transaction, before a run is driven. */
interface Begin {
  events: NewEvent[]
  record?: SessionRecord
  texts?: { key: string; text: string }[]
  /** The run that the caller waits for, when it is not the newest. */
  runId?: string
}

/** The commands of a session that exists which begin, go on with or end a run. */
export class Runs {
  readonly #journal: Journal
  readonly #ports: SessionPorts
  readonly #driver: Driver

  constructor(journal: Journal, ports: SessionPorts, driver: Driver) {
    this.#journal = journal
    this.#ports = ports
    this.#driver = driver
  }

  /** True while a run is active here or, after a crash, is about to be taken up. */
  get going(): boolean {
    return this.#driver.busy || isActive(this.#journal.state)
  }

  async addMessage(input: NewMessageInput, options: CallOptions): Promise<Result<RunAnswer>> {
    return this.#run(options, (mode) => {
      const { engine } = this.#ports
      const record = configured(engine, this.#journal.record, input.config)
      if (!record.ok) return record
      const { triggered } = options
      const isWaiting = triggered !== undefined && this.#journal.state.pending.length > 0
      const isBusy = this.going || isWaiting
      if (isBusy && options.whenBusy === 'queue') return queueEvents(this.#journal, input, mode, triggered)
      if (isBusy && options.whenBusy !== 'interrupt') return this.#inProgress()
      if (isBusy) this.#stop()
      const decided = decisionMessage(this.#journal, engine, input.content, mode)
      if (decided) return ok({ events: decided, record: record.value })
      const titled = record.value.title === '' ? { ...record.value, title: titleOf(input.content) } : record.value
      return ok({ events: newTaskEvents(this.#journal, engine, input.content, mode, { triggered }), record: titled })
    })
  }

  /** The next batch of the same run, or a run that failed once more; limits in the config are new totals. */
  async continue(input: ContinueInput, options: CallOptions): Promise<Result<RunAnswer>> {
    return this.#run(options, (mode) => {
      const { status, run } = this.#journal.state
      if (this.going) return this.#inProgress()
      if (!run || status === 'idle' || status === 'completed' || status === 'cancelled')
        return fail({ code: 'nothing_to_continue', status })
      const record = configured(this.#ports.engine, this.#journal.record, input.config)
      if (!record.ok) return record
      const bounds = teamBounds(this.#ports.engine, record.value, input)
      if (!bounds.ok) return bounds
      const again: NewEvent =
        status === 'failed'
          ? { type: 'run-start', orchestrator: run.orchestrator, mode, resumed: true, ...bounds.value }
          : { type: 'run-resume', mode, ...bounds.value }
      return ok({ events: [again], record: record.value })
    })
  }

  /** A message on the bus of the session's team, while it works too: whoever hears it acts upon it in the next round. */
  async tellTeam(input: TeamMessageInput, options: CallOptions): Promise<Result<RunAnswer>> {
    return this.#run(options, (mode) => {
      const events = teamMessageEvents(this.#journal, this.#ports.engine, input, mode)
      return events.ok ? ok({ events: events.value }) : events
    })
  }

  /** A human's decision on one pending item; for anything but what waits nothing happens. */
  async decide(
    pendingId: string,
    input: DecisionInput,
    { payer: _decides, ...options }: CallOptions,
  ): Promise<Result<RunAnswer>> {
    return this.#run(options, (mode) => {
      const checked = checkDecision(this.#journal, this.#ports.engine, pendingId, input)
      if (!checked.ok) return checked
      const { item } = checked
      const known = this.#journal.record
      const record = input.remember ? remembered(known, this.#ports.engine, item) : known
      const resume: NewEvent[] = isActive(this.#journal.state) ? [] : [{ type: 'run-resume', mode }]
      return ok({ events: [decisionEvent(item, input), ...resume], record })
    })
  }

  /** End one task of a plan, or have it done once more; the run goes on. */
  async task(taskId: string, act: 'cancel' | 'retry', options: CallOptions): Promise<Result<RunAnswer>> {
    return this.#run(options, (mode) => {
      const { engine } = this.#ports
      const events =
        act === 'cancel' ? cancelTask(this.#journal, engine, taskId, mode) : retryTask(this.#journal, taskId, mode)
      if (events.ok && act === 'cancel') this.#driver.abortScope(taskId)
      return events.ok ? ok({ events: events.value }) : events
    })
  }

  /** Stop the run; what is under way is cut and its outcome dropped. Without a run nothing happens. */
  async cancel({ key }: KeyOption = {}): Promise<Result<RunAnswer>> {
    const known = key === undefined ? null : this.#journal.log.request(key)
    if (known) return this.replay(known, 'wait')
    const asked = requestOf(
      { key },
      this.#ports.now(),
      this.#journal.state.run?.id ?? null,
      this.#journal.state.lastSeq,
    )
    this.#stop(asked)
    const response = agentResponse(this.#journal)
    if (key !== undefined) this.#journal.log.keepAnswer(key, JSON.stringify(response))
    await this.#driver.announce()
    this.#driver.recover()
    return ok({ form: 'wait', response })
  }

  /** End every run, those of queued messages too; whoever waits for one is told. */
  endAll(): void {
    endAll(this.#journal, this.#ports.engine)
    this.#driver.abort('deleted')
  }

  /** One command that runs: its transaction, then the driver, then the answer in the form that was asked for. */
  async #run(options: CallOptions, begin: (mode: RunMode) => Result<Begin>): Promise<Result<RunAnswer>> {
    this.#driver.recover()
    const known = options.key === undefined ? null : this.#journal.log.request(options.key)
    if (known) return this.replay(known, options.form)
    const mode = options.form === 'background' ? 'background' : 'request'
    const fromSeq = this.#journal.state.lastSeq
    const begun = begin(mode)
    if (!begun.ok) return begun
    const { events, record, texts } = begun.value
    const runId = begun.value.runId ?? newRunIn(events) ?? this.#journal.state.run?.id ?? null
    const told = record ? configEvents(this.#journal.record, record) : []
    const decided = decisionsIn(events, this.#journal.state.pending)
    this.#journal.append(
      [...told, ...withOrigin(paidBy(events, options.payer, this.#journal.state.run), options.origin)],
      {
        ...(record ? { record } : {}),
        ...(texts ? { texts } : {}),
        ...requestOf(options, this.#ports.now(), runId, fromSeq),
      },
    )
    const answer = await this.#answer(options, mode, runId, fromSeq)
    return answer.ok && decided.length > 0 ? ok({ ...answer.value, decided }) : answer
  }

  async #answer(
    options: CallOptions,
    mode: RunMode,
    runId: string | null,
    fromSeq: number,
  ): Promise<Result<RunAnswer>> {
    const { form, key } = options
    const rested = this.#driver.rested(runId ?? '', fromSeq)
    this.#driver.go(mode, runId ?? '')
    if (form === 'stream') return ok({ form, body: this.#streamOf(runId, fromSeq) })
    if (form === 'background') {
      const accepted = { session_id: this.#journal.record.id, run_id: runId }
      await this.#driver.list()
      return ok({ form, accepted })
    }
    const response = await rested
    if (key !== undefined && this.#journal.exists) this.#journal.log.keepAnswer(key, JSON.stringify(response))
    return ok({ form, response })
  }

  /** The answer that a keyed call got, or gets now that the process that ran it is gone. */
  replay(known: StoredRequest, form: AnswerForm): Result<RunAnswer> {
    const { runId } = known
    if (form === 'background')
      return ok({ form, replayed: true, accepted: { session_id: this.#journal.record.id, run_id: runId } })
    if (known.answer !== null && form === 'wait')
      return ok({ form, replayed: true, response: JSON.parse(known.answer) as AgentResponseData })
    const { run, queue } = this.#journal.state
    const going = (run?.id === runId && run.phase === 'active') || queue.some((queued) => queued.runId === runId)
    if (going) return fail({ code: 'idempotency_in_progress' })
    if (form === 'stream') return ok({ form, replayed: true, body: this.#streamOf(runId, known.fromSeq) })
    const response = responseOf(this.#journal, runId, known.fromSeq)
    this.#journal.log.keepAnswer(known.key, JSON.stringify(response))
    return ok({ form, replayed: true, response })
  }

  #streamOf(runId: string | null, fromSeq: number): ReadableStream<Uint8Array> {
    return eventStream(this.#journal, { from: { seq: fromSeq, n: 0 }, untilRestOf: runId })
  }

  /** End the run as cancelled, if there is one; whoever waits for it is told. */
  #stop(asked: { request?: StoredRequest } = {}): void {
    const { status } = this.#journal.state
    const unfinished = status === 'in_progress' || status === 'interrupted'
    const events = unfinished ? closingEvents(this.#journal, this.#ports.engine, CANCELLED) : []
    if (unfinished || asked.request) this.#journal.append(events, asked)
    this.#driver.abort('cancelled')
  }

  #inProgress(): Result<never> {
    return fail({ code: 'run_in_progress', runId: this.#journal.state.run?.id ?? '' })
  }
}

/** A run knows where it was asked for. */
function withOrigin(events: readonly NewEvent[], origin: Origin | undefined): NewEvent[] {
  return events.map((event) => (event.type === 'run-start' && origin ? { ...event, origin } : event))
}

/** What events decide of what waits. */
function decisionsIn(events: readonly NewEvent[], pending: readonly Pending[]): Decided[] {
  return events.flatMap((event) => {
    const item = event.type === 'pending-end' ? pending.find(({ id }) => id === event.id) : undefined
    if (event.type !== 'pending-end' || !item) return []
    const { id, tool, arguments_hash: hash } = item
    const about = { ...(tool === undefined ? {} : { tool }), ...(hash === undefined ? {} : { arguments_hash: hash }) }
    return [{ pending_id: id, decision: event.decision, ...about }]
  })
}

/** The keyed request as it is kept with its effect; nothing without a key. */
export function requestOf(
  { key }: KeyOption,
  time: number,
  runId: string | null,
  fromSeq = 0,
): { request?: StoredRequest } {
  return key === undefined ? {} : { request: { key, runId, fromSeq, time, answer: null } }
}

/** Events that begin a run, queue it or go on with it say who pays, where that is another than before. Who only decides what
 *  waits does not. */
function paidBy(events: NewEvent[], payer: string | null | undefined, run: RunState | null): NewEvent[] {
  if (payer === undefined || events.some(({ type }) => type === 'pending-end')) return events
  return events.map((event) => {
    const goesOn = event.type === 'run-resume' || (event.type === 'run-start' && event.resumed)
    const begins = event.type === 'message-queued' || event.type === 'run-start'
    const known = goesOn ? (run?.payer ?? null) : null
    return (goesOn || begins) && payer !== known ? { ...event, payer } : event
  })
}

/** The run that events begin, if they do. */
function newRunIn(events: readonly NewEvent[]): string | undefined {
  return events.find(({ type, run_id }) => type === 'run-start' && run_id !== undefined)?.run_id
}
