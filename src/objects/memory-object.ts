import { DurableObject } from 'cloudflare:workers'
import type { EndedRun, Preference } from '../domain/memory.ts'
import { onDemand } from '../lib/shape.ts'
import type { MemoryQuery } from '../store/memory-rows.ts'
import type { JobOrder } from '../memory/user-jobs.ts'
import { objectDatabase } from './storage.ts'
import type { Env } from './env.ts'

/** What is remembered of one user of a tenant. */
export class MemoryObject extends DurableObject<Env> {
  readonly #memory = onDemand(async () => {
    const { sqliteMemory } = await import('../memory/sqlite-memory.ts')
    return sqliteMemory(objectDatabase(this.ctx.storage), Date.now)
  })

  /** Jobs on all that there is of the user. */
  readonly #jobs = onDemand(async () => {
    const { openUserJobs } = await import('./user-job-ports.ts')
    return openUserJobs(this.ctx, this.env)
  })

  async load(sessionId: string) {
    return (await this.#memory()).load(sessionId)
  }

  async save(user: string, runs: readonly EndedRun[]) {
    ;(await this.#memory()).save(user, runs)
  }

  async search(query: string, count: number) {
    return (await this.#memory()).search(query, count)
  }

  async put(user: string, preference: Preference) {
    ;(await this.#memory()).put(user, preference)
  }

  async preference(key: string) {
    return (await this.#memory()).preference(key)
  }

  async preferences(query: MemoryQuery) {
    return (await this.#memory()).preferences(query)
  }

  async remove(key: string) {
    return (await this.#memory()).remove(key)
  }

  async rounds(query: MemoryQuery) {
    return (await this.#memory()).rounds(query)
  }

  async tasks(query: MemoryQuery) {
    return (await this.#memory()).tasks(query)
  }

  /** Forget everything, the tables too, but for jobs that are there to be looked at. */
  async clear() {
    const { hasUserJobs } = await import('../store/user-jobs.ts')
    const db = objectDatabase(this.ctx.storage)
    if (!hasUserJobs(db)) return this.ctx.storage.deleteAll()
    const { forgetMemory } = await import('../store/memory.ts')
    forgetMemory(db)
  }

  async askJob(order: JobOrder) {
    return (await this.#jobs()).ask(order)
  }

  async jobs() {
    return (await this.#jobs()).list()
  }

  async readExport(id: string) {
    return (await this.#jobs()).read(id)
  }

  override async alarm() {
    return (await this.#jobs()).wake()
  }
}
