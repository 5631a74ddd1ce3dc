import { LIMITS } from '../domain/limits.ts'
import type { ThreadRequest, ThreadRest } from '../domain/thread.ts'
import type { TaskQuery } from '../domain/task-id.ts'
import type { Spent } from '../domain/usage.ts'
import { claim, keepClaimAnswer, releaseClaim, type Claim, type Claimed, type KeptAnswer } from '../store/claims.ts'
import {
  callbacksSince,
  listSummaries,
  noteCallbacks,
  countSessions,
  fixShards,
  hasSession,
  keptBytes,
  readShards,
  putSession,
  removeSession,
  listWaiting,
  type SessionFilter,
  type WaitingFilter,
} from '../store/directory.ts'
import type { LastReport, SessionReport } from '../run/ports.ts'
import type { TenantMost, TenantTaken } from '../service/ports.ts'
import { listTaskRows, putTask, removeTasks } from '../store/door-tasks.ts'
import { removeLinks } from '../store/links.ts'
import { removeMcpRedirects } from '../store/mcp-grants.ts'
import { transact } from '../store/migrate.ts'
import { leasesOf, reportRun, silentRuns } from '../store/run-leases.ts'
import { areSessionsOpen } from '../store/sweep.ts'
import { bookUsage, sumUsage, type UsageQuery } from '../store/usage.ts'
import { ActsToAudit } from './acts-to-audit.ts'
import { countMeasures } from './counters.ts'
import { directoryObject, sessionObject } from './env.ts'
import { report } from './report.ts'
import { serverOf } from './engine.ts'
import { readSecret } from './secret.ts'
import { SessionPlaces } from './session-places.ts'
import { objectDatabase } from './storage.ts'
import { sweep } from './sweep.ts'
import { noteReporting } from './take-up.ts'
import { tenantOfDirectory } from './tenant-lists.ts'
import { TenantResources } from './tenant-resources.ts'

const NOTHING: TenantTaken = { sessions: 0, bytes: 0 }

interface WaitingReport {
  tenant: string
  told: SessionReport
  resolve: () => void
  reject: (error: unknown) => void
}

/** What one tenant has: the list of its sessions, what they spent, its skills, and the keys of its requests. */
export class DirectoryObject extends TenantResources {
  /** Keys of stateless calls under way, with the time of their last sign: the first tells an object that has rested. */
  readonly #running = new Map<string, number>()
  /** What sessions report, until it is written. */
  readonly #waiting: WaitingReport[] = []
  /** When reports were last written. */
  #writtenTime = 0
  readonly #acts = new ActsToAudit(this.db, this.env, this.ctx)
  readonly #places = new SessionPlaces(this.db)
  /** When sessions were last asked whether they run. */
  #askedTime = 0
  /** Whether the alarm is known to stand. */
  #isSwept = false
  /** Over how many directories the lists of the tenant are known to be; null: nobody said. */
  #shards: number | null | undefined

