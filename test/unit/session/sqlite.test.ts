import { afterAll, beforeAll } from 'vitest'
import { type NodeHome, nodeHome } from '../../support/node-home.ts'
import { sessionSuite } from '../../support/session-suite.ts'

let home: NodeHome
beforeAll(async () => {
  home = await nodeHome('sqlite')
})
afterAll(() => home.close())

sessionSuite(() => home)
