import { describe, test } from 'vitest'
import { maskOf } from '../../../src/lib/mask.ts'
import { stepsOf } from '../../support/step-count.ts'

/** A value with every character that has a spelling of its own. */
const VALUE = 'sk-live/ä"&+ 4711_zz😀\\<%'
const bytes = Buffer.from(VALUE)
const inJson = (text: string) => JSON.stringify(text).slice(1, -1)
const inAscii = (text: string) =>
  text.replaceAll(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
const inHtml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('ä', '&#xE4;')
const inAddress = (text: string) => encodeURIComponent(text)
const everyByte = (text: string) => [...Buffer.from(text)].map((byte) => `%${byte.toString(16)}`).join('')
const everyUnit = (text: string) =>
  Array.from(text, (char) => (char.length > 1 ? char : `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)).join(
    '',
  )
const everyUnitIn =
  (spell: (code: number) => string) =>
  (text: string): string =>
    Array.from(text, (char) => spell(char.codePointAt(0) ?? 0)).join('')
const octal = (digits: number) => [...bytes].map((byte) => `\\${byte.toString(8).padStart(digits, '0')}`).join('')
const ENTITIES: Record<string, string> = { '/': 'sol', ä: 'auml', '"': 'QUOT', '&': 'AMP', '+': 'plus', '\\': 'bsol' }
const inNames = (text: string) =>
  text
    .replaceAll(/[/ä"&+\\]/g, (char) => `&${ENTITIES[char]};`)
    .replaceAll('_', '&UnderBar;')
    .replaceAll('<', '&lt;')
const pairs = (joint: string) => bytes.toString('hex').replaceAll(/..(?=.)/g, `$&${joint}`)
const form = (text: string) => new URLSearchParams({ k: text }).toString().slice(2)
const lines = (text: string) => text.replaceAll(/.{7}/g, '$&\r\n')

const indented = (text: string) => text.replaceAll(/.{11}/g, '$&\n\t    ')
const quoted = (text: string) => text.replaceAll(/.{13}/g, '$&" +\n  "')

const SPELLINGS: Record<string, string> = {
  plain: VALUE,
  'in an address': inAddress(VALUE),
  'in an address, small digits': inAddress(VALUE).toLowerCase(),
  'in an address, every byte': everyByte(VALUE),
  'in an address, some bytes': everyByte(VALUE.slice(0, 9)) + inAddress(VALUE.slice(9)),
  'in an address, twice in part': inAddress(everyByte(VALUE.slice(0, 5))) + inAddress(VALUE.slice(5)),
  'in a form': form(VALUE),
  'in JSON': inJson(VALUE),
  'in JSON of ASCII': inAscii(inJson(VALUE)),
  'in JSON, every unit': everyUnit(VALUE),
  'in JSON with slashes': inJson(VALUE).replaceAll('/', '\\/'),
  'in HTML': inHtml(VALUE),
  'in JSON in JSON in JSON': inJson(inJson(inJson(VALUE))),
  'in JSON in an address in HTML': inHtml(inAddress(inJson(VALUE))),
  'in an address four times': inAddress(inAddress(inAddress(inAddress(VALUE)))),
  'in Base64': bytes.toString('base64'),
  'in Base64 of addresses': bytes.toString('base64url'),
  'in Base64 without padding': bytes.toString('base64').replaceAll('=', ''),
  'in Base64 in an address': inAddress(bytes.toString('base64')),
  'in Base64 in JSON': bytes.toString('base64').replaceAll('/', '\\/'),
  'in Base64 over several lines': lines(bytes.toString('base64')),
  'in Base64 over several lines in JSON': inJson(lines(bytes.toString('base64'))),
  'in Base64 behind one byte': Buffer.from(`:${VALUE}!`).toString('base64'),
  'in Base64 behind two bytes': Buffer.from(`a:${VALUE}!!`).toString('base64url'),
  'in JavaScript, every character': everyUnitIn((code) => `\\u{${code.toString(16)}}`)(VALUE),
  'in JavaScript, with zeros': everyUnitIn((code) => `\\u{${code.toString(16).toUpperCase().padStart(8, '0')}}`)(VALUE),
  'in Perl, every character': everyUnitIn((code) => `\\x{${code.toString(16)}}`)(VALUE),
  'in Python, every character': everyUnitIn((code) => `\\U${code.toString(16).padStart(8, '0')}`)(VALUE),
  'in JavaScript, with more zeros': everyUnitIn((code) => `\\u{${code.toString(16).padStart(12, '0')}}`)(VALUE),
  'in old JavaScript, every unit': everyUnit(VALUE).replaceAll('\\', '%'),
  'in octal': octal(3),
  'in octal, as short as can be': octal(0),
  'in octal in JSON': inJson(octal(3)),
  'in numbers of HTML': everyUnitIn((code) => `&#${code};`)(VALUE),
  'in numbers of HTML, not closed': everyUnitIn((code) => `&#${code}`)(VALUE),
  'in numbers of HTML, not closed, in hex': everyUnitIn((code) => `&#x${code.toString(16)}`)(VALUE),
  'in numbers of HTML, with zeros': everyUnitIn((code) => `&#${`${code}`.padStart(30, '0')};`)(VALUE),
  'in numbers of HTML, in hex with zeros': everyUnitIn((code) => `&#X${code.toString(16).padStart(9, '0')};`)(VALUE),
  'in names of HTML': inNames(VALUE),
  'in names of HTML in an address': inAddress(inNames(VALUE)),
  'in Base64 over lines that are indented': indented(bytes.toString('base64')),
  'in Base64 over lines that are quoted': quoted(bytes.toString('base64url')),
  'in Base64 in a form': form(bytes.toString('base64')),
  'in hex': bytes.toString('hex'),
  'in hex of capitals': bytes.toString('hex').toUpperCase(),
  'in hex of both': bytes.toString('hex').replaceAll(/[a-f](?=.?.?.?[a-f])/g, (digit: string) => digit.toUpperCase()),
  'in hex with colons': pairs(':'),
  'in hex with spaces and capitals': pairs(' ').toUpperCase(),
  'in hex over several lines': indented(bytes.toString('hex')),
  'in hex of a program': `0x${pairs(', 0x')}`,
  'in hex of a program, in capitals': `0x${pairs(',0x').toUpperCase().replaceAll('0X', '0x')}`,
}

/** Of encoded ones the first and last characters may stand for bits of their neighbours, too. */
const coreOf = (name: string, spelling: string) => (name.includes('Base64') ? spelling.slice(4, -4) : spelling)

describe('a value is taken out of a text', () => {
  test.for(Object.entries(SPELLINGS))('%s', ([name, spelling], { expect }) => {
    const masked = maskOf(['another-secret', VALUE])(`before ${spelling} after`)
    expect(masked).toContain('***')
    expect(masked).not.toContain(coreOf(name, spelling))
    expect(masked).toMatch(/^before .{0,4}\*\*\*(?:[^]{0,8}) after$/)
  })

  test('whatever stands beside it', ({ expect }) => {
    const values = ['41secret', 'u00e4secret', 'amp;secret', 'secret%', 'secret%4', 'secret\\', 'secret&#x2']
    const beside: [string, string][] = [
      ['%', '41'],
      ['\\', 'u0041'],
      ['&', 'F;'],
      ['%25', ';'],
      ['\\\\', '"'],
    ]
    for (const value of values) {
      for (const [before, after] of beside) {
        for (const spell of [(text: string) => text, inJson, inAddress, (text: string) => inJson(inAddress(text))]) {
          const text = spell(`${before}${value}${after}`)
          expect(maskOf([value])(text), text).not.toContain('secret')
        }
      }
    }
  })

  test('that looks like an escape itself, under escapes of another kind', ({ expect }) => {
    for (const value of ['key%2Fof"me', 'key\\u00e4&me', 'key&amp;of\\me']) {
      for (const spell of [inJson, inAddress, inHtml, (text: string) => inHtml(inJson(text))]) {
        expect(maskOf([value])(`<${spell(value)}>`), spell(value)).toBe('<***>')
      }
    }
  })

  test('each of several, one within another, over each other, or cut', ({ expect }) => {
    const mask = maskOf(['inner', 'an-inner-one', 'one-more', 'aaaa'])
    expect(mask('an-inner-one, inner; an-inner-one-more')).toBe('***, ***; ***')
    expect(mask('an-inne-one, one-mor, aaa, aaaaa')).toBe('an-inne-one, one-mor, aaa, ***')
  })

  test('of which a text that is cut has the beginning, and no text that is whole', ({ expect }) => {
    const mask = maskOf(['value-%of/4711', 'other'])
    expect(mask('it is value-', true)).toBe('it is ***')
    expect(mask('it is value-%25of%2', true)).toBe('it is ***')
    expect(mask('it is val', true)).toBe('it is val')
    expect(mask('it is value-', false)).toBe('it is value-')
    expect(mask('value- and more', true)).toBe('value- and more')
  })

  test('and nothing else is changed', ({ expect }) => {
    const text = '100% of \\ & &amp; %zz \\u12 \\ud83d &#xfffffff; &#; 密\uD800钥 %25%'
    expect(maskOf(['a-secret', VALUE])(text)).toBe(text)
    for (const zeros of [
      '&#0000000000000000000000000000000000zz;',
      '\\u{00000000000000000000000000000000g}',
      '%u00g0 &#x00x',
    ]) {
      expect(maskOf(['a-secret', VALUE])(zeros)).toBe(zeros)
    }
    expect(maskOf(['a-secret'])('&#00000000000000000000z a-secret \\u{000000000000a-secret')).toBe(
      '&#00000000000000000000z *** \\u{000000000000***',
    )
    expect(maskOf([])('text')).toBe('text')
    expect(maskOf([''])('text')).toBe('text')
  })
})

describe('a short value', () => {
  test.for([
    ['1234', 'pages 31, 32, 33, 34'],
    ['3456', 'rows 33 34 35 36'],
    ['abcd', 'codes: 61/62/63/64'],
    ['test', '0x74, 0x65, 0x73, 0x74'],
    ['acme', 'in YW-Nt-ZQ'],
    ['1234567', '31 32 33 34 35 36 37'],
  ])('%s is not seen in numbers and words that stand apart: %s', ([value = '', text = ''], { expect }) => {
    expect(maskOf([value])(text)).toBe(text)
  })

  test('is taken out in hex and in Base64 that stand together', ({ expect }) => {
    const value = '>>?~é1'
    const base64 = Buffer.from(value).toString('base64')
    expect(base64).toMatch(/[+/]/)
    for (const text of [
      Buffer.from(value).toString('hex').toUpperCase(),
      base64,
      Buffer.from(value).toString('base64url'),
      inJson(base64).replaceAll('/', '\\/'),
      inAddress(base64),
      form(base64),
    ]) {
      expect(maskOf([value, 'a-longer-value'])(`x: ${text}`), text).toMatch(/^x: \*\*\*.{0,8}$/)
    }
  })

  test('of eight bytes is taken out in hex that stands apart', ({ expect }) => {
    expect(maskOf(['12345678'])('31:32:33:34:35:36:37:38')).toBe('***')
  })
})

describe('what masking takes', () => {
  const near = `${'a'.repeat(300)}b`
  const SECRETS = [near, 'abab'.repeat(60), '\\'.repeat(200), VALUE.repeat(8), '%25'.repeat(60)]
  const HOSTILE: Record<string, string> = {
    'near repeats of a secret': 'a'.repeat(4_000),
    'near repeats, each broken off': `${'a'.repeat(299)}c`.repeat(14),
    'starts of another': 'ab'.repeat(2_000),
    'starts of a written one': `${Buffer.from(near).toString('base64').slice(0, 390)}-`.repeat(10),
    backslashes: '\\'.repeat(4_000),
    percents: '%25'.repeat(1_300),
    'percents over each other': `%${'25'.repeat(2_000)}`,
    ampersands: '&amp;'.repeat(800),
    'escapes that are begun': '&#x0%2\\u00'.repeat(400),
    'longer escapes that are begun': '\\u{0000\\U0000\\07&DiacriticalGrav'.repeat(110),
    'zeros of a number': `&#${'0'.repeat(4_000)}`,
    'zeros of numbers that end as none': `&#x${'0'.repeat(30)}\\u{${'0'.repeat(30)}`.repeat(60),
    'hex of one digit': 'a0:'.repeat(1_400),
    'all of a secret': near.repeat(14),
  }

  test.for(Object.entries(HOSTILE))('%s: is twice as much for twice the text', async ([, text], { expect }) => {
    const mask = maskOf(SECRETS)
    const [once, twice] = [await stepsOf(() => mask(text)), await stepsOf(() => mask(text + text))]
    expect(once).toBeGreaterThan(text.length)
    expect(twice / once).toBeLessThan(2.1)
  })

  test('does not grow with how many secrets there are, or how long they are', async ({ expect }) => {
    const text = `${'a'.repeat(40)}c`.repeat(100)
    const few = maskOf(['a'.repeat(40) + 'b'])
    const many = maskOf(Array.from({ length: 40 }, (_, n) => `${'a'.repeat(40 + 10 * n)}b`))
    const [one, forty] = [await stepsOf(() => few(text)), await stepsOf(() => many(text))]
    expect(forty / one).toBeLessThan(1.5)
  })
})