  /** Write down what a session reports: not at once, since who got an answer may ask the next thing right then, and at most once in
   *  `LIMITS.store.reportGroupMs`, in one transaction with what others report meanwhile. Whoever reads what it changes has it written first;
   *  no answer waits for it. */
  async put(tenant: string, told: SessionReport, shards = 1) {
    this.#checkShards(shards)
    await new Promise<void>((resolve, reject) => {
      const waiting = this.#waiting.push({ tenant, told, resolve, reject })
      const { reportDelayMs, reportGroupMs, reportsPerGroup } = LIMITS.store
      const rest = this.#writtenTime + reportGroupMs - Date.now()
      if (waiting >= reportsPerGroup) this.#writeReports()
      else if (waiting === 1) {
        setTimeout(() => this.#writeReports(), Math.max(reportDelayMs, rest))
        noteReporting(this.ctx.id, true)
      }
    })
    const { status } = told.summary
    if (status === 'in_progress' || status === 'interrupted') this.ctx.waitUntil(this.#haveSwept().catch(report))
    const since = callbacksSince(this.db)
    const { bytes_max: bytesMax } = serverOf(this.env).config.quotas ?? {}
    return bytesMax === undefined ? since : { since, isFull: this.#keptBytes() * shards >= bytesMax }
  }

  /** Have written what sessions reported: the server is about to end. */
  async settle(): Promise<void> {
    this.#writeReports()
  }

  /** Write what waits, before anybody reads. Where one report cannot be written, the others are. */
  #writeReports(): void {
    const waiting = this.#waiting.splice(0)
    if (waiting.length === 0) return
    noteReporting(this.ctx.id, false)
    this.#writtenTime = Date.now()
    try {
      transact(this.db, () => waiting.forEach((one) => this.#write(one)))
      for (const { resolve } of waiting) resolve()
    } catch {
      for (const one of waiting) this.#writeAlone(one)
    }
  }

  #writeAlone(one: WaitingReport): void {
    try {
      transact(this.db, () => this.#write(one))
      one.resolve()
    } catch (error) {
      one.reject(error)
    }
  }

  #write({ tenant, told: { summary, words, pending, bytes, spent, acts, task } }: WaitingReport): void {
    putSession(this.db, summary, words, { pending, bytes })
    if (task) putTask(this.db, summary.id, task)
    this.#places.listed(summary.id)
    const isInProgress = summary.status === 'in_progress'
    const hasPlace = reportRun(this.db, summary.id, isInProgress, Date.now())
    if (hasPlace && !this.#own.isHome) this.ctx.waitUntil(this.#tellHome(summary.id, isInProgress))
    bookUsage(this.db, spent, Date.now())
    this.#acts.keep(tenant, acts)
  }

  override async leaseRun(key: string, session: string, max: number) {
    this.#writeReports()
    const outcome = await super.leaseRun(key, session, max)
    return outcome === 'full' && (await this.#giveBackSilent(key)) ? super.leaseRun(key, session, max) : outcome
  }

  /** Give back the places of a key whose sessions do not run: the process that took one may have died before there was a session. False: none was. */
  async #giveBackSilent(key: string): Promise<boolean> {
    const now = Date.now()
    const { runAskedMs, runsAskedMax: limit, runsAskedEveryMs } = LIMITS.access
    if (now - this.#askedTime < runsAskedEveryMs) return false
    this.#askedTime = now
    const silent = silentRuns(this.db, key, { since: now - runAskedMs, limit })
    const run = await Promise.all(silent.map((id) => this.#isRunning(id)))
    const over = silent.filter((_, n) => !run[n])
    for (const id of over) this.giveBackRun(key, id)
    return over.length > 0
  }

  /** One that cannot be asked is taken to run. */
  async #isRunning(id: string): Promise<boolean> {
    try {
      const head = await sessionObject(this.env, this.#tenant, id).head()
      return head.ok && head.value.status === 'in_progress'
    } catch (error) {
      report(error)
      return true
    }
  }

  override apiKey(id: string) {
    this.#writeReports()
    return super.apiKey(id)
  }

  tasks(query: TaskQuery) {
    this.#writeReports()
    return listTaskRows(this.db, query)
  }

  /** What the session had spent, and what was done to it, stays. */
  remove(tenant: string, id: string, { spent, acts, createdTime }: LastReport) {
    this.#writeReports()
    this.spend(spent)
    removeSession(this.db, id, createdTime)
    removeTasks(this.db, id)
    this.#places.gone(id)
    removeMcpRedirects(this.db, id)
    this.#acts.keep(tenant, acts)
    return callbacksSince(this.db)
  }

  /** Bring all to the audit that it was not told, in the order in which it came. What cannot be brought stays for the next time. */
  async forwardActs(tenant: string): Promise<void> {
    this.#writeReports()
    if (this.db.isThere()) await this.#acts.forward(tenant)
  }

  serverSecret() {
    return readSecret(objectDatabase(this.ctx.storage))
  }

  noteCallbacks(are: boolean) {
    this.db.transaction(() => noteCallbacks(this.db, are, Date.now()))
  }

  spend(spent: Spent) {
    this.db.transaction(() => bookUsage(this.db, spent, Date.now()))
  }

  usage(query: UsageQuery) {
    this.#writeReports()
    return sumUsage(this.db, query)
  }

  async usageOfUser(user: string, cursor: string | null, limit: number) {
    const { usageOfUser } = await import('../store/user-usage.ts')
    return usageOfUser(this.db, user, cursor, limit)
  }

  async forgetUser(user: string) {
    const { forgetUser } = await import('../store/user-usage.ts')
    return this.db.isThere() ? forgetUser(this.db, user) : { usage_rows: 0, links: 0 }
  }

  sessionCounts() {
    this.#writeReports()
    return this.db.isThere() ? countSessions(this.db) : []
  }

  list(filter: SessionFilter, shards = 1) {
    this.#checkShards(shards)
    this.#writeReports()
    return listSummaries(this.db, filter)
  }

  waiting(filter: WaitingFilter) {
    this.#writeReports()
    return listWaiting(this.db, filter)
  }

  leases(sessions: readonly string[]) {
    return leasesOf(this.db, sessions)
  }

  /** Take a place for a session that is to be made, among those that the tenant may have. `elsewhere`: what other directories have. What there
   *  is too much of already, where there is no place. */
  takeSession(id: string, max: TenantMost, elsewhere: TenantTaken = NOTHING) {
    this.#writeReports()
    if (max.bytes !== undefined && this.#keptBytes() + elsewhere.bytes >= max.bytes) return 'bytes'
    const isTaken = max.sessions === undefined || this.#places.take(id, max.sessions, elsewhere.sessions, Date.now())
    return isTaken ? 'taken' : 'sessions'
  }

  giveBackSession(id: string) {
    this.#places.gone(id)
  }

  taken(max: TenantMost): TenantTaken {
    this.#writeReports()
    const sessions = max.sessions === undefined ? 0 : this.#places.count(Date.now())
    return { sessions, bytes: max.bytes === undefined ? 0 : this.#keptBytes() }
  }

  keptBytes() {
    this.#writeReports()
    return this.#keptBytes()
  }

  lists(id: string) {
    this.#writeReports()
    return this.db.isThere() && hasSession(this.db, id)
  }

  async enterThread(request: ThreadRequest) {
    const { enterThread } = await import('../store/histories.ts')
    return enterThread(this.db, request, Date.now())
  }

  async leaveThread(rest: ThreadRest) {
    const { leaveThread } = await import('../store/histories.ts')
    leaveThread(this.db, rest, Date.now())
  }

  claim(wanted: Claim): Claimed {
    return claim(this.db, wanted, Date.now())
  }

  /** As `claim`, for a call whose answer the tenant keeps; null while another with the key is under way. */
  claimRunning(wanted: Claim): Claimed | null {
    const claimed = this.claim(wanted)
    const since = this.#running.get(wanted.key) ?? 0
    if (claimed.outcome === 'again' && Date.now() - since < LIMITS.idempotency.runningMsMax) return null
    const isAnswered = claimed.outcome === 'again' && claimed.answer !== null
    if (claimed.outcome !== 'other_request' && !isAnswered) this.#running.set(wanted.key, Date.now())
    return claimed
  }

  /** A call that holds a key goes on. */
  renewRunning(key: string) {
    this.#running.set(key, Date.now())
  }

  /** The request is over; a key whose request had no effect is free. */
  release(key: string) {
    this.#running.delete(key)
    releaseClaim(this.db, key)
  }

  keepAnswer(key: string, answer: KeptAnswer | null) {
    this.#running.delete(key)
    if (answer) keepClaimAnswer(this.db, { key, answer })
  }

  /** Look once an hour for sessions whose alarm was lost, for as long as some are in progress or rest. */
  async #haveSwept() {
    if (this.#isSwept) return
    this.#isSwept = true
    if ((await this.ctx.storage.getAlarm()) === null) await this.ctx.storage.setAlarm(Date.now() + LIMITS.sweep.everyMs)
  }

  /** Those that are found go on, and the tenant's metrics say how many there were. */
  override async alarm() {
    this.#isSwept = false
    // The next one stands before anything is asked: what ends this one does not end them all.
    if (areSessionsOpen(this.db)) await this.#haveSwept()
    const { lost, hasMore } = await sweep(this.db, this.env, this.#tenant, Date.now())
    if (hasMore) await this.ctx.storage.setAlarm(Date.now() + LIMITS.sweep.restMs)
    const measures = [{ name: 'yaa_alarms_lost_total', labels: {}, add: lost }]
    if (lost > 0) countMeasures(this.env, this.#tenant, measures, this.ctx)
  }

  /** Over how many directories the lists of the tenant are: what it began with. */
  fixShards(wanted: number): number {
    this.#writeReports()
    return fixShards(this.db, wanted)
  }

  /** Lists that are looked for in other places than they are in would lack sessions. */
  #checkShards(shards: number): void {
    if (!this.#own.isHome) return
    if (this.#shards === undefined) this.#shards = readShards(this.db)
    if (this.#shards === null || this.#shards === shards) return
    throw new Error(`the lists of a tenant are over ${this.#shards} objects, not ${shards}: see directory_shards`)
  }

  reportRun(session: string, isInProgress: boolean) {
    reportRun(this.db, session, isInProgress, Date.now())
  }

  async #tellHome(session: string, isInProgress: boolean): Promise<void> {
    await directoryObject(this.env, this.#tenant).reportRun(session, isInProgress).catch(report)
  }

  forgetSession(id: string) {
    removeLinks(this.db, { sessionId: id })
    removeMcpRedirects(this.db, id)
    reportRun(this.db, id, false, Date.now())
  }

  /** Whoever asks before there is anything makes nothing. */
  #keptBytes(): number {
    return this.db.isThere() ? keptBytes(this.db) : 0
  }

  /** Objects of this class are named by their tenant, all but its first with a number. */
  get #own(): ReturnType<typeof tenantOfDirectory> {
    const { name } = this.ctx.id
    if (name === undefined) throw new Error('a directory has the name of its tenant')
    return tenantOfDirectory(name)
  }

  get #tenant(): string {
    return this.#own.tenant
  }
}
