import { newId } from '../../../src/lib/id.ts'
import { objectDatabase } from '../../../src/objects/storage.ts'
import { auditSuite } from '../../support/audit-suite.ts'
import { within } from '../session/worker-home.ts'

/** A Durable Object of its own for each claim; that of a session, before any session is made in it. */
auditSuite((work) => within(newId('ses', Date.now()), (_object, { storage }) => work(objectDatabase(storage))))
