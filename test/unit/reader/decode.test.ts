import { describe, expect, test } from 'vitest'
import { decodeBytes } from '../../../src/reader/decode.ts'
import { encodeAs } from '../../support/old-encodings.ts'

/** 中文 in GB18030 (and GBK), 漢字 in Big5 and in Shift_JIS, 한글 in EUC-KR, naïve in windows-1252. */
const GBK = [0xd6, 0xd0, 0xce, 0xc4]
const BIG5 = [0xba, 0x7e, 0xa6, 0x72]
const SHIFT_JIS = [0x8a, 0xbf, 0x8e, 0x9a]
const EUC_KR = [0xc7, 0xd1, 0xb1, 0xdb]
const LATIN = [0x6e, 0x61, 0xef, 0x76, 0x65]
const UTF8 = [...new TextEncoder().encode('中文')]

const ascii = (text: string) => text.split('').map((character) => character.charCodeAt(0))
const utf16 = (text: string, isBigEndian = false) => {
  const bytes = [...Buffer.from(text, 'utf16le')]
  return isBigEndian ? [...Buffer.from(bytes).swap16()] : bytes
}
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

describe('a wrong label', () => {
  const sentence = '汉字编码有很多种，网页常常写错。'
  const utf8 = [...new TextEncoder().encode(sentence)]

  test.each(['gbk', 'big5', 'shift_jis', 'euc-kr', 'iso-8859-1', 'windows-1251', 'utf-16'])(
    '%s over what is UTF-8 through and through is passed over',
    (label) => {
      expect(decodeBytes(bytes(utf8), `text/html; charset=${label}`)).toBe(sentence)
      expect(decodeBytes(bytes(`<meta charset="${label}">`, utf8), 'text/html')).toMatch(sentence)
    },
  )

  test('of Latin text is told by its first accent', () => {
    expect(decodeBytes(bytes('caf', [0xc3, 0xa9]), 'text/plain; charset=iso-8859-1')).toBe('café')
  })

  test('does not turn a page with one broken byte into another language', () => {
    const broken = bytes('<meta charset=gbk>', utf8, [0xff], utf8)
    expect(decodeBytes(broken, 'text/html; charset=utf-8')).toMatch(`${sentence}\uFFFD${sentence}`)
    const latin = bytes('<meta charset=iso-8859-1>', utf8, [0xff], utf8)
    expect(decodeBytes(latin, 'text/html; charset=utf-8')).toMatch(`${sentence}\uFFFD${sentence}`)
    const cut = bytes('<meta charset=iso-8859-1>', utf8.slice(0, -1))
    expect(decodeBytes(cut, 'text/html')).toMatch(sentence.slice(0, -1))
  })

  test('is not seen in a few characters of a charset that could be both', () => {
    // 一 in GBK is D2 BB, which is U+04BB in UTF-8.
    expect(decodeBytes(bytes([0xd2, 0xbb]), 'text/plain; charset=gbk')).toBe('一')
  })
})

describe('UTF-16 without a mark', () => {
  const markup = '<?xml version="1.0"?><p>中文</p>'
  const little = utf16(markup)
  const big = utf16(markup, true)

  test('is told by the zeros around the first markup', () => {
    expect(decodeBytes(bytes(little), 'text/xml')).toBe(markup)
    expect(decodeBytes(bytes(big), 'text/xml; charset=utf-16')).toBe(markup)
  })
})

test.each<[string, number[], string]>([
  ['gb2312', [0x95, 0x32, 0x82, 0x36], '𠀀'],
  ['x-gbk', [0x80], '€'],
  ['gb18030', [0x84, 0x31, 0x95, 0x33, 0xd2, 0xbb], '一'],
  ['big5', [0xa4, 0xa4, 0xa4, 0xe5], '中文'],
  ['ms_kanji', [0x87, 0x40, 0xb1], '①ｱ'],
  ['euc-jp', [0xc6, 0xfc, 0xcb, 0xdc], '日本'],
  ['iso-2022-jp', [0x1b, 0x24, 0x42, 0x46, 0x7c, 0x1b, 0x28, 0x42], '日'],
  ['ks_c_5601-1987', [0xc7, 0xd1, 0xb1, 0xdb], '한글'],
  ['windows-1250', [0xb9, 0x9c], 'ąś'],
  ['windows-1251', [0xcf, 0xf0, 0xe8], 'При'],
  ['koi8-r', [0xf0, 0xd2, 0xc9], 'При'],
  ['windows-1253', [0xc1, 0xe1], 'Αα'],
  ['iso-8859-9', [0xfd, 0xfe], 'ış'],
  ['windows-1255', [0xf9], 'ש'],
  ['windows-1256', [0xe3], 'م'],
  ['windows-1257', [0xe0], 'ą'],
  ['windows-1258', [0xd0], 'Đ'],
  ['tis-620', [0xa1], 'ก'],
])('%s is read', (label, encoded, text) => {
  const found = decodeBytes(bytes(encoded), `text/plain; charset=${label}`)
  expect(label === 'gb18030' ? found.slice(-1) : found).toBe(text)
})

