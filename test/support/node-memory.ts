import type { MemoryOf } from '../../src/domain/memory.ts'
import { sqliteMemory, type SqliteMemory } from '../../src/memory/sqlite-memory.ts'
import { nodeDatabase } from './node-database.ts'
import { Waiting } from './waiting.ts'

export interface NodeMemory {
  of: MemoryOf
  /** What a user's object would answer. */
  at(tenant: string, user: string): SqliteMemory
  /** How it answers: as it should, never, or with an error before or after it did what it was asked. */
  mood: 'well' | 'silent' | 'failing' | 'failing after'
  /** Resolves when it was asked to load, or has saved, so many times. */
  when(what: 'asked' | 'saved', times: number): Promise<unknown>
  /** Times that it was asked to load. */
  loads(): number
  /** Times that runs were saved. */
  saves(): number
}

/** Memories in this process, one database a user. */
export function nodeMemory(): NodeMemory {
  const known = new Map<string, SqliteMemory>()
  const at = (tenant: string, user: string): SqliteMemory => {
    const name = `${tenant}:${user.normalize('NFC')}`
    const memory = known.get(name) ?? sqliteMemory(nodeDatabase(), Date.now)
    known.set(name, memory)
    return memory
  }
  const asked = async <T>(work: () => T): Promise<T> => {
    if (home.mood === 'silent') return new Promise(() => {})
    if (home.mood === 'failing') throw new Error('the memory is away')
    const done = work()
    if (home.mood === 'failing after') throw new Error('the memory went away')
    return done
  }
  const heard = new Waiting<true>()
  let loads = 0
  let saves = 0
  const home: NodeMemory = {
    at,
    mood: 'well',
    loads: () => loads,
    saves: () => saves,
    when: (what, times) => new Promise((resolve) => heard.when(what, times, resolve)),
    of: (tenant, user) => {
      const memory = at(tenant, user)
      return {
        load: (sessionId) => {
          loads++
          heard.add('asked', true)
          return asked(() => memory.load(sessionId))
        },
        save: (runs) =>
          asked(() => {
            memory.save(user, runs)
            saves++
            heard.add('saved', true)
          }),
        search: (query, count) => asked(() => memory.search(query, count)),
        put: (preference) => asked(() => memory.put(user, preference)),
        remove: (key) => asked(() => memory.remove(key)),
      }
    },
  }
  return home
}
