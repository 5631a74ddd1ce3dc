import { teamworkSuite } from '../../support/session-suite.ts'
import { workerHome } from './worker-home.ts'

teamworkSuite(() => workerHome)
