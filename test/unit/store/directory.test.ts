import { directorySuite } from '../../support/directory-suite.ts'
import { nodeDatabase } from '../../support/node-database.ts'

directorySuite(async (work) => {
  const db = nodeDatabase()
  try {
    work(db)
  } finally {
    db.close()
  }
})
