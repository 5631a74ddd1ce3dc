import { describe, expect, test } from 'vitest'
import { parseXml } from '../../../src/reader/formats/xml.ts'
import { readSource } from '../../../src/reader/read-source.ts'
import { zip } from '../../support/office-documents.ts'

async function read(parts: Readonly<Record<string, string>>): Promise<string> {
  const page = await readSource({ bytes: zip(parts), contentType: null, url: 'https://site.example/file' })
  return page.markdown
}

interface Book {
  sheets: readonly string[]
  texts?: string
  styles?: string
}

function workbook({ sheets, texts, styles }: Book): Promise<string> {
  const named = sheets.map((_, index) => `<sheet name="S${index}" r:id="r${index}"/>`)
  const related = sheets.map((_, index) => `<Relationship Id="r${index}" Target="worksheets/s${index}.xml"/>`)
  const parts = sheets.map((rows, index) => [
    `xl/worksheets/s${index}.xml`,
    `<worksheet><sheetData>${rows}</sheetData></worksheet>`,
  ])
  return read({
    'xl/workbook.xml': `<workbook><sheets>${named.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships>${related.join('')}</Relationships>`,
    ...(texts === undefined ? {} : { 'xl/sharedStrings.xml': `<sst>${texts}</sst>` }),
    ...(styles === undefined ? {} : { 'xl/styles.xml': `<styleSheet>${styles}</styleSheet>` }),
    ...Object.fromEntries(parts),
  })
}

const text = (value: string) => `<c t="str"><v>${value}</v></c>`
const row = (...values: readonly string[]) => `<row>${values.map(text).join('')}</row>`

function book(chapters: Readonly<Record<string, string>>, { spine = '', more = {} } = {}): Promise<string> {
  const items = Object.keys(chapters).map((name, index) => `<item id="i${index}" href="${name}"/>`)
  const order = Object.keys(chapters).map((_, index) => `<itemref idref="i${index}"/>`)
  const parts = Object.entries(chapters).map(([name, body]) => [name, `<html><body>${body}</body></html>`])
  return read({
    'META-INF/container.xml': '<container><rootfiles><rootfile full-path="book.opf"/></rootfiles></container>',
    'book.opf': `<package><manifest>${items.join('')}</manifest><spine>${order.join('')}${spine}</spine></package>`,
    ...Object.fromEntries(parts),
    ...more,
  })
}

function document(body: string, styles = '', more: Readonly<Record<string, string>> = {}): Promise<string> {
  return read({
    'word/document.xml': `<w:document><w:body>${body}</w:body></w:document>`,
    'word/styles.xml': `<w:styles>${styles}</w:styles>`,
    ...more,
  })
}

const run = (words: string, properties = '') => `<w:r><w:rPr>${properties}</w:rPr><w:t>${words}</w:t></w:r>`

