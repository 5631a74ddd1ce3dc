import { lifeSuite } from '../../support/session-suite.ts'
import { workerHome } from './worker-home.ts'

lifeSuite(() => workerHome)
