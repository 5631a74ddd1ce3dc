import { expect, test } from 'vitest'
import { changedHeaders, headersOf, tokenIn, withToken } from '../../../../src/console/setup-parts/headers.ts'

test('a token is a bearer header, whatever its case; one of another scheme is a header like others', () => {
  expect(withToken({ 'X-Team': 'a' }, 't')).toEqual({ 'X-Team': 'a', Authorization: 'Bearer t' })
  expect(withToken({ authorization: 'Bearer t', 'X-Team': 'a' }, 'u')).toEqual({
    authorization: 'Bearer u',
    'X-Team': 'a',
  })
  expect(withToken({ authorization: '***', 'X-Team': 'a' }, '')).toEqual({ 'X-Team': 'a' })
  expect(tokenIn({ authorization: 'Bearer t' })).toBe('t')
  expect(tokenIn({ Authorization: '***' })).toBe('***')
  expect(tokenIn({ Authorization: 'Basic x' })).toBe('')
})

test('rows without a name are no headers, and what is gone is taken away', () => {
  const pairs = [
    { name: ' X-Team ', value: 'a' },
    { name: '', value: 'b' },
  ]
  expect(headersOf(pairs)).toEqual({ 'X-Team': 'a' })
  const before = { Authorization: '***', 'X-Old': '***' }
  expect(changedHeaders(before, { Authorization: '***', 'X-Team': 'a' })).toEqual({
    Authorization: '***',
    'X-Old': null,
    'X-Team': 'a',
  })
  expect(changedHeaders(before, undefined)).toEqual({ Authorization: null, 'X-Old': null })
})
