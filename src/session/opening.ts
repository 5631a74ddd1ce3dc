import { fail, ok, type Result } from '../domain/errors.ts'
import type { SessionData, SessionRecord } from '../domain/session.ts'
import type { NewSession } from '../domain/session-input.ts'
import { fileEvents } from '../engine/job.ts'
import type { CallOptions, ImportOptions, KeyOption, RunAnswer, SessionText, Superseded } from './call.ts'
import { checkReach } from '../run/setup/check-config.ts'
import { loadClientTools } from '../run/setup/client-tools.ts'
import { firstLanguage } from './commands/begin.ts'
import { castOf, checkNewSession, newRecord, titleOf } from './commands/create.ts'
import { historyEvents } from './commands/history.ts'
import { type NamedRun, sessionSkillOf, takeSkill } from './commands/skill.ts'
import { LIMITS } from '../domain/limits.ts'
import { readAllText } from '../lib/streams.ts'
import { sleep } from '../lib/wait.ts'
import { markRemembered } from './notify/remember.ts'
import { markNotified } from './notify/outbox.ts'
import { attachedTokensMax, takeInput, type TakenOpening, takeOpening } from './commands/parts/take.ts'
import { NO_FILES, type TakenContent, takenWords } from './commands/parts/taken.ts'
import type { Intake } from './transfer/intake.ts'
import { missing, unfit } from '../log/journal.ts'
import { isOther, requestOf } from './driver/command-flow.ts'
import { Runs } from './runs.ts'
import type { TakenMessageInput } from './commands/say-behind.ts'
import { isActive } from '../log/branches.ts'

/** What the tenant has set cannot be read, and was never known here: nothing is made that it may have forbidden. */
const UNREAD = fail({ code: 'unavailable' })

/** How a session comes to be: made anew, or from a document. */
export class Opening extends Runs {
  /** What is being taken in; null: nothing. */
  #intake: Intake | null = null

  /** Make the session, with the messages it comes with; a `task` starts its run. */
  async create(
    id: string,
    tenant: string,
    input: NewSession,
    options: CallOptions,
  ): Promise<Result<RunAnswer | SessionText | Superseded>> {
    const { engine, now } = this.ports
    const renewing = engine.renew({ tenant, user: input.user ?? null })
    if (renewing && !(await renewing)) return UNREAD
    const loading = input.client_tools?.length ? loadClientTools() : null
    if (loading) await loading
    const superseded = this.superseded(options)
    if (superseded) return ok(superseded)
    if (this.journal.exists) return this.#createdBefore(input, options)
    const skill = await sessionSkillOf(engine, tenant, input)
    if (this.journal.exists) return this.#createdBefore(input, options)
    if (!skill.ok) return skill
    const found = await castOf(engine, tenant, input, skill.value)
    if (this.journal.exists) return this.#createdBefore(input, options)
    if (!found.ok) return found
    const elsewhere = await checkReach(engine, tenant, input.config)
    if (this.journal.exists) return this.#createdBefore(input, options)
    const cast = found.value
    const refused = elsewhere ?? checkNewSession(engine, input, cast)
    if (refused) return fail(refused)
    const { messages: given = [], task } = input
    const record = newRecord(engine, { id, tenant, generation: options.generation }, input, now(), cast)
    const taking = { engine, files: NO_FILES, tokensMax: attachedTokensMax(engine, record), now }
    const taken = await takeOpening(given, task, taking)
    if (this.journal.exists) return this.#createdBefore(input, options)
    if (!taken.ok) return taken
    const ran = await this.#open(record, taken.value, input, options)
    if (ran && (!ran.ok || ran.value.form !== 'wait' || options.thread)) return ran
    return this.#made(options.key)
  }

