import { describe, test } from 'vitest'
import type { Language } from '../../../src/domain/language.ts'
import { budgetText, explained, failureText } from '../../../src/run/failures/failure-text.ts'
import { FAILURES } from '../../../src/run/failures/failure-words.ts'

const LANGUAGES: readonly Language[] = ['zh-CN', 'en']
/** Of sub-tasks, whose plan goes on. */
const OF_PARTS = /^(worker_|team_within_team$|team_unfit$)/

describe('the error of a run', () => {
  test.for(Object.keys(FAILURES).filter((code) => !OF_PARTS.test(code)))(
    'says what happened and what to do next, and each in its language: %s',
    (code, { expect }) => {
      for (const language of LANGUAGES) {
        const error = explained(language, { code, detail: failureText(language, code) })
        for (const text of [error.message, error.hint]) {
          expect(text).toMatch(language === 'en' ? /^[A-Za-z][^\u3000-\u9fff]*\.$/ : /^.*[\u4e00-\u9fff].*。$/)
        }
        expect(error.detail).toBe([error.message, error.hint].join(language === 'en' ? ' ' : ''))
      }
    },
  )

  test('keeps the words of a model service beside what they mean', ({ expect }) => {
    const detail = 'The model service answered 401: bad key'
    expect(explained('zh-CN', { code: 'model_unauthorized', status: 401, detail })).toEqual({
      code: 'model_unauthorized',
      status: 401,
      detail,
      message: '模型服务不接受密钥。',
      hint: expect.stringContaining('api_key'),
    })
  })

  test('says whose budget it was, and does not promise that a larger one of the run would help', ({ expect }) => {
    const refusal = { of: 'tenant', id: 't', period: 'day', what: 'tokens', max: 9, spent: 8, resetTime: 0 } as const
    const detail = budgetText('en', refusal)
    const error = explained('en', { code: 'budget_exhausted', detail })
    expect(error.message).toBe(detail)
    expect(error.hint).toContain('admin')
    const own = explained('en', { code: 'budget_exhausted', detail: failureText('en', 'budget_exhausted') })
    expect(own.hint).toContain('larger budget')
  })

  test('says what does not fit of an answer', ({ expect }) => {
    const detail = 'The answer does not fit output_schema, also after it was asked for again. #/n: not a number'
    expect(explained('en', { code: 'output_invalid', detail })).toMatchObject({ message: detail })
  })

  test('that no words are known of has its detail, and keeps what its log says', ({ expect }) => {
    expect(explained('en', { code: 'odd', detail: 'It is odd.' })).toEqual({
      code: 'odd',
      detail: 'It is odd.',
      message: 'It is odd.',
      hint: 'Continue to try again.',
    })
    const logged = { code: 'stuck', detail: 'd', message: 'm', hint: 'h' }
    expect(explained('zh-CN', logged)).toEqual(logged)
  })
})
