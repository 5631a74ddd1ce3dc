import type { EndedRun, Preference, Remembered, RememberedTask, Round } from '../domain/memory.ts'
import type { Now } from '../domain/ports.ts'
import type { Database } from '../store/database.ts'
import { isMigrated, migrate } from '../store/migrate.ts'
import { listRounds, listTasks, searchRounds, type MemoryPage, type MemoryQuery } from '../store/memory-rows.ts'
import { loadMemory, MEMORY_SCHEMA, saveRuns } from '../store/memory.ts'
import { deletePreference, getPreference, listPreferences, putPreference } from '../store/preferences.ts'

/** The memory of one user in a database of its own. Nothing is written, tables included, before something is remembered. */
export interface SqliteMemory {
  load(sessionId: string): Remembered
  save(user: string, runs: readonly EndedRun[]): void
  search(query: string, count: number): Round[]
  put(user: string, preference: Preference): void
  /** Null: there is none. */
  preference(key: string): Preference | null
  preferences(query: MemoryQuery): MemoryPage<Preference>
  /** False: there was none. */
  remove(key: string): boolean
  rounds(query: MemoryQuery): MemoryPage<Round>
  tasks(query: MemoryQuery): MemoryPage<RememberedTask>
}

export function sqliteMemory(db: Database, now: Now): SqliteMemory {
  const ifThere = <T>(empty: T, look: () => T): T => (isMigrated(db, MEMORY_SCHEMA) ? look() : empty)
  return {
    load: (sessionId) => ifThere({ rounds: [], preferences: [], tasks: [] }, () => loadMemory(db, sessionId)),
    save: (user, runs) => {
      migrate(db, MEMORY_SCHEMA)
      saveRuns(db, user, runs)
    },
    search: (query, count) => ifThere([], () => searchRounds(db, query, count)),
    put: (user, preference) => {
      migrate(db, MEMORY_SCHEMA)
      putPreference(db, user, preference, now())
    },
    preference: (key) => ifThere(null, () => getPreference(db, key)),
    preferences: (query) => ifThere(NOTHING, () => listPreferences(db, query)),
    remove: (key) => ifThere(false, () => deletePreference(db, key)),
    rounds: (query) => ifThere(NOTHING, () => listRounds(db, query)),
    tasks: (query) => ifThere(NOTHING, () => listTasks(db, query)),
  }
}

const NOTHING = { data: [], nextCursor: null }