test('broken bytes become replacement characters and the rest survives', () => {
  expect(decodeBytes(bytes('a', [0xff, 0xc3], 'b', UTF8, [0xe4, 0xb8]), null)).toBe('a\uFFFD\uFFFDb中文\uFFFD')
})

describe('without a label, text that is not in UTF-8 is told by its characters', () => {
  const CHINESE = '市政府昨天宣布，新建的大桥已经正式通车，市民可以免费通行。'
  const TAIWANESE = '市政府昨天宣布，新建的大橋已經正式通車，市民可以免費通行。'
  const JAPANESE = '市役所は昨日、新しい橋が正式に開通したと発表しました。'
  const KOREAN = '시청은 어제 새로운 다리가 정식으로 개통되었다고 발표했다.'
  const RUSSIAN = 'Вчера город открыл новый мост для движения транспорта.'
  const GERMAN = 'Die Stadt hat gestern die Brücke für den Verkehr geöffnet – „endlich“.'

  test.each([
    ['gbk', CHINESE],
    ['big5', TAIWANESE],
    ['shift_jis', JAPANESE],
    ['euc-jp', JAPANESE],
    ['euc-kr', KOREAN],
    ['gbk', '不以该名称提供服务：请使用 localhost'],
    ['gbk', '请求体没有完整到达。'],
    ['euc-jp', 'ありがとうございます'],
    ['euc-jp', 'この問題に簡単な答えはない'],
    ['windows-1251', RUSSIAN],
    ['koi8-r', RUSSIAN],
    ['windows-1252', GERMAN],
    ['windows-1252', 'Der Rat beschloss, die neue Brücke über den Fluß zu bauen.'],
    ['iso-8859-7', 'Ο δήμος αποφάσισε την Τρίτη να χτίσει τη νέα γέφυρα. Άρχισαν ήδη οι εργασίες.'],
    ['windows-1253', 'Ο δήμος αποφάσισε την Τρίτη να χτίσει τη νέα γέφυρα. Άρχισαν ήδη οι εργασίες.'],
    ['windows-874', 'สภาเมืองมีมติเมื่อวันอังคารให้สร้างสะพานใหม่ข้ามแม่น้ำ'],
    ['windows-1256', 'وافق مجلس المدينة يوم الثلاثاء على بناء الجسر الجديد فوق النهر'],
    ['windows-1255', 'מועצת העיר החליטה ביום שלישי לבנות את הגשר החדש מעל הנהר'],
  ] as const)('%s', (encoding, text) => {
    expect(decodeBytes(encodeAs(encoding, `<title>${text}</title>`), 'text/html')).toBe(`<title>${text}</title>`)
  })

  test.each(['windows-1250', 'iso-8859-2'] as const)('or by the language that it says it is in: %s', (encoding) => {
    const text = '<html lang="pl"><p>Zażółć gęślą jaźń'
    expect(decodeBytes(encodeAs(encoding, text), null)).toBe(text)
  })

  test('or by its escapes, which are ASCII', () => {
    const text = bytes('<p>', [0x1b, 0x24, 0x42, 0x46, 0x7c, 0x1b, 0x28, 0x42], '</p>')
    expect(decodeBytes(text, 'text/html')).toBe('<p>日</p>')
  })

  test('and a header that says UTF-8 yields to the document', () => {
    const text = `<meta charset=windows-1252>${GERMAN}`
    expect(decodeBytes(encodeAs('windows-1252', text), 'text/html; charset=utf-8')).toBe(text)
  })

  test('but one whose last character is cut is in UTF-8', () => {
    expect(decodeBytes(bytes('name: ', [0xc3]), 'text/plain; charset=utf-8')).toBe('name: \uFFFD')
  })
})
