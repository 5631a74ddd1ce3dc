import { triggerSuite } from '../../support/trigger-suite.ts'
import { nodeDatabase } from '../../support/node-database.ts'

triggerSuite(async (work) => work(nodeDatabase()), 1)
