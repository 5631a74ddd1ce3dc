import { test } from 'vitest'
import type { Pending } from '../../../src/domain/pending.ts'
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
