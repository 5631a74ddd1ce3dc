import { readFileSync } from 'node:fs'
import { strToU8, zlibSync } from 'fflate'
import { describe, expect, test } from 'vitest'
import { ROOT } from '../../../src/build/bundle.ts'
import { readSource } from '../../../src/reader/read-source.ts'
import { pdf } from '../../support/office-documents.ts'

const read = (bytes: Uint8Array) => readSource({ bytes, contentType: 'text/html', url: 'https://site.example/a.pdf' })
const ascii85 = (bytes: Uint8Array) => {
  const groups = Array.from({ length: Math.ceil(bytes.length / 4) }, (_, index) =>
    bytes.subarray(4 * index, 4 * index + 4),
  )
  const written = groups.map((group) => {
    let value = [0, 1, 2, 3].reduce((sum, at) => sum * 256 + (group[at] ?? 0), 0)
    const digits = Array.from({ length: 5 }, () => {
      const digit = String.fromCharCode(33 + (value % 85))
      value = Math.floor(value / 85)
      return digit
    })
    return digits
      .toReversed()
      .join('')
      .slice(0, group.length + 1)
  })
  return strToU8(`${written.join('')}~>`)
}
const SHOWN = strToU8('BT /F1 12 Tf 1 0 0 1 72 700 Tm (Packed twice) Tj ET')

describe('a PDF', () => {
  test('is read page by page, with an empty line between paragraphs', async () => {
    const page = await read(pdf([['The bridge', 'over the river', '', '', 'is long.'], ['It ends here.']]))
    expect(page).toMatchObject({
      kind: 'pdf',
      mediaType: 'application/pdf',
      title: 'The bridge',
      byline: 'Ann Author',
      publishedTime: '2025-03-09',
    })
    expect(page.markdown).toBe(
      '## Page 1 of 2\n\nThe bridge\nover the river\n\nis long.\n\n## Page 2 of 2\n\nIt ends here.',
    )
  })

  test('of nobody and without a title says neither, whatever its program wrote there', async () => {
    const page = await read(pdf([['The bridge']], { info: '/Title(\\(anonymous\\))/Author(\\(anonymous\\))' }))
    expect(page).toMatchObject({ title: null, byline: null })
  })

  test('in Chinese is read by the codes of its font', async () => {
    expect((await read(pdf([['#市议会同意修建大桥']]))).markdown).toContain('市议会同意修建大桥')
  })

  test('from right to left is read in the order of its lines, with numbers and other words as they are', async () => {
    const shown = ['.)ןכ( ןאכ Office 2003 םעו 12.5% יכ םלוע םולש', 'םלוע', 'An English line with םולש in it.']
    const { markdown } = await read(pdf([shown.map((line) => `#${line}`)]))
    expect(markdown).toContain('שלום עולם כי 12.5% ועם Office 2003 כאן (כן).\nעולם\nAn English line with שלום in it.')
  })

  test('has letters in place of their forms for print', async () => {
    const { markdown } = await read(pdf([['#an oﬃce of ﬂowers', '#\ufefb\ufed3']]))
    expect(markdown).toContain('an office of flowers\nفلا')
  })

  test('whose streams are written in letters is read', async () => {
    const content = ascii85(zlibSync(SHOWN))
    expect((await read(pdf([[]], { content, filter: '[/ASCII85Decode/FlateDecode]' }))).markdown).toContain(
      'Packed twice',
    )
  })

  test('of pictures alone says how many pages it has', async () => {
    expect((await read(pdf([[], []]))).markdown).toMatch(/^\[application\/pdf, [\d.]+ KiB, 2 pages without text\]$/)
  })
})