describe('a workbook', () => {
  test('keeps a column that a late row is the first to use', async () => {
    const markdown = await workbook({ sheets: [row('a', 'b').repeat(1_100) + row('c', 'd', 'late')] })
    expect(markdown).toMatch(/\| c \| d \| late \|$/)
  })

  test('with one wide row and many short ones is read as far as its table has room', async () => {
    const wide = row(...Array.from({ length: 60 }, (_, column) => `h${column}`))
    const markdown = await workbook({ sheets: [wide + row('x').repeat(50_000)] })
    expect(markdown.length).toBeLessThan(2_000_000)
    expect(markdown).toMatch(/\n\n\[…\]$/)
  })

  test('says where columns, sheets and texts are left out', async () => {
    const columns = await workbook({ sheets: [row(...Array.from({ length: 90 }, () => 'x')).repeat(2)] })
    expect(columns).toMatch(/\| x \| \[…\] \|/)
    const sheets = await workbook({ sheets: Array.from({ length: 102 }, () => row('x')) })
    expect(sheets).toMatch(/## S99\n[^#]*\n\n\[…\]$/)
    const texts = await workbook({
      sheets: ['<row><c t="s"><v>0</v></c><c t="s"><v>400000</v></c></row>'.repeat(2)],
      texts: '<si><t>a</t></si>'.repeat(400_001),
    })
    expect(texts).toContain('| a | […] |')
  })

  test('says which sheets came after there was no more room', async () => {
    const big = row(...Array.from({ length: 40 }, () => 'x')).repeat(1_200)
    const markdown = await workbook({ sheets: [row('total'), big, big, row('end')] })
    expect(markdown).toContain('## S0\n\ntotal\n\n## S1\n\n| x | x |')
    expect(markdown).toMatch(/x \|\n\n## S2\n\n\| x [^#]*x \|\n\n\[…\]\n\n## S3\n\nend$/)
  })

  test('whose sheet is larger than what is read gives its beginning, whole rows of it', async () => {
    const markdown = await workbook({ sheets: [row('first') + row('x'.repeat(90), '1234567890').repeat(120_000)] })
    expect(markdown).toMatch(/^## S0\n\n\| first \|/)
    expect(markdown).toMatch(/1234567890 \|\n\n\[…\]$/)
  })

  test('of one cell with millions of entities gives what a cell can hold', async () => {
    const markdown = await workbook({ sheets: [row('&amp;'.repeat(3_000_000))] })
    expect(markdown.length).toBeLessThan(200_000)
    expect(markdown).toContain('&& […]')
  })

  test('shows numbers as numbers whose format fills a cell or counts hours', async () => {
    const formats = ['0.00_d', '* x0', '[h]:mm', '0*d'].map(
      (code, index) => `<numFmt numFmtId="${200 + index}" formatCode="${code}"/>`,
    )
    const xfs = [200, 201, 202, 203, 46, 14].map((id) => `<xf numFmtId="${id}"/>`)
    const cells = xfs.map((_, style) => `<c s="${style}"><v>12.5</v></c>`)
    const markdown = await workbook({
      sheets: [`<row>${cells.join('')}</row>`],
      styles: `<numFmts>${formats.join('')}</numFmts><cellXfs>${xfs.join('')}</cellXfs>`,
    })
    expect(markdown).toMatch(/(?:12\.5\W+){5}1900-01-11 12:00/)
  })
})

describe('a book', () => {
  test('has chapters with a percent sign in their names', async () => {
    expect(await book({ '100%.xhtml': '<p>Whole.</p>', 'a%20b.xhtml': '' })).toBe('Whole.')
  })

  test.each(['video', 'audio', 'canvas', 'h2', 'section', 'svg', 'iframe', 'noscript', 'select', 'td', 'object', 'u'])(
    'goes on behind <%s/>',
    async (name) => {
      const markdown = await book({ 'a.xhtml': `<p>Before.</p><${name} id="x"/><p>After <br/>it.</p>` })
      expect(markdown).toBe('Before.\n\nAfter\nit.')
    },
  )

  test('says that it is encrypted where its chapters are', async () => {
    const encryption = '<encryption><CipherReference URI="a.xhtml"/></encryption>'
    const more = { 'META-INF/encryption.xml': encryption }
    expect(await book({ 'a.xhtml': '\u0001\u0002garbage' }, { more })).toMatch(/epub\+zip, \S+ \S+, encrypted\]$/)
    expect(await book({ 'a.xhtml': 'garbage', 'b.xhtml': '<p>Free.</p>' }, { more })).toBe('[…]\n\nFree.')
  })

  test('says where chapters are left out', async () => {
    const markdown = await book({ 'a.xhtml': '<p>x</p>' }, { spine: '<itemref idref="i0"/>'.repeat(2_001) })
    expect(markdown).toMatch(/x\n\n\[…\]$/)
    const comment = `<!--${'x'.repeat(15_000_000)}-->`
    const chapters = { 'a.xhtml': `${comment}<p>One.</p>`, 'b.xhtml': `${comment}<p>Two.</p>`, 'c.xhtml': comment }
    expect(await book(chapters)).toBe('One.\n\nTwo.\n\n[…]')
  })
})

describe('a document', () => {
  test('leaves out what its styles hide, but not what shows it again', async () => {
    const styles =
      '<w:style w:styleId="H"><w:rPr><w:vanish/></w:rPr></w:style><w:style w:styleId="I"><w:basedOn w:val="H"/></w:style>'
    const hidden = run('SECRET', '<w:rStyle w:val="H"/>') + run('SECRET', '<w:rStyle w:val="I"/>')
    const shown = run('Shown', '<w:rStyle w:val="H"/><w:vanish w:val="0"/>')
    const paragraph = `<w:p><w:pPr><w:pStyle w:val="H"/></w:pPr>${run('SECRET')}</w:p>`
    expect(await document(`<w:p>${hidden}${shown}</w:p>${paragraph}`, styles)).toBe('Shown')
  })

  test('has ids of notes that are text', async () => {
    const note = '<w:r><w:footnoteReference w:id="1&lt;h1&gt;x"/></w:r>'
    expect(await document(`<w:p>${run('a')}${note}</w:p>`)).not.toContain('#')
  })

  test('says where notes are left out', async () => {
    const notes = `<w:footnotes><w:footnote w:id="1"><w:p>${run('First.')}</w:p></w:footnote>${'<w:p/>'.repeat(300_000)}</w:footnotes>`
    expect(await document(`<w:p>${run('a')}</w:p>`, '', { 'word/footnotes.xml': notes })).toMatch(/First\.\n\n\[…\]$/)
  })
})

test('a show says where slides are left out', async () => {
  const slides = Array.from({ length: 1_001 }, (_, index) => index)
  const markdown = await read({
    'ppt/presentation.xml': `<p><sldIdLst>${slides.map(() => `<sldId r:id="r"/>`).join('')}</sldIdLst></p>`,
    'ppt/_rels/presentation.xml.rels': '<Relationships><Relationship Id="r" Target="slide.xml"/></Relationships>',
    'ppt/slide.xml': '<sld><sp><p><t>x</t></p></sp></sld>',
  })
  expect(markdown).toMatch(/## 1000\n\nx\n\n\[…\]$/)
})

describe('a document that is not whole says so', () => {
  const cut = (bytes: Uint8Array, contentType: string) =>
    readSource({
      bytes: bytes.subarray(0, bytes.length - 40),
      contentType,
      url: 'https://site.example/file',
      size: 9_000_000,
    })

  test.each([
    'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    'application/epub+zip',
    'application/zip',
  ])('where only the beginning of %s was fetched, with its size', async (type) => {
    const { markdown } = await cut(zip({ 'xl/workbook.xml': '<workbook/>' }), type)
    expect(markdown).toBe(`[${type}, 8.6 MiB, too large to be read]`)
  })

  test('where all of it came and it has no end', async () => {
    const bytes = zip({ 'word/document.xml': '<w:document/>' })
    const contentType = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
    const { markdown } = await readSource({ bytes: bytes.subarray(0, -40), contentType, url: 'https://site.example/f' })
    expect(markdown).toContain('broken')
  })
})

test('chapters that no one can read without a key are said to be encrypted though nothing names them', async () => {
  const noise = Array.from({ length: 4_000 }, (_, index) => String.fromCharCode((index * 7_919) % 0xd7ff)).join('')
  const parts = {
    'META-INF/container.xml': '<container><rootfiles><rootfile full-path="book.opf"/></rootfiles></container>',
    'book.opf':
      '<package><manifest><item id="a" href="a.xhtml"/></manifest><spine><itemref idref="a"/></spine></package>',
    'a.xhtml': noise.replaceAll('<', ''),
  }
  expect(await read(parts)).toMatch(/^\[application\/epub\+zip, .+, encrypted\]$/)
})

describe('XML is read in bounded room', () => {
  test('an attribute of references is one value', () => {
    const { children } = parseXml(`<a b="${'&amp;'.repeat(200_000)}&#x41;&#66;&lt;&apos;&quot;&unknown;">x &gt; y</a>`)
    expect(children).toMatchObject([{ attributes: { b: `${'&'.repeat(200_000)}AB<'"&unknown;` }, children: ['x > y'] }])
  })

  test('texts that cells share are read without the tree that they stand in', async () => {
    const texts = Array.from({ length: 320_000 }, (_, index) => `<si><t>t${index}</t></si>`).join('')
    const cell = (index: number) => `<c t="s"><v>${index}</v></c>`
    const markdown = await workbook({ texts, sheets: [`<row>${cell(0)}${cell(319_999)}${cell(320_001)}</row>`] })
    expect(markdown).toMatch(/t0\s+t319999$/)
  })
})
