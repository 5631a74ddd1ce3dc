import { auditSuite } from '../../support/audit-suite.ts'
import { nodeDatabase } from '../../support/node-database.ts'

auditSuite(async (work) => {
  const db = nodeDatabase()
  try {
    await work(db)
  } finally {
    db.close()
  }
})
