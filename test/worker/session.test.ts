import { sessionSuite } from '../support/session-suite.ts'
import { workerHome } from './worker-home.ts'

sessionSuite(() => workerHome)