describe('a form', () => {
  const read1 = async (lines: readonly string[], annotations: string) =>
    (await read(pdf([lines], { annotations }))).markdown.replace('## Page 1 of 1\n\n', '')
  const widget = (rect: string, rest: string) => `<</Type/Annot/Subtype/Widget/Rect[${rect}]${rest}>>`

  test('has what was filled in beside what it is about, or below it', async () => {
    const fields = [
      widget('150 762 300 776', '/FT/Tx/T(b)/V(12 High Street)'),
      widget('150 776 300 790', '/FT/Tx/T(a)/V<feff00c40073>'),
      widget('72 734 300 748', '/T(kid)/Parent<</FT/Ch/T(c)/V(de)/Opt[[(fr)(French)][(de)(German)]]>>'),
    ]
    expect(await read1(['Name:', 'Address:', 'Language:', '', 'Signed'], fields.join(''))).toBe(
      'Name:\tÄs\nAddress:\t12 High Street\nLanguage:\nGerman\nSigned',
    )
  })

  test('shows which boxes are ticked', async () => {
    const fields = [
      widget('58 778 68 788', '/FT/Btn/V/Yes/AS/Yes'),
      widget('58 764 68 774', '/FT/Btn/V/Off/AS/Off'),
      widget('58 750 68 760', '/FT/Btn/Ff 65536'),
    ]
    expect(await read1(['By post', 'By mail', 'Send'], fields.join(''))).toBe('[x] By post\n[ ] By mail\nSend')
  })

  test('keeps passwords and what is not shown to itself, and has what is written on the page', async () => {
    const fields = [
      widget('150 776 300 790', '/FT/Tx/Ff 8192/V(secret)'),
      widget('150 762 300 776', '/FT/Tx/F 2/V(hidden)'),
      '<</Subtype/FreeText/Rect[150 762 300 776]/Contents(paid)>>',
    ]
    expect(await read1(['Password:', 'State:'], fields.join(''))).toBe('Password:\nState:\tpaid')
  })
})

/** Made of a document of `pdf` by qpdf, the owner's password being another. */
const fixture = (name: string) => new Uint8Array(readFileSync(`${ROOT}test/fixtures/pdf/${name}.pdf`))

describe('an encrypted PDF', () => {
  test.each(['rc4-40', 'rc4-128', 'rc4-128-v4', 'aes-128', 'aes-256-r5', 'aes-256'])(
    'that anybody may open is read: %s',
    async (how) => {
      expect(await read(fixture(`open-${how}`))).toMatchObject({
        kind: 'pdf',
        title: 'The bridge',
        byline: 'Ann Author',
        publishedTime: '2025-03-09',
        markdown: '## Page 1 of 2\n\nThe bridge\nover the river\n\nis long.\n\n## Page 2 of 2\n\nIt ends here.',
      })
    },
  )

  test.each(['40', '128', '256'])('with a password is not: %s bits', async (bits) => {
    expect((await read(fixture(`secret-${bits}`))).markdown).toMatch(/^\[application\/pdf, [\d.]+ KiB, encrypted\]$/)
  })

  test.each([
    ['/Standard', '/Another!'],
    ['/AESV2', '/AESV9'],
    ['/R 4', '/R 6'],
    ['/V 4', '/V 3'],
    ['/CF <<', '/CG <<'],
    ['/P -1028', '/P -1024'],
    ['/U <f4', '/U <f5'],
  ])('with a lock of another kind (%s as %s) is not', async (from, to) => {
    const text = Array.from(fixture('open-aes-128'), (byte) => String.fromCharCode(byte)).join('')
    expect(text).toContain(from)
    const page = await read(Uint8Array.from(text.replace(from, to), (letter) => letter.charCodeAt(0)))
    expect(page.markdown).toMatch(/^\[application\/pdf, [\d.]+ KiB, encrypted\]$/)
  })
})

