import { afterAll, beforeAll } from 'vitest'
import { engineOf } from '../../../src/objects/engine.ts'
import { WHOLE } from '../../../src/orchestrators/all.ts'
import { checklistClaims } from '../../support/checklist/claims.ts'
import { WITH_CHECKLIST } from '../../support/checklist/registry.ts'
import { die } from './die.ts'
import { env, workerHome } from './worker-home.ts'

/** The objects live in the isolate of the tests, and share its engine. */
beforeAll(() => {
  engineOf(env).orchestrators = WITH_CHECKLIST
})
afterAll(() => {
  engineOf(env).orchestrators = WHOLE
})

const home = { ...workerHome, reduce: WITH_CHECKLIST.reduce }
checklistClaims(() => home, die)
