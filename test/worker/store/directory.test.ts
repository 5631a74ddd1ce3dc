import { objectDatabase } from '../../../src/objects/storage.ts'
import { newId } from '../../../src/lib/id.ts'
import { directorySuite } from '../../support/directory-suite.ts'
import { within } from '../session/worker-home.ts'

/** A Durable Object of its own for each claim; that of a session, before any session is made in it. */
directorySuite((work) => within(newId('ses', Date.now()), (_object, { storage }) => work(objectDatabase(storage))))
