import { describe, test } from 'vitest'
import { decisionWord, isDecisionText } from '../../../src/doors/kernel/approval-word.ts'
import { newId } from '../../../src/lib/id.ts'

const id = newId('pnd', 1)

describe('a decision in words', () => {
  test.for([
    [`approve ${id}`, { decision: 'approve' }],
    [`  Approve  ${id}\n`, { decision: 'approve' }],
    [`批准 ${id}`, { decision: 'approve' }],
    [`授权 ${id}`, { decision: 'approve' }],
    [`reject ${id}`, { decision: 'reject' }],
    [`reject ${id} not that page`, { decision: 'reject', feedback: 'not that page' }],
    [`拒绝 ${id} 不要\n读它`, { decision: 'reject', feedback: '不要\n读它' }],
    [`approve ${id} {"url":"https://a.example/"}`, { decision: 'approve', arguments: { url: 'https://a.example/' } }],
  ] as const)('is read: %s', ([text, input], { expect }) => {
    expect(decisionWord(text)).toEqual({ pendingId: id, input })
    expect(isDecisionText(text)).toBe(true)
  })

  test.for([
    `approve`,
    `approve ses_${'0'.repeat(26)}`,
    `approve ${id} please`,
    `approve ${id} [1]`,
    `please approve ${id}`,
    `approved ${id}`,
    `approve ${id}x`,
    `<approve><tool>web_access</tool></approve>`,
  ])('is nothing else: %s', (text, { expect }) => {
    expect(decisionWord(text)).toBeNull()
  })

  test('may also stand in tags', ({ expect }) => {
    expect(isDecisionText('<批准><工具>网页访问</工具></批准>')).toBe(true)
    expect(isDecisionText('go on')).toBe(false)
  })
})
