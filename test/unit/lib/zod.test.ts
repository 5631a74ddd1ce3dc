import { describe, test } from 'vitest'
import * as z from 'zod'
import { newMessage } from '../../../src/domain/session-input.ts'
import { checkedBy, issuesOf } from '../../../src/lib/zod.ts'

const pathsOf = (schema: z.ZodType, value: unknown) => {
  const checked = checkedBy(schema, value)
  return checked.ok ? [] : checked.issues.map(({ path }) => path)
}

describe('what is wrong with a value', () => {
  test('of several forms is told of the one that it has the type of', ({ expect }) => {
    const wrong = [
      { type: 'text', text: 'x' },
      { type: 'image', data: '?' },
    ]
    expect(pathsOf(newMessage, { content: wrong })).toEqual(['content.1.data'])
    expect(pathsOf(newMessage, { content: 7 })).toEqual(['content'])
    const either = z.union([z.object({ a: z.string() }), z.object({ b: z.string() })])
    expect(pathsOf(z.object({ one: either }), { one: {} })).toEqual(['one'])
    const { error } = newMessage.safeParse({ content: [{ type: 'file', path: 'a', more: 1 }] })
    expect(error && issuesOf(error, 'body')).toEqual([{ path: 'body.content.0.more', message: 'unknown field' }])
  })

  test('is told, too, where a length cannot be compared', ({ expect }) => {
    const hostile = { length: { toString: false, valueOf: false } }
    expect(pathsOf(newMessage, { content: hostile })).toEqual([''])
    expect(pathsOf(newMessage, { content: 'x' })).toEqual([])
  })
})
