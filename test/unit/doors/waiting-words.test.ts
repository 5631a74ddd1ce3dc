import { test } from 'vitest'
import type { Pending } from '../../../src/domain/pending.ts'
import { interruptOf } from '../../../src/doors/ag-ui/interrupts.ts'
import { formOf } from '../../../src/doors/mcp/questions.ts'
import { waitingText } from '../../../src/doors/mcp/result.ts'
import { waitingWords } from '../../../src/doors/kernel/waiting-words.ts'

const call: Pending = {
  id: 'pnd_1',
  type: 'approval',
  tool: 'web_access',
  call_id: 'call_1',
  arguments: { url: 'x' },
  created_time: '',
  expires_time: '',
  scope: null,
}
const step: Pending = {
  ...call,
  tool: 'workflow',
  arguments: { step: 'agree', approval: 'Send it?' },
  scope: 'stp_01m00000000000000000000000',
}

test('a call is told with its arguments, a step of a workflow in the words of its author', ({ expect }) => {
  const { call_id: _, ...agreed } = step
  const told = (item: Pending) => waitingWords(item, { language: 'en', at: 'http://here/#/s/1' }).split('\n')[0]
  expect(told(call)).toBe('Waiting for approval: web_access {"url":"x"}')
  expect(told(step)).toBe('Waiting for approval: workflow {"step":"agree","approval":"Send it?"}')
  expect(told(agreed)).toBe('Send it?')
  expect(waitingWords(agreed, { language: 'zh-CN', at: 'here' })).toBe(
    'Send it?\n可在 here 决定，或回复 `批准 pnd_1` 或 `拒绝 pnd_1 原因`。',
  )
})

test('clients of AG-UI and MCP are asked in the words of the step, too', ({ expect }) => {
  const { call_id: _, ...agreed } = step
  const silent = { ...agreed, arguments: { step: 'agree', approval: '' } }
  expect(interruptOf(agreed, 'en', null)).toMatchObject({ reason: 'confirmation', message: 'Send it?' })
  expect(interruptOf(silent, 'zh-CN', null).message).toBe('工作流等待批准。')
  expect(interruptOf(call, 'en', null).message).toBe('May web_access be called with these arguments?')
  const form = formOf(agreed, 'en')
  expect(form.message).toBe('Send it?')
  expect(Object.keys(form.requestedSchema.properties)).toEqual(['decision', 'feedback'])
  expect(formOf(silent, 'en').message).toBe('The workflow needs an approval.')
  const told = waitingText([agreed, call], 'ses_1', { language: 'en', decideAt: 'http://here/' })
  expect(told).toMatch(/- pnd_1: Send it\?\n- pnd_1: call web_access with/)
})
