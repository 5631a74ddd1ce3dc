import { objectDatabase } from '../../../src/objects/storage.ts'
import { newId } from '../../../src/lib/id.ts'
import { usageSuite } from '../../support/usage-suite.ts'
import { within } from '../session/worker-home.ts'

/** A Durable Object of its own for each claim; that of a session, before any session is made in it. */
usageSuite((work) => within(newId('ses', Date.now()), (_object, { storage }) => work(objectDatabase(storage))))
