import { DurableObject } from 'cloudflare:workers'
import type { EndedRun, Preference } from '../domain/memory.ts'
import { sqliteMemory } from '../memory/sqlite-memory.ts'
import type { MemoryQuery } from '../store/memory-rows.ts'
import { objectDatabase } from './database.ts'
import type { Env } from './env.ts'

/** What is remembered of one user of a tenant. */
export class MemoryObject extends DurableObject<Env> {
  readonly #memory = sqliteMemory(objectDatabase(this.ctx.storage), Date.now)

  load(sessionId: string) {
    return this.#memory.load(sessionId)
  }

  save(user: string, runs: readonly EndedRun[]) {
    this.#memory.save(user, runs)
  }

  search(query: string, count: number) {
    return this.#memory.search(query, count)
  }

  put(user: string, preference: Preference) {
    this.#memory.put(user, preference)
  }

  preference(key: string) {
    return this.#memory.preference(key)
  }

  preferences(query: MemoryQuery) {
    return this.#memory.preferences(query)
  }

  remove(key: string) {
    return this.#memory.remove(key)
  }

  rounds(query: MemoryQuery) {
    return this.#memory.rounds(query)
  }

  tasks(query: MemoryQuery) {
    return this.#memory.tasks(query)
  }

  /** Forget everything, the tables too. */
  clear() {
    return this.ctx.storage.deleteAll()
  }
}
