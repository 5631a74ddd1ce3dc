import { describe, expect, test } from 'vitest'
import { decodeBytes } from '../../../src/reader/decode.ts'

/** 中文 in GB18030 (and GBK), 漢字 in Big5 and in Shift_JIS, 한글 in EUC-KR, naïve in windows-1252. */
const GBK = [0xd6, 0xd0, 0xce, 0xc4]
const BIG5 = [0xba, 0x7e, 0xa6, 0x72]
const SHIFT_JIS = [0x8a, 0xbf, 0x8e, 0x9a]
const EUC_KR = [0xc7, 0xd1, 0xb1, 0xdb]
const LATIN = [0x6e, 0x61, 0xef, 0x76, 0x65]
const UTF8 = [...new TextEncoder().encode('中文')]

const ascii = (text: string) => text.split('').map((character) => character.charCodeAt(0))
const bytes = (...parts: (string | number[])[]) =>
  Uint8Array.from(parts.flatMap((part) => (typeof part === 'string' ? ascii(part) : part)))

describe('the character set', () => {
  test.each([
    ['the header', bytes(GBK), 'text/html; charset=gbk', '中文'],
    ['a quoted label in the header', bytes(GBK), 'text/html; Charset="GB2312"', '中文'],
    ['<meta charset>', bytes('<meta charset=big5>', BIG5), 'text/html', '<meta charset=big5>漢字'],
    ['<meta http-equiv>', bytes('<meta content="text/html; charset=shift_jis">', SHIFT_JIS), null, /漢字$/],
    ['an XML declaration', bytes('<?xml version="1.0" encoding="euc-kr"?>', EUC_KR), 'text/xml', /한글$/],
    ['nothing: UTF-8', bytes(UTF8), null, '中文'],
    ['latin1, which browsers read as windows-1252', bytes(LATIN, [0x80]), 'text/plain; charset=iso-8859-1', 'naïve€'],
    ['a mark of UTF-8 over the header', bytes([0xef, 0xbb, 0xbf], UTF8), 'text/html; charset=gbk', '中文'],
    ['a mark of UTF-16', bytes([0xff, 0xfe, 0x2d, 0x4e]), 'text/html', '中'],
    ['a mark of UTF-16, big end first', bytes([0xfe, 0xff, 0x4e, 0x2d]), 'text/html', '中'],
  ])('is taken from %s', (_, source, contentType, expected) => {
    const text = decodeBytes(source, contentType)
    if (typeof expected === 'string') expect(text).toBe(expected)
    else expect(text).toMatch(expected)
  })

  test('that the header gets wrong is taken from the document', () => {
    expect(decodeBytes(bytes('<meta charset="gbk">', GBK), 'text/html; charset=utf-8')).toMatch(/中文$/)
    expect(decodeBytes(bytes(UTF8), 'text/html; charset=shift_jis')).toBe('中文')
  })

  test('that nobody knows is passed over', () => {
    expect(decodeBytes(bytes('<meta charset="no-such">', UTF8), 'text/html; charset=nonsense')).toMatch(/中文$/)
  })

  test('declared as UTF-16 in a document that reads as ASCII is UTF-8', () => {
    expect(decodeBytes(bytes('<meta charset="utf-16">', UTF8), null)).toMatch(/中文$/)
  })
})

test('broken bytes become replacement characters and the rest survives', () => {
  expect(decodeBytes(bytes('a', [0xff, 0xc3], 'b', UTF8, [0xe4, 0xb8]), null)).toBe('a\uFFFD\uFFFDb中文\uFFFD')
})
