import { nodeDatabase } from '../../support/node-database.ts'
import { accessSuite } from '../../support/access-suite.ts'

accessSuite(async (work) => {
  const db = nodeDatabase()
  try {
    await work(db)
  } finally {
    db.close()
  }
})
