import { strToU8, zlibSync } from 'fflate'
import { describe, expect, test } from 'vitest'
import { Budget, TooLarge } from '../../../src/reader/formats/pdf/budget.ts'
import { unpacked } from '../../../src/reader/formats/pdf/filters.ts'
import { pdfText } from '../../../src/reader/formats/pdf/pdf.ts'
import { readSource } from '../../../src/reader/read-source.ts'

const stream = (text: string, more = '') => {
  const packed = Array.from(zlibSync(strToU8(text, true)), (byte) => String.fromCharCode(byte)).join('')
  return `<<${more}/Filter/FlateDecode/Length ${packed.length}>>stream\n${packed}\nendstream`
}
const raw = (text: string, more: string) => `<<${more}/Length ${text.length}>>stream\n${text}\nendstream`
const bytesOf = (objects: Readonly<Record<number, string>>, trailer = '') =>
  strToU8(
    `%PDF-1.5\n${Object.entries(objects)
      .map(([number, object]) => `${number} 0 obj${object}\nendobj\n`)
      .join('')}trailer<</Root 1 0 R${trailer}>>`,
    true,
  )
const CATALOGUE = { 1: '<</Type/Catalog/Pages 2 0 R>>' }
const FONT = '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>'
/** One page with the font F, the form X and this content, which is object 4. */
const page = (content: string, more: Readonly<Record<number, string>> = {}, contents = '4 0 R') =>
  bytesOf({
    ...CATALOGUE,
    2: '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    3: `<</Type/Page/Contents ${contents}/Resources<</Font<</F 5 0 R>>/XObject<</X 6 0 R>>>>>>`,
    4: content,
    5: FONT,
    ...more,
  })
const SHOWN = stream('BT /F 9 Tf <0041> Tj ET')
const TYPE0 = '<</Type/Font/Subtype/Type0/ToUnicode 6 0 R/DescendantFonts[7 0 R]>>'

describe('a PDF that would cost without end is given up', () => {
  test.each([
    [
      'a form that is shown again and again',
      page(stream('/X Do '.repeat(200_000)), { 6: stream('1 '.repeat(30_000), '/Subtype/Form') }),
    ],
    [
      'a long text in such a form',
      page(stream('/X Do '.repeat(5_000)), { 6: stream(`BT /F 9 Tf (${'a'.repeat(60_000)})Tj ET`, '/Subtype/Form') }),
    ],
    ['many short texts', page(stream(`BT /F 9 Tf ${'(a)Tj '.repeat(400_000)}ET`))],
    [
      'contents that are one stream many times',
      page(stream('BT /F 9 Tf (hello) Tj ET '.repeat(2_000)), {}, `[${'4 0 R '.repeat(20_000)}]`),
    ],
    [
      'one range of characters many times',
      page(SHOWN, {
        5: TYPE0,
        6: stream(`1 beginbfrange\n${'<0000><ffff><0000>\n'.repeat(20_000)}endbfrange`),
        7: '<<>>',
      }),
    ],
    [
      'one range of widths many times',
      page(SHOWN, { 5: TYPE0, 6: stream(''), 7: `<</W[${'0 69998 1 '.repeat(20_000)}]>>` }),
    ],
    [
      'a range of widths whose first code is beyond all numbers that can be counted',
      page(SHOWN, { 5: TYPE0, 6: stream(''), 7: `<</W[1${'0'.repeat(300)} 1${'0'.repeat(300)} 1]>>` }),
    ],
    [
      'long characters of one code',
      page(stream(`BT /F 9 Tf ${`<${'0041'.repeat(1_000)}> Tj `.repeat(100)}ET`), {
        5: TYPE0,
        6: stream(`1 beginbfchar <0041> <${'0041'.repeat(5_000)}> endbfchar`),
        7: '<<>>',
      }),
    ],
    ['runs of one byte', page(raw('\u0081 '.repeat(200_000), '/Filter/RunLengthDecode'))],
    [
      'more fonts than a document has',
      page(stream(`BT ${Array.from({ length: 1_100 }, (_, index) => `/F${index} 9 Tf `).join('')}ET`), {
        3: `<</Type/Page/Contents 4 0 R/Resources<</Font<<${Array.from({ length: 1_100 }, (_, index) => `/F${index} ${100 + index} 0 R`).join('')}>>>>>>`,
        ...Object.fromEntries(Array.from({ length: 1_100 }, (_, index) => [100 + index, FONT])),
      }),
    ],
  ])('%s', (_, bytes) => {
    expect(pdfText(bytes)).toEqual({ ok: false, problem: 'too_complex' })
  })

  test('with its type, its size and why', async () => {
    const bytes = page(stream('/X Do '.repeat(200_000)), { 6: stream('1 '.repeat(30_000), '/Subtype/Form') })
    const read = await readSource({ bytes, contentType: null, url: 'https://site.example/a.pdf' })
    expect(read.markdown).toMatch(/^\[application\/pdf, .+, too large or too complex to be read\]$/)
  })
})

