import { describe, test, vi } from 'vitest'
import { phraseInChinese } from '../../../../src/http/refusal-words.ts'
import { describeAddressProblem } from '../../../../src/net/outcome.ts'

vi.stubGlobal('localStorage', { getItem: () => 'zh-CN' })
vi.stubGlobal('sessionStorage', { getItem: () => null })
vi.stubGlobal('location', { hash: '', origin: 'http://localhost' })
vi.stubGlobal('addEventListener', () => {})
const { refusalText } = await import('../../../../src/console/forms/refusal.ts')
const { formTexts } = await import('../../../../src/console/forms/texts.ts')

/** Of a field that shows seconds, in the milliseconds of the API. */
const SECONDS = 1_000

describe('what the server says in Chinese of a value', () => {
  const said = (english: string, size?: number) => refusalText(phraseInChinese(english) ?? '', size)
  const t = formTexts()

  test('is said in the words of the page', ({ expect }) => {
    expect(said('an absolute http or https address')).toBe(t.known['应为 http 或 https 的绝对地址'])
    expect(said('a host with its port, such as 127.0.0.1:9002')).toContain('每行一个')
    expect(said('Invalid input: expected string, received undefined')).toBe(t.needed)
    expect(said('Invalid input: expected number, received string')).toBe(t.noNumber)
    expect(said('Too small: expected string to have >=1 characters')).toBe(t.needed)
    expect(said('Too big: expected string to have <=64 characters')).toBe('太长：最多 64。')
    expect(said('Too big: expected number to be <=600000', SECONDS)).toBe('最多为 600。')
    expect(said('Too small: expected number to be >=1000', SECONDS)).toBe('至少为 1。')
  })

  test('names the setting that opens a private address, and no file', ({ expect }) => {
    const english = describeAddressProblem('private', 'en')
    for (const message of [english, `${english} To reach it, name 127.0.0.1:11434 in web.allow_private_hosts.`]) {
      expect(said(message)).toBe(t.isPrivate)
      expect(refusalText(message)).toBe(t.isPrivate)
    }
  })
})
