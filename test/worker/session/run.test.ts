import { runSuite } from '../../support/session-suite.ts'
import { workerHome } from './worker-home.ts'

runSuite(() => workerHome)