  /** Write the session with the messages that it comes with, in one transaction, and have its task run; undefined: it has none. */
  #open(
    record: SessionRecord,
    { history, task }: TakenOpening,
    input: NewSession,
    { act, generation: _generation, ...options }: CallOptions,
  ): Promise<Result<RunAnswer>> | undefined {
    const { messages, files } = history
    // The key of a session with a task is kept with its run.
    const asked = task === undefined ? requestOf(options, record.createdTime, null) : {}
    const language = firstLanguage(takenWords(task ?? ''), options)
    return this.journal.together(() => {
      this.record([], { record, ...asked }, act)
      if (messages.length > 0) {
        const told = historyEvents(this.journal, this.ports.engine, messages)
        this.journal.append([...told, ...fileEvents(files)], { files })
      }
      if (task !== undefined) return this.message(taskOf(input, task), options, language === null ? null : { language })
      this.driver.announce()
      return undefined
    })
  }

  /** Make a session that runs a skill, and run it. What the first sending of a keyed call began is answered again. */
  async runSkill(
    id: string,
    tenant: string,
    run: NamedRun,
    options: CallOptions,
  ): Promise<Result<RunAnswer | Superseded>> {
    const { engine, now } = this.ports
    const renewing = engine.renew({ tenant, user: run.user ?? null })
    if (renewing && !(await renewing)) return UNREAD
    const superseded = this.superseded(options)
    if (superseded) return ok(superseded)
    const known = this.repeated(options)
    if (known) return this.replay(known, options)
    const loading = run.client_tools?.length ? loadClientTools() : null
    if (loading) await loading
    const taken = await takeSkill(engine, tenant, run)
    if (!taken.ok) return taken
    const { skill, message } = taken.value
    const input = { ...sessionInput(run), title: titleOf(message) }
    const found = await castOf(engine, tenant, input, skill)
    if (!found.ok) return found
    const cast = found.value
    const refused = (await checkReach(engine, tenant, input.config)) ?? checkNewSession(engine, input, cast)
    if (refused) return fail(refused)
    const { act, generation, ...more } = options
    const record = newRecord(engine, { id, tenant, generation }, input, now(), cast)
    const files = this.journal.exists ? this.journal.log.files : NO_FILES
    const begun = await takeInput(taken.value, {
      engine,
      files,
      tokensMax: attachedTokensMax(engine, record),
      now,
    })
    if (!begun.ok) return begun
    const { content, inputs } = begun.value
    return this.journal.together(() => {
      if (!this.journal.exists) this.record([], { record: withInputs(record, inputs) }, act)
      return this.message(taskOf(run, content), more, null)
    })
  }

  /** Make the session from an exported document; nothing in it runs. */
  async import(
    id: string,
    tenant: string,
    body: ReadableStream<Uint8Array>,
    { key, fingerprint, generation, act, bytesMax, keepConfig = false }: ImportOptions,
  ): Promise<Result<SessionText>> {
    // Which orchestrators the log has to do with is known when it was read.
    const [transfer, isKnown] = await Promise.all([
      import('./transfer/import.ts'),
      this.ports.engine.renew({ tenant, user: null }),
      this.ports.engine.orchestrators.load(),
    ])
    if (isKnown === false) return UNREAD
    // Another one of this id is waited for, unless it died: then it gives no sign any more.
    while (this.#isTakenIn()) await sleep(LIMITS.transfer.lookMs)
    if (this.journal.exists) return this.#madeBefore({ key, fingerprint })
    const { engine, now } = this.ports
    const intake = await this.#begin(transfer)
    try {
      const taken = await transfer.readImport(body, bytesMax, { intake, id })
      if (!taken.ok) return taken
      const record = await transfer.importedRecord(
        taken.value,
        { id, tenant, now: intake.time, generation, keepConfig },
        engine,
      )
      if (this.#intake !== intake) return fail({ code: 'idempotency_in_progress' })
      if (!record.ok) return record
      if (this.#intake !== intake) return fail({ code: 'idempotency_in_progress' })
      const named = act ? { act: this.named(act) } : {}
      intake.commit(engine, { record: record.value, ...named, ...requestOf({ key, fingerprint }, now(), null) })
      transfer.closeCopy(this.journal, engine)
      markRemembered(this.journal)
      markNotified(this.journal)
    } finally {
      await this.#end(intake)
    }
    this.driver.announce()
    return this.#made(key)
  }

  #isTakenIn(): boolean {
    return this.#intake !== null && this.#intake.signTime + LIMITS.transfer.silentMs > this.ports.now()
  }

  async #begin(transfer: { Intake: typeof Intake }): Promise<Intake> {
    const { alarm, now } = this.ports
    const intake: Intake = new transfer.Intake(this.journal, {
      now,
      onStage: () => alarm.set(intake.time + LIMITS.transfer.silentMs),
    })
    this.#intake?.end()
    this.#intake = intake
    await this.#clearLeftovers()
    return intake
  }

  /** What came to be no session leaves nothing behind. */
  async #end(intake: Intake): Promise<void> {
    intake.end()
    if (this.#intake !== intake) return
    await this.#clearLeftovers()
    this.#intake = null
  }

  async #clearLeftovers(): Promise<void> {
    const { log } = this.journal
    if (this.journal.exists || !log.hasLeftovers()) return
    log.clear()
    this.ports.alarm.clear()
    await this.ports.destroy()
  }

  /** What the alarm does where there is no session: what is left of an import whose process died, or of a key's, is cleared away. */
  protected async sweep(): Promise<void> {
    const { alarm, now } = this.ports
    const until = this.journal.log.successor()?.until ?? 0
    if (this.#isTakenIn()) alarm.set(now() + LIMITS.transfer.silentMs)
    else if (until > now()) alarm.set(until)
    else await this.#clearLeftovers()
  }

  async #made(key: string | undefined): Promise<Result<SessionText>> {
    const gone = missing(this.journal)
    if (gone) return gone
    return key === undefined ? ok(this.views.document('all')) : this.#keepCreated(key)
  }

  /** The same SessionData for the first sending of a keyed call and for those that follow. */
  async #keepCreated(key: string): Promise<Result<SessionText>> {
    const { etag, body } = this.views.document('all')
    const text = typeof body === 'string' ? body : await readAllText(body, LIMITS.idempotency.answerCharsMax)
    // A longer one is made again of the session as it is.
    if (text === null) return ok(this.views.document('all'))
    if (this.journal.exists) this.journal.log.keepAnswer(key, text)
    return ok({ etag, body: text })
  }

  async #createdBefore(input: NewSession, options: CallOptions): Promise<Result<RunAnswer | SessionText>> {
    const { form, thread } = options
    const { task } = input
    this.driver.recover()
    const known = this.repeated(options)
    if (!known && (options.triggered ?? thread) && task !== undefined) {
      const taken = await this.taken(task, { path: 'task', options })
      if (!taken.ok) return taken
      const spoken = await this.spoken(takenWords(task), {}, options)
      return unfit(this.journal) ?? this.message(taskOf(input, taken.value), options, spoken)
    }
    if (known && known.runId !== null && (form !== 'wait' || thread)) return this.replay(known, options)
    return this.#madeBefore(options)
  }

  /** What a keyed call made earlier: as it was answered, or as it is, if the process died before there was an answer. */
  async #madeBefore({ key, fingerprint }: KeyOption): Promise<Result<SessionText>> {
    const known = this.known(key)
    if (!known || key === undefined) return fail({ code: 'internal_error' })
    if (isOther(known, fingerprint)) return fail({ code: 'idempotency_key_reused' })
    const etag = known.answer === null ? null : etagIn(known.answer)
    if (known.answer !== null && etag !== null) return ok({ replayed: true, etag, body: known.answer })
    if (isActive(this.journal.state)) return fail({ code: 'idempotency_in_progress' })
    const made = await this.#keepCreated(key)
    return made.ok ? ok({ ...made.value, replayed: true }) : made
  }
}

/** The message that begins the run of a new session. */
function taskOf(
  { client_tools: tools, inputs }: Pick<NewSession, 'client_tools' | 'inputs'>,
  content: TakenContent,
): TakenMessageInput {
  return {
    content,
    ...(tools === undefined ? {} : { client_tools: tools }),
    ...(inputs === undefined ? {} : { inputs }),
  }
}

/** The etag that a SessionData as text shows; null for the answer of its run, where the process died before the other. */
function etagIn(text: string): string | null {
  return (JSON.parse(text) as Partial<SessionData>).etag ?? null
}

/** Inputs that are files are known by their paths. */
function withInputs(record: SessionRecord, inputs: Record<string, string>): SessionRecord {
  const { skill } = record
  return skill ? { ...record, skill: { ...skill, inputs: { ...skill.inputs, ...inputs } } } : record
}

/** What a run of a skill says of its session. */
function sessionInput({ user, config, metadata }: NamedRun): NewSession {
  return { ...(user === undefined ? {} : { user }), ...(config ? { config } : {}), ...(metadata ? { metadata } : {}) }
}
