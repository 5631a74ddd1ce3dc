import { describe, test } from 'vitest'
import { meantBy } from '../../../../src/console/forms/server-words.ts'
import { phraseInChinese } from '../../../../src/http/refusal-words.ts'
import { describeAddressProblem } from '../../../../src/net/outcome.ts'

const PRIVATE = describeAddressProblem('private', 'en')

describe('what the server says of a value', () => {
  test.for([
    ['Invalid input: expected string, received undefined', 'needed'],
    ['Invalid input: expected number, received string', 'noNumber'],
    ['Invalid input: expected int, received number', 'noWhole'],
    ['Too small: expected string to have >=16 characters', { isOfLength: true, isMost: false, value: 16 }],
    ['Too small: expected string to have >=1 characters', { isOfLength: true, isMost: false, value: 1 }],
    ['Too big: expected string to have <=64 characters', { isOfLength: true, isMost: true, value: 64 }],
    ['Too big: expected array to have <=100 items', { isOfLength: true, isMost: true, value: 100 }],
    ['Too big: expected number to be <=600000', { isOfLength: false, isMost: true, value: 600_000 }],
    ['Too small: expected number to be >=0.5', { isOfLength: false, isMost: false, value: 0.5 }],
    [PRIVATE, 'isPrivate'],
    [`${PRIVATE} To reach it, name 127.0.0.1:11434 in web.allow_private_hosts.`, 'isPrivate'],
    ['an absolute http or https address', null],
  ] as const)('means the same in both languages: %s', ([english, meant], { expect }) => {
    expect(meantBy(english)).toEqual(meant)
    expect(meantBy(phraseInChinese(english) ?? '')).toEqual(meant)
  })
})
