import { expect, test } from 'vitest'
import { STEP_LIMITS } from '../../../../src/console/workflow/step-fields.ts'
import { LIMITS } from '../../../../src/domain/limits.ts'

test('a number of a step is taken as far as the server takes it', () => {
  const { toolIterationsMax, ...ofWorkflows } = STEP_LIMITS
  expect(LIMITS.workflow).toMatchObject(ofWorkflows)
  expect(LIMITS.skill.toolIterationsMax).toBe(toolIterationsMax)
})