describe('a PDF that is not read says why', () => {
  test.each([
    ['encrypted', pdf([['x']], { trailer: '/Encrypt 9 0 R' })],
    ['broken', strToU8('%PDF-1.7\nnothing of a document')],
    ['too large or too complex to be read', pdf([[]], { content: zlibSync(new Uint8Array(70_000_000)) })],
    [
      'too large or too complex to be read',
      pdf([[]], { content: zlibSync(zlibSync(new Uint8Array(70_000_000))), filter: '[/FlateDecode/FlateDecode]' }),
    ],
    ['1 page without text', pdf([[]], { content: SHOWN, filter: '/JPXDecode' })],
    ['1 page without text', pdf([[]], { content: SHOWN, filter: '/FlateDecode' })],
  ])('%s', async (why, bytes) => {
    const page = await read(bytes)
    expect(page.kind).toBe('binary')
    expect(page.markdown).toMatch(/^\[application\/pdf, [\d.]+ (?:B|KiB), /)
    expect(page.markdown).toContain(why)
  })
})

describe('whatever is in a PDF', () => {
  const shown = (content: string) => read(pdf([[]], { content: zlibSync(strToU8(content)) }))

  test('letters that stand close are one word, others are apart, and columns are', async () => {
    const page = await shown(
      'BT /F1 10 Tf 1 0 0 1 72 700 Tm [(Br) 20 (idge) -300 (kit) -3000 (49)] TJ 0 -12 Td (next) Tj ET',
    )
    expect(page.markdown).toContain('Bridge kit\t49\nnext')
  })

  test('a text that stands upright is read as one that lies', async () => {
    const page = await shown(
      'BT /F1 10 Tf 0 1 -1 0 72 100 Tm (The bridge) Tj 1 -1.2 Td ( ) Tj 0 1 -1 0 72 160 Tm (over the river) Tj 0 1 -1 0 84 100 Tm (is long) Tj ET',
    )
    expect(page.markdown).toMatch(/The bridge\s+over the river\nis long/)
  })

  test('accents and marks have their places in the encoding', async () => {
    const page = await shown('BT /F1 10 Tf 1 0 0 1 72 700 Tm (\\334ber \\253die\\273 Br\\374cke \\(neu\\)) Tj ET')
    expect(page.markdown).toContain('Über «die» Brücke (neu)')
  })

  test('codes that its encoding leaves free are bullets', async () => {
    expect((await shown('BT /F1 10 Tf (\\177 one) Tj ET')).markdown).toContain('• one')
  })

  test.each([
    ['Symbol', '(abS \\267)', 'αβΣ •'],
    ['ABCDEF+ZapfDingbats', '(4l)', '✔●'],
  ])('signs of %s are told by its codes', async (font, text, wanted) => {
    const content = zlibSync(strToU8(`BT /F1 10 Tf ${text} Tj ET`))
    expect((await read(pdf([[]], { content, font }))).markdown).toContain(wanted)
  })

  test('letters that are placed one by one are words by their usual widths', async () => {
    const placed = [
      ['i', 72],
      ['f', 74.22],
      ['W', 80.2],
      ['i', 89.64],
    ].map(([letter, x]) => `1 0 0 1 ${x} 700 Tm (${letter}) Tj`)
    expect((await shown(`BT /F1 10 Tf ${placed.join(' ')} ET`)).markdown).toMatch(/\nif Wi$/)
  })

  test('a text that stands for what is shown is read in its place, once', async () => {
    const page = await shown(
      'BT /F1 10 Tf (e) Tj /Span<</ActualText<FEFF006600660069>>>BDC (\\001) Tj (\\002) Tj EMC (cient) Tj ET',
    )
    expect(page.markdown).toMatch(/\nefficient$/)
  })

  test('its title may be in an encoding of its own', async () => {
    const page = await read(pdf([['x']], { info: '/Title(\\215The\\216 bridge \\200 \\240)' }))
    expect(page.title).toBe('“The” bridge • €')
  })

  test('it may begin behind something else where it is said to be one', async () => {
    const bytes = Uint8Array.from([...strToU8('HTTP junk\r\n'), ...pdf([['The bridge']])])
    const page = await readSource({ bytes, contentType: 'application/pdf', url: 'https://site.example/a' })
    expect(page.markdown).toContain('The bridge')
  })

  test.each([
    '['.repeat(100_000),
    '<<'.repeat(100_000),
    '('.repeat(100_000),
    'q '.repeat(100_000),
    `BT /F1 10 Tf ${'(x) Tj '.repeat(50_000)}`,
    'BI /W 1 ID xxxx',
    '\u0000\u0001%%%',
  ])('is read to an end: %#', async (content) => {
    expect((await shown(content)).mediaType).toBe('application/pdf')
  })

  test.each([0.1, 0.3, 0.5, 0.7, 0.9])('its beginning alone is read as far as it can be: %d', async (share) => {
    const whole = pdf([['The bridge'], ['over the river']])
    expect((await read(whole.subarray(0, whole.length * share))).mediaType).toBe('application/pdf')
  })
})
