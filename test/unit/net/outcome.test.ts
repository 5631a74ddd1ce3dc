import { describe, expect, test } from 'vitest'
import type { AddressProblem } from '../../../src/net/outcome.ts'
import { describeAddressProblem, describeFailure, type NetFailure } from '../../../src/net/outcome.ts'

const partial = { status: 200, headers: new Headers(), url: 'http://x.y/', bytes: new Uint8Array(0) }
const FAILURES: [NetFailure, zh: RegExp, en: RegExp][] = [
  [
    { code: 'address_refused', detail: 'private', redirects: 0 },
    /不允许访问.*allow_private_hosts/,
    /not allowed.*allow_private_hosts/,
  ],
  [{ code: 'address_refused', detail: 'private', redirects: 2 }, /跳转.*不允许访问/, /redirects to.*not allowed/],
  [{ code: 'unreachable', detail: 'ECONNREFUSED 10.0.0.1', redirects: 0 }, /无法连接/, /could not be reached/],
  [{ code: 'timeout', detail: 'headers', timeoutMs: 15_000, redirects: 0 }, /15 秒/, /within 15 s/],
  [{ code: 'timeout', detail: 'body', timeoutMs: 1_500, redirects: 0 }, /1\.5 秒/, /within 1\.5 s/],
  [{ code: 'too_many_redirects', detail: '', redirectsMax: 5, redirects: 5 }, /超过 5 次/, /more than 5 redirects/],
  [{ code: 'bad_redirect', detail: '', redirects: 0 }, /跳转目标/, /not an address/],
  [{ code: 'too_large', detail: '', bodyBytesMax: 5_242_880, partial, redirects: 0 }, /5 MiB/, /5 MiB/],
  [{ code: 'cancelled', detail: '', redirects: 0 }, /取消/, /cancelled/],
]

describe('a failure', () => {
  test.each(FAILURES)('%j is told in both languages, and its raw reason is not', (failure, zh, en) => {
    expect(describeFailure(failure, 'zh-CN')).toMatch(zh)
    expect(describeFailure(failure, 'en')).toMatch(en)
    expect(describeFailure(failure, 'en')).not.toContain('ECONNREFUSED')
    expect(describeFailure(failure, 'en')).not.toContain('{limit}')
  })
})

test.each<AddressProblem>(['not_an_address', 'too_long', 'scheme', 'credentials', 'private'])(
  'the refusal of an address that is "%s" has a text in each language',
  (problem) => {
    expect(describeAddressProblem(problem, 'zh-CN')).toMatch(/\p{Script=Han}/u)
    expect(describeAddressProblem(problem, 'en')).toMatch(/^[\x20-\x7e]+$/)
  },
)
