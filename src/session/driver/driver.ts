import type { NewEvent, RunMode } from '../../domain/event.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { SessionRecord } from '../../domain/session.ts'
import { settingsOf } from '../../engine/settings.ts'
import { means } from '../../skills/check-skill.ts'
import { isWished } from '../../tools/registry.ts'
import type { AgentResponseData } from '../../domain/session.ts'
import { expiryEvents } from '../commands/decide.ts'
import { sleep } from '../../lib/wait.ts'
import { dequeue } from '../commands/queue.ts'
import type { Journal } from '../../log/journal.ts'
import { Listing } from '../notify/listing.ts'
import { endEvents } from '../../run/steps/end.ts'
import { Runner } from '../../run/runner.ts'
import type { LivePorts } from '../../run/setup/servers.ts'
import { isActive, mayDequeue } from '../../log/branches.ts'
import { msToDeadline } from '../../run/view.ts'
import { dueEvents, RunClock, stepsDue } from './due.ts'
import { Waiters } from './waiters.ts'
import type { Engine } from '../../engine/engine.ts'
import type { SessionPorts } from '../../run/ports.ts'

/** Keeps a session's runs going: by the request that asked for one, by the alarm, and again after a crash. */
export class Driver {
  readonly #journal: Journal
  readonly #ports: LivePorts
  readonly #runner: Runner
  readonly #listing: Listing
  readonly #waiters: Waiters
  readonly #clock: RunClock
  #driving: Promise<void> | null = null
  /** Whether the tenant knows how this session is; and what it is being told. */
  #listed = false
  #reporting: Promise<void> = Promise.resolve()
  /** When the run that goes on is no short one any more. */
  #longDue: ReturnType<typeof setTimeout> | undefined
  /** The run that was cut with its process and gone on with by this one, until somebody who asked for it has its answer; null: none. */
  #takenUp: string | null = null
  /** What is waited for before the run goes on; null: nothing. */
  #loading: AbortController | null = null
  /** What the run was told of its servers, by this process. */
  #reported: { run: string | null; problems: readonly string[] } = { run: null, problems: [] }

  constructor(journal: Journal, ports: LivePorts) {
    this.#journal = journal
    this.#ports = ports
    this.#listing = new Listing(journal, ports)
    this.#waiters = new Waiters(journal, ports, () => this.#settle())
    this.#clock = new RunClock(journal, ports, () => this.#runner.poke())
    const around = {
      beforeWait: () => {
        this.#listing.reportAsked()
        this.#clock.set()
      },
      afterWait: () => ports.engine.renewInTime(),
    }
    this.#runner = new Runner({ journal, engine: ports.engine }, { compacts: ports.compacts, ...around })
  }

  /** True while moves are under way in this process. */
  get busy(): boolean {
    return this.#runner.busy
  }

  /** Drive a run, which may be queued: here and now for a request, by the alarm in the background. `begins`: what goes on in the
   *  background is begun here. */
  go(mode: RunMode, runId: string, { begins = mode === 'request' } = {}): void {
    this.#isUnlisted()
    const { alarm, now, isTakenUp } = this.#ports
    if (!begins || !isTakenUp) alarm.set(now() + (begins ? LIMITS.run.guardMs : 0))
    if (!begins) return this.#report()
    if (mode === 'request') this.#waiters.bound(runId)
    this.#longDue ??= setTimeout(() => this.#isLong(), LIMITS.run.reportMs)
    this.#ports.keepAlive(this.#drive(Infinity))
  }

