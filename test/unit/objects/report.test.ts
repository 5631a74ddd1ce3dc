import { test } from 'vitest'
import { failureOf } from '../../../src/objects/report.ts'

const reset = (message: string) => Object.assign(new Error(message), { durableObjectReset: true })

test.for<[what: string, error: unknown, code: string]>([
  ['a database that is full', reset('database or disk is full: SQLITE_FULL'), 'storage_failed'],
  ['a file that cannot be written', reset('disk I/O error: SQLITE_IOERR'), 'storage_failed'],
  [
    'a database that cannot be made',
    new Error('internal error; reference = 8kee62lsgvatea0bu7dr5pcv'),
    'storage_failed',
  ],
  ['an object that was taken away', reset('Durable Object reset because its code was updated.'), 'unavailable'],
  ['a bug', new TypeError('x is not a function'), 'internal_error'],
  ['what is no error', 'SQLITE_FULL', 'internal_error'],
])('a throw is told by what it means: %s', ([, error, code], { expect }) => {
  expect(failureOf(error, { YAA_LOCAL: '1' }).code).toBe(code)
})

test('a fault of the platform itself says nothing of a disk', ({ expect }) => {
  const fault = new Error('internal error; reference = 8kee62lsgvatea0bu7dr5pcv')
  expect(failureOf(fault, {})).toEqual({ code: 'internal_error' })
})
