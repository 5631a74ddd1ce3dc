import { describe, expect, test } from 'vitest'
import { readSource } from '../../../src/reader/read-source.ts'
import { bomb, docx, epub, pptx, docxWithCharts, pptxWithChart, xlsx } from '../../support/office-documents.ts'

const read = (bytes: Uint8Array, contentType: string | null = null) =>
  readSource({ bytes, contentType, url: 'https://site.example/file' })

test('a document of Word keeps headings in any language, lists, tables, links and notes, and nothing that was deleted', async () => {
  const page = await read(docx())
  expect(page).toMatchObject({
    kind: 'docx',
    title: 'The bridge',
    byline: 'Ann Author',
    publishedTime: '2025-03-09T08:00:00Z',
  })
  expect(page.markdown).toBe(
    [
      '# Der Brückenbericht',
      'The bridge costs **much & more**[^2]',
      '[the plan](https://plan.example/a?b=1&c=2)',
      '- first\n  - within',
      '1. one',
      '| Part | Cost |\n| --- | --- |\n| Arch | 4 \\| 5 |',
      '[^2]: In euros.',
    ].join('\n\n'),
  )
})

test('a workbook is a table for each sheet that is shown, with days as days, and what was never worked out as it is written', async () => {
  const page = await read(xlsx(), 'application/octet-stream')
  expect(page.kind).toBe('xlsx')
  expect(page.markdown).toBe(
    [
      '## Costs',
      '| Part |  | Day |\n| --- | --- | --- |\n| 桥拱 | 12.5 | 2025-03-09 |\n| sum | TRUE | 2025-03-09 06:00 |\n| =A4=A2 | =SUM(B2:B4) |  |\n| 29% | 1234.5 € | -$7 |\n| 0.5 | 3 | 8 |',
    ].join('\n\n'),
  )
})

test('slides come in the order of the show, with titles and notes, without their numbers', async () => {
  const page = await read(pptx())
  expect(page.kind).toBe('pptx')
  expect(page.markdown).toBe(
    '## 1. Why a bridge\n\n- It is short\n- It is dry\n\n> Say hello\n\n## 2. The end\n\nThanks',
  )
})

/** What a chart of the fixtures draws. */
const CHART = ['Cost & time', '|  | Cost | Days |\n| --- | --- | --- |\n| 2025 | 1.5 | 7 |\n| 2026 | 2 |  |']

test('bullets of a slide stand as far in as they do on it, and a chart is a table of what it draws', async () => {
  const page = await read(pptxWithChart())
  expect(page.markdown).toBe(['## 1', '- dry\n  - in May\n  - in June\n- short', ...CHART].join('\n\n'))
})

test('a chart of a document of Word is a table at its place', async () => {
  const page = await read(docxWithCharts(1))
  expect(page.markdown).toBe(['Above it.', ...CHART, 'Below it.'].join('\n\n'))
})

test('of many charts the first are read, and it is said that there are others', async () => {
  const { markdown } = await read(docxWithCharts(25))
  expect(markdown.split('Cost & time')).toHaveLength(21)
  expect(markdown.split('[…]')).toHaveLength(2)
})

test('raised numbers of a document of Word are no digits of what they stand at', async () => {
  const raised = '<w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:t>2</w:t></w:r>'
  const page = await read(docx(`<w:p><w:r><w:t>10 km</w:t></w:r>${raised}</w:p>`))
  expect(page.markdown).toContain('10 km^2')
})

test('a book is its chapters in the order of its spine', async () => {
  const page = await read(epub(), 'text/html')
  expect(page).toMatchObject({ kind: 'epub', title: 'Bridges', byline: 'Ann Author', language: 'de' })
  expect(page.markdown).toBe('# Eins\n\nDas erste **Kapitel**. on\n\n# Zwei\n\nDas zweite. on')
})

describe('what cannot be read is said with its type and size', () => {
  const OFFICE = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'

  test('a part that unpacks to too much', async () => {
    const page = await read(bomb())
    expect(page).toMatchObject({ kind: 'binary', mediaType: OFFICE })
    expect(page.markdown).toMatch(/^\[application\/vnd\S+, \d+(?:\.\d)? KiB, unpacks to too much\]$/)
  })

  test('a document of which only the beginning came', async () => {
    const whole = docx()
    const source = {
      bytes: whole.subarray(0, 900),
      contentType: OFFICE,
      url: 'https://site.example/a',
      size: whole.length,
    }
    expect((await readSource(source)).markdown).toMatch(
      /wordprocessingml\.document, \d+(?:\.\d)? KiB, too large to be read\]$/,
    )
  })

  test('a document without text, and a zip of anything else', async () => {
    const page = await read(docx().subarray(0, 4), 'application/zip')
    expect(page.markdown).toBe('[application/zip, 4 B]')
  })
})

test('a long document is read to a bound and says so', async () => {
  const page = await read(docx('<w:p/>'.repeat(310_000)))
  expect(page.markdown).toMatch(/\n\n\[…\]\n\n\[\^2\]: In euros\.$/)
})

test('XML that opens without end takes no stack', async () => {
  const page = await read(docx('<w:p>'.repeat(200_000)))
  expect(page.markdown).toContain('Der Brückenbericht')
})
