import { nodeDatabase } from '../../support/node-database.ts'
import { usageSuite } from '../../support/usage-suite.ts'

usageSuite(async (work) => {
  const db = nodeDatabase()
  try {
    work(db)
  } finally {
    db.close()
  }
})
