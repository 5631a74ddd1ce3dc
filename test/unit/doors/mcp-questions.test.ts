import { describe, test } from 'vitest'
import { formOf } from '../../../src/doors/mcp/questions.ts'
import type { Pending } from '../../../src/domain/pending.ts'

describe('the form of a question for a connection', () => {
  test.for([
    ['en', 'Done, go on'],
    ['zh-CN', '已完成，请继续'],
  ] as const)('has no place for a secret (%s)', ([language, done], { expect }) => {
    const pending: Pending = {
      id: 'pnd_1',
      type: 'question',
      question: 'This call needs the connection shop.',
      connection: { of: 'connection', name: 'shop', origin: 'https://shop.example', wants: 'secret', user: null },
      created_time: '2026-11-24T00:00:00.000Z',
      expires_time: '2026-11-25T00:00:00.000Z',
      scope: null,
    }
    const { message, requestedSchema } = formOf(pending, language)
    expect(message).toBe(pending.question)
    expect(requestedSchema).toMatchObject({
      properties: { answer: { type: 'string', enum: [done] } },
      required: ['answer'],
    })
  })
})
