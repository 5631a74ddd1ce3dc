import { logSuite } from '../../support/log-suite.ts'
import { nodeDatabase } from '../../support/node-database.ts'

logSuite(async (work) => {
  const db = nodeDatabase()
  try {
    work(db)
  } finally {
    db.close()
  }
})
