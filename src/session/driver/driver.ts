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

/** Keeps the runs of a session going: within the request that began one, by the alarm in the background, and after a crash. */
export class Driver {
  readonly #journal: Journal
  readonly #ports: LivePorts
  readonly #runner: Runner
  readonly #listing: Listing
  readonly #waiters: Waiters
  readonly #clock: RunClock
  #driving: Promise<void> | null = null
  /** Whether the tenant's list of sessions shows this one as it is now. */
  #listed = false
  /** The newest report to that list. */
  #reporting: Promise<void> = Promise.resolve()
  /** Fires when the run that goes on has taken so long that it has to be guarded and reported. */
  #longDue: ReturnType<typeof setTimeout> | undefined
  /** The run that this process took up after another had died, until a caller has had its answer; null: none. */
  #takenUp: string | null = null
  /** Aborts the loading that the run waits for; null: it waits for none. */
  #loading: AbortController | null = null
  /** The problems with servers that this process has reported, and to which run. */
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

  /** The run takes long: report it to the tenant's list, and set the alarm that guards it, if there is none yet. */
  #isLong(): void {
    this.#longDue = undefined
    if (!this.#driving) return
    if (this.#ports.isTakenUp) this.#ports.alarm.set(this.#ports.now() + LIMITS.run.guardMs)
    this.#report()
  }

  /** Resolves with the answer of a run, when it rests. `fromSeq`: where the log ended when the run was asked for. */
  rested(runId: string, fromSeq: number): Promise<AgentResponseData> {
    return this.#waiters.rested(runId, fromSeq)
  }

  /** Called by the alarm: expire items that waited too long, and go on with a run that is open, was cut or is queued. If a run is being driven here, only
   *  the alarm is set again. Most alarms find a session that rests, and do nothing. */
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

  /** This release cannot go on with the session. Its alarm is set for the end of its retention. */
  #rest(): void {
    const end = retentionEnd(this.#journal, this.#ports.engine)
    if (end !== null) this.#ports.alarm.set(end)
  }

  /** Wait for work, but at most so many milliseconds. Work that takes longer goes on, kept alive by the alarms that guard it. */
  async #heldFor(ms: number, work: Promise<void>): Promise<void> {
    const done = new AbortController()
    const isOver = () => done.abort()
    await Promise.race([work.finally(isOver), sleep(ms, done.signal).catch(() => {})])
  }

