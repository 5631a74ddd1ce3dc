import { nodeDatabase } from '../../support/node-database.ts'
import { outboxSuite } from '../../support/outbox-suite.ts'

outboxSuite(async (work) => {
  const db = nodeDatabase()
  await work(db)
  db.close()
})