describe('a PDF that leads back to itself, or nowhere, ends', () => {
  test.each([
    ['pages that hold themselves', bytesOf({ ...CATALOGUE, 2: '<</Type/Pages/Kids[2 0 R 2 0 R]/Count 1>>' })],
    [
      'pages that hold what they are in',
      bytesOf({ ...CATALOGUE, 2: '<</Kids[3 0 R 3 0 R]>>', 3: '<</Kids[2 0 R 2 0 R]>>' }),
    ],
    [
      'objects that are never closed',
      strToU8(`%PDF-1.5\n${Array.from({ length: 20_000 }, (_, index) => `${index} 0 obj[\n`).join('')}`),
    ],
    [
      'objects that look like streams of objects',
      strToU8(`%PDF-1.5\n${Array.from({ length: 20_000 }, (_, index) => `${index} 0 obj<</A/ObjStm>>\n`).join('')}`),
    ],
    ['a root told many times', strToU8(`%PDF-1.5\n${'/Root 1 0 R '.repeat(100_000)}`)],
  ])('%s', (_, bytes) => {
    expect(pdfText(bytes)).toEqual({ ok: false, problem: 'broken' })
  })

  test('a form that shows itself', () => {
    const bytes = page(stream('BT /F 9 Tf (before) Tj ET /X Do'), {
      6: stream('/X Do /X Do', '/Subtype/Form/Resources<</XObject<</X 6 0 R>>>>'),
    })
    expect(pdfText(bytes)).toMatchObject({ ok: true, pdf: { markdown: '## Page 1 of 1\n\nbefore' } })
  })
})

test.each([
  ['LZWDecode', new Uint8Array(100_000), 50_000],
  ['RunLengthDecode', Uint8Array.from({ length: 2_000 }, () => 129), 100_000],
  ['ASCII85Decode', new Uint8Array(50_000).fill(0x7a), 100_000],
  ['ASCIIHexDecode', new Uint8Array(300_000).fill(0x30), 100_000],
  ['FlateDecode', zlibSync(new Uint8Array(200_000)), 100_000],
])('%s gives no more bytes than the budget has', (filter, bytes, allowed) => {
  expect(() => unpacked(bytes, [filter], [], new Budget({ bytes: allowed }))).toThrow(TooLarge)
  expect(unpacked(bytes, [filter], [], new Budget())?.length).toBeGreaterThan(allowed)
})

test('codes of LZW stand for what was written before, and for what is written just now', () => {
  // Source: ISO 32000-1, 7.4.4.2, example 1.
  const packed = Uint8Array.of(0x80, 0x0b, 0x60, 0x50, 0x22, 0x0c, 0x0c, 0x85, 0x01)
  expect(unpacked(packed, ['LZWDecode'], [], new Budget())).toEqual(
    Uint8Array.of(45, 45, 45, 45, 45, 65, 45, 45, 45, 66),
  )
})

describe('a PDF of many parts is read', () => {
  test('pages over what is read are counted, and the cut is told', () => {
    const numbers = Array.from({ length: 2_100 }, (_, index) => 10 + index)
    const bytes = bytesOf({
      ...CATALOGUE,
      2: `<</Type/Pages/Kids[${numbers.map((number) => `${number} 0 R`).join(' ')}]>>`,
      4: stream('BT /F 9 Tf (text) Tj ET'),
      5: FONT,
      ...Object.fromEntries(
        numbers.map((number) => [number, '<</Type/Page/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>']),
      ),
    })
    const outcome = pdfText(bytes)
    expect(outcome).toMatchObject({ ok: true, pdf: { pages: 2_100 } })
    expect(outcome.ok && outcome.pdf.markdown).toMatch(/## Page 2000 of 2100\n\ntext\n\n\[…\]$/)
  })

  test('of many fonts that share their table of characters', () => {
    const numbers = Array.from({ length: 400 }, (_, index) => 100 + index)
    const bytes = page(stream(`BT ${numbers.map((number) => `/F${number} 9 Tf <0041> Tj `).join('')}ET`), {
      3: `<</Type/Page/Contents 4 0 R/Resources<</Font<<${numbers.map((number) => `/F${number} ${number} 0 R`).join('')}>>>>>>`,
      6: stream('1 beginbfrange <0000><ffff><0000> endbfrange'),
      ...Object.fromEntries(numbers.map((number) => [number, '<</Type/Font/Subtype/Type0/ToUnicode 6 0 R>>'])),
    })
    expect(pdfText(bytes)).toMatchObject({ ok: true, pdf: { markdown: `## Page 1 of 1\n\n${'A'.repeat(400)}` } })
  })

  test('of 300 pages with 3,000 letters each, to its end', () => {
    const numbers = Array.from({ length: 300 }, (_, index) => 10 + 2 * index)
    const line = '1 0 0 1 72 700 Tm [(The bri)-20(dge over the river )12(is long and )-8(dry)]TJ 0 -12 Td '
    const bytes = bytesOf({
      ...CATALOGUE,
      2: `<</Type/Pages/Kids[${numbers.map((number) => `${number} 0 R`).join(' ')}]>>`,
      5: FONT,
      ...Object.fromEntries(
        numbers.flatMap((number) => [
          [number, `<</Type/Page/Contents ${number + 1} 0 R/Resources<</Font<</F 5 0 R>>>>>>`],
          [number + 1, stream(`BT /F 9 Tf ${line.repeat(75)}(end of ${number}) Tj ET`)],
        ]),
      ),
    })
    const outcome = pdfText(bytes)
    expect(outcome.ok && outcome.pdf.markdown.endsWith('end of 608')).toBe(true)
  })
})

test.each([
  ['GBK-EUC-H', 'cad041d2e9', '市A议'],
  ['90ms-RKSJ-V', '8bb4b6', '橋ｶ'],
  ['ETen-B5-H', 'bef4', '橋'],
  ['KSCms-UHC-H', 'b4d9b8ae', '다리'],
  ['EUC-H', 'b6b6', '橋'],
  ['UniGB-UTF16-H', '5e0241', '市'],
  ['Identity-H', '5e025e02', ''],
])('codes of %s are read by what the encoding is called', (encoding, codes, text) => {
  const bytes = page(stream(`BT /F 9 Tf <${codes}> Tj (\0x) Tj ET`), {
    5: `<</Type/Font/Subtype/Type0/Encoding/${encoding}/DescendantFonts[7 0 R]>>`,
    7: '<<>>',
  })
  const outcome = pdfText(bytes)
  expect(outcome.ok && outcome.pdf.markdown.replace(/^## Page 1 of 1\n\n|\0?x$/g, '')).toBe(text)
})

test('characters of control are no text', () => {
  const bytes = page(stream('BT /F 9 Tf <00011b41> Tj ET'), {
    5: '<</Type/Font/Subtype/Type1/ToUnicode 6 0 R>>',
    6: stream('1 beginbfrange <00><ff><0000> endbfrange'),
  })
  expect(pdfText(bytes)).toMatchObject({ ok: true, pdf: { markdown: '## Page 1 of 1\n\nA' } })
})

describe('what looks like an object in a text is a text', () => {
  test.each([
    ['in a stream', page(raw('BT /F 9 Tf (the 3 0 obj of it) Tj ET', ''))],
    ['in a string', page(stream('BT /F 9 Tf (the 3 0 obj of it) Tj ET'), { 7: '<</Title(see 3 0 obj and 4 0 obj)>>' })],
    ['behind a stream without an end', page(stream('BT /F 9 Tf (the 3 0 obj of it) Tj ET'), { 9: '<<>>stream\n' })],
  ])('%s', (_, bytes) => {
    expect(pdfText(bytes)).toMatchObject({ ok: true, pdf: { markdown: '## Page 1 of 1\n\nthe 3 0 obj of it' } })
  })
})

describe('/Encrypt', () => {
  const shown = raw('BT /F 9 Tf (the trailer has /Encrypt 5 0 R) Tj ET', '')

  test('in a text is a text', () => {
    expect(pdfText(page(shown))).toMatchObject({ ok: true })
  })

  test.each([
    ['in a trailer', bytesOf({ ...CATALOGUE, 4: shown }, '/Encrypt 9 0 R')],
    ['in a stream of references', bytesOf({ ...CATALOGUE, 8: raw('', '/Type/XRef/Encrypt 9 0 R') })],
  ])('%s says that it is encrypted', (_, bytes) => {
    expect(pdfText(bytes)).toEqual({ ok: false, problem: 'locked' })
  })
})
