import { describe, test } from 'vitest'
import { eventInput } from '../../../src/domain/event-input.ts'
import { LIMITS } from '../../../src/domain/limits.ts'
import { explained, failureText, modelFailureText } from '../../../src/engine/failures/failure-text.ts'

describe('the error of a run', () => {
  test.for(['constructor', 'toString', '__proto__', 'worker_constructor', 'no_such_code'])(
    'with the code %s of a log from elsewhere is explained by its own words',
    (code, { expect }) => {
      const error = explained('en', { code, detail: 'It broke.' })
      expect(error).toMatchObject({ code, detail: 'It broke.', message: 'It broke.' })
      expect(error.hint).not.toBe('')
      expect(failureText('zh-CN', code)).toBe(code.replace(/^worker_/, ''))
    },
  )

  test.for(['zh-CN', 'en'] as const)(
    'of a model that took too long names each limit of it (%s)',
    (language, { expect }) => {
      const { message, hint } = explained(language, { code: 'model_timeout', detail: 'Nothing came.' })
      expect(message).not.toContain('timeout_ms')
      for (const limit of ['first_byte_timeout_ms', 'idle_timeout_ms', / timeout_ms/]) expect(hint).toMatch(limit)
    },
  )

  test('of a log from elsewhere is cut to what lists have room for', ({ expect }) => {
    const long = 'm'.repeat(3_000_000)
    const end = {
      type: 'run-end',
      seq: 1,
      run_id: 'run_1',
      time: '2026-01-01T00:00:00Z',
      scope: null,
      status: 'failed',
      finish_reason: 'failed',
      result: null,
      error: { code: 'x', detail: long, message: long, hint: long },
    }
    const read = eventInput.parse(end)
    expect(JSON.stringify(read).length).toBeLessThan(4 * LIMITS.text.errorCharsMax)
    expect(eventInput.safeParse({ ...end, finish_reason: long }).success).toBe(false)
  })
})

test('why the model of a part failed is said in the language of the session, with the words of the service', ({
  expect,
}) => {
  const failure = { code: 'model_unauthorized', detail: 'The model service answered with 401.' }
  expect(modelFailureText('en', failure)).toBe(failure.detail)
  expect(modelFailureText('zh-CN', failure)).toMatch(
    /^\p{Script=Han}[^A-Za-z]*.*：The model service answered with 401\.$/u,
  )
  const answered = { code: 'model_rejected', detail: 'The model service answered 400: nobody answers the door' }
  expect(modelFailureText('zh-CN', answered)).toBe('模型服务拒绝了请求（400）：nobody answers the door')
  expect(modelFailureText('zh-CN', { code: 'no_such_code', detail: 'It broke.' })).toBe('no_such_code：It broke.')
})