  /** Set the next alarm after this one: at once while there is work, else for when something is due, else none. */
  #sleep(): void {
    const { alarm, now } = this.#ports
    const { state } = this.#journal
    const due = dueTime(this.#journal, this.#ports)
    if (this.#driving) alarm.set(now() + LIMITS.run.guardMs)
    else if (isActive(state) || mayDequeue(state)) alarm.set(now())
    else if (this.#listed && due === null) alarm.clear()
    else if (this.#listed && due !== null) alarm.set(due)
  }

  /** Whether there is something to do: a run to go on with, a queued message, an item that waited too long, or a step that is due. */
  get isDue(): boolean {
    const { state } = this.#journal
    if (state.needsNewer) return false
    const isDue = expiryEvents(this.#journal).length > 0 || dueEvents(this.#journal, this.#ports.engine).length > 0
    return isActive(state) || mayDequeue(state) || isDue
  }

  /** Go on with what a process that died has left. Does not wait for it. */
  takeUp(): void {
    const { state } = this.#journal
    if (isActive(state)) this.#takenUp = state.run?.id ?? null
    if (!this.#driving) this.#ports.keepAlive(this.wake())
  }

  /** Whether this process took up a run whose answer was lost with another process. True only once: the caller who asks gets the answer. */
  tellsTakenUp(runId: string): boolean {
    if (this.#takenUp !== runId) return false
    this.#takenUp = null
    return true
  }

  /** Go on with what a process that died has left, or what is due by now, unless it is being driven. Does not wait for it. */
  recover(): void {
    if (!this.#driving && this.isDue) this.#ports.keepAlive(this.wake())
  }

  /** Abort all moves of the run, which is over, and answer those who wait for it. */
  abort(reason: string): void {
    this.#loading?.abort(new DOMException(reason, 'AbortError'))
    this.#runner.abort(reason)
    this.#waiters.answer()
  }

  /** Abort the moves of one branch. The run goes on. */
  abortBranch(scope: string): void {
    this.#runner.abortBranch(scope)
  }

  /** Drive runs until a time (Unix ms). While that goes on, a second call joins the first. */
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

  /** Drive the open run, then those that are queued. If even the failure of a run cannot be written, the alarm that guards it drives it anew. */
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

  /** Have the alarm begin another invocation, if this one leaves work undone. */
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

  /** Load what the run needs before anything is decided; null: it is at hand. False: the run ended meanwhile. Loading is no move and stands in no log: after
   *  a crash it is done again. */
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

  /** Load the tools of the session's MCP servers and of its caller, the tenant's skills that can do sub-tasks, and the orchestrators that sub-tasks need. */
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

  /** Write an error event for each server that the run cannot use, once for as long as that lasts. */
  #reportProblems(problems: readonly string[]): void {
    const { exists, state } = this.#journal
    if (!exists || !isActive(state)) return
    const run = state.run?.id ?? null
    const known = this.#reported.run === run ? this.#reported.problems : []
    const news = problems.filter((problem) => !known.includes(problem))
    this.#emit(news.map((detail) => ({ type: 'error', code: 'mcp_server_unavailable', detail })))
    this.#reported = { run, problems }
  }

  /** Append events to the active run; nothing if there is none. */
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

  /** Resolves when no report to the tenant's list is under way. */
  async reported(): Promise<void> {
    await this.#listing.over()
  }

  /** Report what a command has just written. An alarm makes sure of the report, if the process dies before it arrives. */
  announce(): void {
    const { alarm, now, isTakenUp } = this.#ports
    if (!isTakenUp && !isActive(this.#journal.state)) alarm.set(now() + LIMITS.run.watchdogMs)
    this.#settle()
  }

  /** Answer those who wait for a run that rests, and report the session. No answer waits for the report. */
  #settle(): void {
    this.#listed = false
    const reporting: Promise<void> = this.#listing.list().then((isListed) => {
      // A report of an earlier rest says nothing of this one.
      if (reporting === this.#reporting) this.#wakeWhenDue(isListed)
    })
    this.#reporting = reporting
    this.#ports.keepAlive(reporting)
    clearTimeout(this.#longDue)
    this.#longDue = undefined
    this.#waiters.answer()
  }

  /** A run begins: reports that are under way do not show it. */
  #isUnlisted(): void {
    this.#listed = false
    this.#reporting = Promise.resolve()
  }

  /** Report a run that goes on. */
  #report(): void {
    this.#ports.keepAlive(this.#listing.list())
  }

  /** Set the alarm for when something is due. If nothing is, the alarm that guarded the report is left to ring in vain once: to clear it costs as much as
   *  to set it. If the process dies before the report arrives, that alarm sends it. An alarm that is to begin a run is left as it is. */
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

/** Whether the model may be offered tools whose calls are moves: the session's settings or its skill name one. Asked before other tools are loaded. */
function mayDelegate(engine: Engine, record: SessionRecord): boolean {
  const settings = settingsOf(engine, record)
  const named = record.skill?.definition.tools ?? []
  return engine.tools.some(
    (tool) => tool.isMove && (isWished(tool, settings) || named.some((name) => name !== '*' && means(name, tool))),
  )
}

/** Runs work in a process whose requests are not bounded. */
const unbounded = <T>(work: (isSpent: () => boolean) => T): T => work(() => false)

const DAY_MS = 24 * 60 * 60_000

/** When the alarm of a session has to ring (Unix ms): soon, to guard a run that is open or queued; else when an item expires, a step is due, or its
 *  retention ends. Null: never. */
function dueTime(journal: Journal, { engine, now }: Pick<SessionPorts, 'engine' | 'now'>): number | null {
  if (isActive(journal.state) || mayDequeue(journal.state)) return now() + LIMITS.run.guardMs
  const expiries = journal.state.pending.map((item) => Date.parse(item.expires_time))
  const times = [...expiries, stepsDue(journal, engine) ?? Infinity, retentionEnd(journal, engine) ?? Infinity]
  const next = Math.min(...times)
  return next === Infinity ? null : next
}

/** When a session is deleted, if nothing is written to it until then (Unix ms); null: never. */
export function retentionEnd({ record, state }: Journal, engine: Engine): number | null {
  const days = engine.config.retention_days
  return days === undefined ? null : Math.max(record.createdTime, state.updatedTime) + days * DAY_MS
}
