import type { ListedPending } from '../domain/pending.ts'
import type { SessionSummary } from '../domain/session.ts'
import type { ListedTask, TaskQuery } from '../domain/task-id.ts'
import type { Spent, UsageSum } from '../domain/usage.ts'
import { fingerprint } from '../lib/hash.ts'
import { idParts } from '../lib/id.ts'
import type { ReportAnswer, LastReport, SessionReport } from '../run/ports.ts'
import type { SessionFilter, WaitingFilter } from '../store/directory.ts'
import type { TenantMost, TenantTaken } from '../service/ports.ts'
import { mergeCounts, mergeSummaries, mergeUsage, type ShardPage } from '../store/merge-shards.ts'
import type { UsageQuery } from '../store/usage.ts'
import type { DirectoryApi } from './api.ts'
import { serverOf } from './engine.ts'
import { directoryObject, type Env } from './env.ts'
import { logFact } from './report.ts'

/** The lists of one tenant: its sessions, what they spent, and what of them the audit is to be told. They stand in its directory, or are
 *  spread by session over as many as `directory_shards` says. All else of the tenant is in the first of these, its home. */
export class TenantLists {
  readonly #env: Env
  readonly #tenant: string

  constructor(env: Env, tenant: string) {
    this.#env = env
    this.#tenant = tenant
  }

  async put(report: SessionReport): Promise<number | null | ReportAnswer> {
    return this.#asKnown((shards) => this.#at(shards, report.summary.id).put(this.#tenant, report, shards))
  }

