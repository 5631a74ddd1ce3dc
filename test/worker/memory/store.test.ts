import { runInDurableObject } from 'cloudflare:test'
import { memorySuite } from '../../support/memory-suite.ts'
import { objectDatabase } from '../../../src/objects/storage.ts'
import { sqliteMemory } from '../../../src/memory/sqlite-memory.ts'
import { env } from '../session/worker-home.ts'

/** The same claims on the SQLite of a Durable Object. */
memorySuite((look) =>
  runInDurableObject(env.MEMORY.getByName(`suite:${crypto.randomUUID()}`), (_object, { storage }) =>
    look(sqliteMemory(objectDatabase(storage), Date.now)),
  ),
)