  /** A run that takes its time is told to the tenant; and guarded, where it was not yet. */
  #isLong(): void {
    this.#longDue = undefined
    if (!this.#driving) return
    if (this.#ports.isTakenUp) this.#ports.alarm.set(this.#ports.now() + LIMITS.run.guardMs)
    this.#report()
  }

  /** The answer of a run, once it rests. */
  rested(runId: string, fromSeq: number): Promise<AgentResponseData> {
    return this.#waiters.rested(runId, fromSeq)
  }

  /** What the alarm does: expire what waited too long, recover what was cut, go on with what is open or queued. Where a run goes on
   *  it only stays set; where one has come to rest, which is what most find, nothing is to be done. */
  async wake(): Promise<void> {
    const { alarm, now } = this.#ports
    if (!this.#journal.exists) return
    if (this.#journal.state.needsNewer) return this.#rest()
    if (this.#listed && !this.#driving && !this.isDue) return this.#sleep()
    alarm.set(now() + LIMITS.run.guardMs)
    const due = dueEvents(this.#journal, this.#ports.engine)
    if (due.length > 0) this.#journal.append(due)
    if (this.#driving) return this.#runner.poke()
    const expired = expiryEvents(this.#journal)
    if (expired.length > 0) this.#journal.append(expired)
    const driven = this.#drive(now() + LIMITS.run.backgroundBatchMs)
    await this.#heldFor(
      LIMITS.run.alarmMs,
      driven.then(() => this.#reporting),
    )
    if (this.#journal.exists) this.#sleep()
  }

  /** Nothing is gone on with; a session that is old enough goes all the same. */
  #rest(): void {
    const end = retentionEnd(this.#journal, this.#ports.engine)
    if (end !== null) this.#ports.alarm.set(end)
  }

  /** Until the work is done, but no longer than so: what takes longer goes on, with the guard's alarms to keep it alive. */
  async #heldFor(ms: number, work: Promise<void>): Promise<void> {
    const done = new AbortController()
    const isOver = () => done.abort()
    await Promise.race([work.finally(isOver), sleep(ms, done.signal).catch(() => {})])
  }

  /** After an alarm: at once again while there is work, else when something is due, else never. */
  #sleep(): void {
    const { alarm, now } = this.#ports
    const { state } = this.#journal
    const due = dueTime(this.#journal, this.#ports)
    if (this.#driving) alarm.set(now() + LIMITS.run.guardMs)
    else if (isActive(state) || mayDequeue(state)) alarm.set(now())
    else if (this.#listed && due === null) alarm.clear()
    else if (this.#listed && due !== null) alarm.set(due)
  }

  /** Whether there is something to go on with: a run, one that is queued, or what waited too long. */
  get isDue(): boolean {
    const { state } = this.#journal
    if (state.needsNewer) return false
    const isDue = expiryEvents(this.#journal).length > 0 || dueEvents(this.#journal, this.#ports.engine).length > 0
    return isActive(state) || mayDequeue(state) || isDue
  }

  /** Look what the process that died has left, and go on with it, without waiting for it. */
  takeUp(): void {
    const { state } = this.#journal
    if (isActive(state)) this.#takenUp = state.run?.id ?? null
    if (!this.#driving) this.#ports.keepAlive(this.wake())
  }

  /** Whether a run was taken up whose answer was lost with the process before. It is, once: whoever asks is told. */
  tellsTakenUp(runId: string): boolean {
    if (this.#takenUp !== runId) return false
    this.#takenUp = null
    return true
  }

  /** Take up what died with its process or is due by now, without waiting for it. */
  recover(): void {
    if (!this.#driving && this.isDue) this.#ports.keepAlive(this.wake())
  }

  /** Cut what is under way and answer whoever waits for the run, which is over. */
  abort(reason: string): void {
    this.#loading?.abort(new DOMException(reason, 'AbortError'))
    this.#runner.abort(reason)
    this.#waiters.answer()
  }

  /** Cut what is under way for one branch; the run goes on. */
  abortBranch(scope: string): void {
    this.#runner.abortBranch(scope)
  }

  /** One driver a session: a second call joins the first. */
  #drive(until: number): Promise<void> {
    if (this.#driving) {
      this.#runner.poke()
      return this.#driving
    }
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#driving = promise
    const { asInvocation = unbounded, now } = this.#ports
    resolve(asInvocation((isSpent) => this.#runs(() => now() >= until || isSpent())))
    return promise
  }

  /** The open run, then those that are queued behind it or came meanwhile. When not even its failure can be written, the guard's alarm
   *  drives anew. */
  async #runs(isOver: () => boolean): Promise<void> {
    try {
      do await this.#driveOne(isOver)
      while (this.#goesOn(isOver))
    } finally {
      this.#clock.clear()
      this.#driving = null
      this.#goOnLater(isOver)
    }
  }

  /** What an invocation leaves undone goes on in another, which the alarm begins. */
  #goOnLater(isOver: () => boolean): void {
    const { exists, state } = this.#journal
    if (exists && isOver() && (isActive(state) || mayDequeue(state))) this.#ports.alarm.set(this.#ports.now())
  }

  async #driveOne(isOver: () => boolean): Promise<void> {
    if (this.#ports.isTakenUp) this.#longDue ??= setTimeout(() => this.#isLong(), LIMITS.run.reportMs)
    try {
      const loading = this.#load()
      if (!loading || (await loading)) await this.#runner.drive(isOver)
    } catch (error) {
      this.#fail(error)
    }
    this.#settle()
  }

  /** Have all at hand that a run needs; null: it is. False: the run ended meanwhile, and what comes after it is to be loaded for. It is no
   *  move: a run whose process died loads again. */
  #load(): Promise<boolean> | null {
    const loading = new AbortController()
    const work = this.#loadWorkers(loading.signal)
    if (!work) {
      this.#reportProblems([])
      return null
    }
    this.#loading = loading
    return this.#isLoaded(work, loading)
  }

  async #isLoaded(work: Promise<void>, loading: AbortController): Promise<boolean> {
    try {
      await work
    } catch (error) {
      if (!loading.signal.aborted) throw error
    } finally {
      this.#loading = null
    }
    return !loading.signal.aborted
  }

  /** The tools of the session's MCP servers and of its caller, and the tenant's skills that work for others, are there before anything is
   *  decided. */
  #loadWorkers(signal: AbortSignal): Promise<void> | null {
    const { engine } = this.#ports
    const { record, state } = this.#journal
    const msLeft = msToDeadline(state.run, { engine, record, now: this.#ports.now() })
    const waits = (server: string) => this.#emit([{ type: 'tools-wait', server }])
    const { hasWorkers } = engine.orchestrators.find(record.orchestrator) ?? {}
    const tools = engine.load(record, { signal, waits, msMax: Math.min(LIMITS.mcp.probeMs, msLeft) })
    const isGiven = mayDelegate(engine, record)
    const orchestrators = isGiven ? engine.orchestrators.load() : null
    const workers = isGiven || hasWorkers?.(record) ? engine.skills.loadWorkers(record.tenant) : null
    const clientTools = engine.loadClientTools()
    if (!tools && !workers && !clientTools && !orchestrators) return null
    return Promise.all([tools, workers, clientTools, orchestrators]).then(([problems]) => {
      if (!signal.aborted) this.#reportProblems(problems ?? [])
    })
  }

  /** Each run is told of servers that it cannot use, once for as long as that lasts. */
  #reportProblems(problems: readonly string[]): void {
    const { exists, state } = this.#journal
    if (!exists || !isActive(state)) return
    const run = state.run?.id ?? null
    const known = this.#reported.run === run ? this.#reported.problems : []
    const news = problems.filter((problem) => !known.includes(problem))
    this.#emit(news.map((detail) => ({ type: 'error', code: 'mcp_server_unavailable', detail })))
    this.#reported = { run, problems }
  }

  /** Write to the run that goes on. */
  #emit(events: readonly NewEvent[]): void {
    const { exists, state } = this.#journal
    if (events.length > 0 && exists && isActive(state)) this.#journal.append(events)
  }

  /** Whether there is another run to drive; the next of the queue is started if it may be. */
  #goesOn(isOver: () => boolean): boolean {
    const { exists, state } = this.#journal
    if (!exists || isOver()) return false
    if (isActive(state)) return true
    return dequeue(this.#journal, this.#ports.engine)
  }

  /** Resolves when nothing of what the tenant is told is under way any more. */
  async reported(): Promise<void> {
    await this.#listing.over()
  }

  /** Have the tenant know of what was just written outside of a run, even if the process dies before it does. */
  announce(): void {
    const { alarm, now, isTakenUp } = this.#ports
    if (!isTakenUp && !isActive(this.#journal.state)) alarm.set(now() + LIMITS.run.watchdogMs)
    this.#settle()
  }

  /** Answer whoever waits, and tell the tenant. No answer waits for that. */
  #settle(): void {
    this.#listed = false
    const reporting: Promise<void> = this.#listing.list().then((isListed) => {
      // What was told of an earlier rest says nothing of this one.
      if (reporting === this.#reporting) this.#wakeWhenDue(isListed)
    })
    this.#reporting = reporting
    this.#ports.keepAlive(reporting)
    clearTimeout(this.#longDue)
    this.#longDue = undefined
    this.#waiters.answer()
  }

  /** What the tenant is being told by now says nothing of what is to come. */
  #isUnlisted(): void {
    this.#listed = false
    this.#reporting = Promise.resolve()
  }

  /** Tell the tenant of a run that goes on. */
  #report(): void {
    this.#ports.keepAlive(this.#listing.list())
  }

  /** The watchdog is left to ring in vain once when nothing is due: taking it back costs as much as setting it. If the process dies
   *  before the tenant knows how the session is, that alarm tells it, or who takes up the session. One that is to begin a run stands already. */
  #wakeWhenDue(isListed: boolean): void {
    this.#listed = isListed
    const { exists, state } = this.#journal
    const isToBegin = !this.#driving && (isActive(state) || mayDequeue(state))
    if (!isListed || !exists || isToBegin) return
    const due = dueTime(this.#journal, this.#ports)
    if (due !== null) this.#ports.alarm.set(due)
  }

  #fail(error: unknown): void {
    this.#ports.report(error)
    this.#runner.abort('a bug')
    if (!this.#journal.exists || !isActive(this.#journal.state)) return
    const end = { type: 'end', status: 'failed', finishReason: 'failed', code: 'internal_error' } as const
    this.#journal.append(endEvents(end, { journal: this.#journal, engine: this.#ports.engine }))
  }
}

/** Whether the model is offered tools whose calls are moves. What it is offered besides is known only once all is loaded. */
function mayDelegate(engine: Engine, record: SessionRecord): boolean {
  const settings = settingsOf(engine, record)
  const named = record.skill?.definition.tools ?? []
  return engine.tools.some(
    (tool) => tool.isMove && (isWished(tool, settings) || named.some((name) => name !== '*' && means(name, tool))),
  )
}

/** There is no bound. */
const unbounded = <T>(work: (isSpent: () => boolean) => T): T => work(() => false)

const DAY_MS = 24 * 60 * 60_000

/** When a session has to wake (Unix ms): as the guard of an open or queued run, else when something pending expires or the session
 *  is old enough to go; null: never. */
function dueTime(journal: Journal, { engine, now }: Pick<SessionPorts, 'engine' | 'now'>): number | null {
  if (isActive(journal.state) || mayDequeue(journal.state)) return now() + LIMITS.run.guardMs
  const expiries = journal.state.pending.map((item) => Date.parse(item.expires_time))
  const times = [...expiries, stepsDue(journal, engine) ?? Infinity, retentionEnd(journal, engine) ?? Infinity]
  const next = Math.min(...times)
  return next === Infinity ? null : next
}

/** When a session that nobody touches is deleted; null: never. */
export function retentionEnd({ record, state }: Journal, engine: Engine): number | null {
  const days = engine.config.retention_days
  return days === undefined ? null : Math.max(record.createdTime, state.updatedTime) + days * DAY_MS
}