  async remove(id: string, left: LastReport): Promise<number | null> {
    const shards = await this.#shards()
    const shard = this.#at(shards, id)
    if (shards > 1) await this.#home().forgetSession(id)
    return shard.remove(this.#tenant, id, left)
  }

  /** Whether there is a session of this id. */
  async has(id: string): Promise<boolean> {
    return this.#at(await this.#shards(), id).lists(id)
  }

  async list(filter: SessionFilter): Promise<ShardPage<SessionSummary>> {
    const pages = await this.#asKnown((shards) => this.#each(shards, (one) => one.list(filter, shards)))
    return pages.length === 1 && pages[0] ? pages[0] : mergeSummaries(pages, filter.limit)
  }

  /** Runs that doors gave out as tasks, the newest first, at most `limit`; and how many there are in all. */
  async tasks(query: TaskQuery): Promise<{ tasks: ListedTask[]; total: number }> {
    const pages = await this.#all((one) => one.tasks(query))
    const tasks = pages.flatMap((page) => page.tasks)
    tasks.sort((a, b) => (`${a.time}${a.run}` < `${b.time}${b.run}` ? 1 : -1))
    return { tasks: tasks.slice(0, query.limit), total: pages.reduce((sum, { total }) => sum + total, 0) }
  }

  /** What waits for a human, newest first. */
  async waiting(filter: WaitingFilter): Promise<ListedPending[]> {
    const found = (await this.#all((one) => one.waiting(filter))).flat()
    return found.toSorted((a, b) => (a.id < b.id ? 1 : -1)).slice(0, filter.limit)
  }

  async usage(query: UsageQuery): Promise<ShardPage<UsageSum>> {
    const pages = await this.#all((one) => one.usage(query))
    return pages.length === 1 && pages[0] ? pages[0] : mergeUsage(pages, query.by, query.limit)
  }

  async spend(spent: Spent): Promise<void> {
    await this.#at(await this.#shards(), spent.session).spend(spent)
  }

  async sessionCounts() {
    return mergeCounts((await this.#all((one) => one.sessionCounts())).flat())
  }

  /** Bring to the audit what was told of it. */
  async forwardActs(): Promise<void> {
    await this.#all((one) => one.forwardActs(this.#tenant))
  }

  async noteCallbacks(are: boolean): Promise<void> {
    await this.#all((one) => one.noteCallbacks(are))
  }

  async forgetUser(user: string) {
    const all = await this.#all((one) => one.forgetUser(user))
    const sum = (count: 'links' | 'usage_rows') => all.reduce((total, one) => total + one[count], 0)
    return { links: sum('links'), usage_rows: sum('usage_rows') }
  }

  /** The rows of one directory after those of the other: the cursor begins with its number. */
  async usageOfUser(user: string, cursor: string | null, limit: number) {
    const shards = await this.#shards()
    const [, at = '0', behind = null] = /^(?:(\d+)\.)?(.*)$/.exec(cursor ?? '0.') ?? []
    const shard = Number(at)
    const page = await this.#shard(shard).usageOfUser(user, behind || null, limit)
    const isLast = shard + 1 >= shards
    const next = page.nextCursor === null ? (isLast ? null : `${shard + 1}.`) : `${shard}.${page.nextCursor}`
    return { data: page.data, nextCursor: next }
  }

  /** A place for a session among those that a key may have in progress. The directory that hears of the session tells home when it is over. */
  async leaseRun(key: string, session: string, max: number): Promise<'taken' | 'known' | 'full'> {
    const leased = await this.#home().leaseRun(key, session, max)
    const shards = await this.#shards()
    if (leased !== 'full' && shardOf(session, shards) > 0)
      await this.#at(shards, session).leaseRun(key, session, Number.MAX_SAFE_INTEGER)
    return leased
  }

  async giveBackRun(key: string, session: string): Promise<void> {
    await this.#home().giveBackRun(key, session)
    const shards = await this.#shards()
    if (shardOf(session, shards) > 0) await this.#at(shards, session).giveBackRun(key, session)
  }

  /** A place for a session that is to be made, where it will be listed. */
  async takeSession(id: string, max: TenantMost): Promise<'taken' | 'sessions' | 'bytes'> {
    const shards = await this.#shards()
    const own = shardOf(id, shards)
    const others = await this.#each(shards, async (one, number) => (number === own ? null : one.taken(max)))
    const sum = (of: keyof TenantTaken) => others.reduce((total, one) => total + (one?.[of] ?? 0), 0)
    return this.#shard(own).takeSession(id, max, { sessions: sum('sessions'), bytes: sum('bytes') })
  }

  /** What all of its sessions keep, as they said last. */
  async keptBytes(): Promise<number> {
    return (await this.#all((one) => one.keptBytes())).reduce((sum, bytes) => sum + bytes, 0)
  }

  async giveBackSession(id: string): Promise<void> {
    await this.#at(await this.#shards(), id).giveBackSession(id)
  }

  #home(): DirectoryApi {
    return directoryObject(this.#env, this.#tenant)
  }

  #shard(number: number): DirectoryApi {
    return directoryObject(this.#env, number === 0 ? this.#tenant : `${this.#tenant}${SHARD}${number}`)
  }

  #at(shards: number, session: string): DirectoryApi {
    return this.#shard(shardOf(session, shards))
  }

  #each<T>(shards: number, ask: (one: DirectoryApi, number: number) => Promise<T>): Promise<T[]> {
    return Promise.all(Array.from({ length: shards }, (_, number) => ask(this.#shard(number), number)))
  }

  async #all<T>(ask: (one: DirectoryApi) => Promise<T>): Promise<T[]> {
    return this.#each(await this.#shards(), ask)
  }

  /** The first refuses where it began with more than are known of: a server with another config was faster. Then it is asked anew. */
  async #asKnown<T>(ask: (shards: number) => Promise<T>): Promise<T> {
    const shards = await this.#shards()
    try {
      return await ask(shards)
    } catch (error) {
      if (shards === 1) fixed.delete(this.#tenant)
      throw error
    }
  }

  /** How many there are: what the tenant began with, whatever the config says by now. */
  async #shards(): Promise<number> {
    const known = fixed.get(this.#tenant)
    if (known !== undefined) return known
    const { directory_shards: wanted = 1 } = serverOf(this.#env).config
    const shards = await this.#home().fixShards(wanted)
    if (shards !== wanted && !fixed.has(this.#tenant))
      logFact({ level: 'warn', event: 'directory_shards_ignored', tenant: this.#tenant, shards, config: wanted })
    if (fixed.size >= TENANTS_MAX) fixed.clear()
    fixed.set(this.#tenant, shards)
    return shards
  }
}

/** Parts the number of a directory from its tenant, in whose name it cannot be. */
const SHARD = '#'

/** The tenant of a directory, by the name of its object. `isHome`: it is the first. */
export function tenantOfDirectory(name: string): { tenant: string; isHome: boolean } {
  const [tenant = '', number] = name.split(SHARD)
  return { tenant, isHome: number === undefined }
}

const TENANTS_MAX = 10_000
/** Tenants whose number is known: it never changes, but that one is what a tenant has of whom nobody said anything yet. */
const fixed = new Map<string, number>()

function shardOf(session: string, shards: number): number {
  return shards === 1 ? 0 : Number.parseInt(fingerprint(idParts(session).body).slice(-8), 36) % shards
}
