import { strToU8, zipSync, zlibSync } from 'fflate'

/** Documents as their programs write them, as far as a reader looks at them. */
export const zip = (parts: Readonly<Record<string, string>>) =>
  zipSync(Object.fromEntries(Object.entries(parts).map(([name, text]) => [name, strToU8(text)])))

const W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
const R = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
const relations = (lines: readonly string[]) => `<?xml version="1.0"?><Relationships>${lines.join('')}</Relationships>`
const core = (title: string) =>
  `<cp:coreProperties><dc:title>${title}</dc:title><dc:creator>Ann Author</dc:creator><dcterms:created>2025-03-09T08:00:00Z</dcterms:created></cp:coreProperties>`

const paragraph = (text: string, properties = '') =>
  `<w:p>${properties === '' ? '' : `<w:pPr>${properties}</w:pPr>`}<w:r><w:t>${text}</w:t></w:r></w:p>`
const item = (text: string, list: number, level = 0) =>
  paragraph(text, `<w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="${list}"/></w:numPr>`)
const cells = (texts: readonly string[]) =>
  `<w:tr>${texts.map((text) => `<w:tc>${paragraph(text)}</w:tc>`).join('')}</w:tr>`

export function docx(more = ''): Uint8Array<ArrayBuffer> {
  const body = [
    paragraph('Der Brückenbericht', '<w:pStyle w:val="berschrift1"/>'),
    '<w:p><w:r><w:t>The bridge costs </w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>much &amp; more</w:t></w:r>' +
      '<w:r><w:footnoteReference w:id="2"/></w:r><w:del><w:r><w:delText>DELETED</w:delText></w:r></w:del></w:p>',
    '<w:p><w:hyperlink r:id="r1"><w:r><w:t>the plan</w:t></w:r></w:hyperlink></w:p>',
    item('first', 1),
    item('within', 1, 1),
    item('one', 2),
    `<w:tbl>${cells(['Part', 'Cost'])}${cells(['Arch', '4 | 5'])}</w:tbl>`,
    more,
  ]
  const level = (kind: string) => `<w:lvl w:ilvl="0"><w:numFmt w:val="${kind}"/></w:lvl>`
  return zip({
    '[Content_Types].xml': '<Types/>',
    'word/document.xml': `<?xml version="1.0"?><w:document ${W} ${R}><w:body>${body.join('')}</w:body></w:document>`,
    'word/styles.xml': `<w:styles ${W}><w:style w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style></w:styles>`,
    'word/numbering.xml': `<w:numbering ${W}><w:abstractNum w:abstractNumId="0">${level('bullet')}</w:abstractNum><w:abstractNum w:abstractNumId="1">${level('decimal')}</w:abstractNum>
      <w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num></w:numbering>`,
    'word/footnotes.xml': `<w:footnotes ${W}><w:footnote w:type="separator" w:id="0">${paragraph('SEPARATOR')}</w:footnote><w:footnote w:id="2">${paragraph('In euros.')}</w:footnote></w:footnotes>`,
    'word/_rels/document.xml.rels': relations([
      '<Relationship Id="r1" Type="x/hyperlink" Target="https://plan.example/a?b=1&amp;c=2" TargetMode="External"/>',
    ]),
    'docProps/core.xml': core('The bridge'),
  })
}

/** Formats of money, one of a number with a country alone, and one with a word behind it. */
const MONEY = ['#,##0.00\\ [$€-407]', '&quot;$&quot;#,##0;(#,##0)', '[$-409]0.0', '0&quot; %&quot;']
  .map((code, index) => `<numFmt numFmtId="${165 + index}" formatCode="${code}"/>`)
  .join('')

export function xlsx(): Uint8Array<ArrayBuffer> {
  const rows = [
    '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="C1" t="inlineStr"><is><t>Day</t></is></c></row>',
    '<row r="2"><c r="A2" t="s"><v>1</v></c><c r="B2"><v>12.5</v></c><c r="C2" s="1"><v>45725</v></c></row>',
    '<row r="4"><c r="A4" t="str"><f>A1</f><v>sum</v></c><c r="B4" t="b"><v>1</v></c><c r="C4" s="2"><v>45725.25</v></c></row>',
    '<row r="5"><c r="A5" t="b"><f>A4=A2</f></c><c r="B5"><f>SUM(B2:B4)</f><v/></c></row>',
    '<row r="6"><c r="A6" s="3"><v>0.28999999999999998</v></c><c r="B6" s="4"><v>1234.5</v></c><c r="C6" s="5"><v>-7</v></c></row>',
    '<row r="7"><c r="A7" s="6"><v>0.5</v></c><c r="B7" s="6"><v>3</v></c><c r="C7" s="7"><v>8</v></c></row>',
  ]
  return zip({
    'xl/workbook.xml': `<workbook ${R}><sheets><sheet name="Costs" sheetId="1" r:id="rId1"/><sheet name="Hidden" sheetId="2" state="hidden" r:id="rId2"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relations([
      '<Relationship Id="rId1" Type="x/worksheet" Target="worksheets/sheet1.xml"/>',
      '<Relationship Id="rId2" Type="x/worksheet" Target="/xl/worksheets/sheet2.xml"/>',
    ]),
    'xl/sharedStrings.xml':
      '<sst><si><t>Part</t></si><si><r><t>桥</t></r><r><t>拱</t></r><rPh><t>PHONETIC</t></rPh></si></sst>',
    'xl/styles.xml': `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd hh:mm"/>${MONEY}</numFmts><cellXfs>${[0, 14, 164, 9, 165, 166, 167, 168].map((id) => `<xf numFmtId="${id}"/>`).join('')}</cellXfs></styleSheet>`,
    'xl/worksheets/sheet1.xml': `<worksheet><sheetData>${rows.join('')}</sheetData></worksheet>`,
    'xl/worksheets/sheet2.xml': '<worksheet><sheetData><row><c t="str"><v>HIDDEN</v></c></row></sheetData></worksheet>',
    'docProps/core.xml': core('Costs'),
  })
}

const shape = (type: string, lines: readonly string[]) =>
  `<p:sp><p:nvSpPr><p:nvPr><p:ph type="${type}"/></p:nvPr></p:nvSpPr><p:txBody>${lines.map((line) => `<a:p><a:r><a:t>${line}</a:t></a:r></a:p>`).join('')}</p:txBody></p:sp>`

export function pptx(): Uint8Array<ArrayBuffer> {
  const slide = (shapes: string) => `<p:sld><p:cSld><p:spTree>${shapes}</p:spTree></p:cSld></p:sld>`
  return zip({
    'ppt/presentation.xml': `<p:presentation ${R}><p:sldIdLst><p:sldId id="256" r:id="rId2"/><p:sldId id="257" r:id="rId1"/></p:sldIdLst></p:presentation>`,
    'ppt/_rels/presentation.xml.rels': relations([
      '<Relationship Id="rId1" Type="x/slide" Target="slides/slide1.xml"/>',
      '<Relationship Id="rId2" Type="x/slide" Target="slides/slide2.xml"/>',
    ]),
    'ppt/slides/slide1.xml': slide(shape('title', ['The end']) + shape('body', ['Thanks'])),
    'ppt/slides/slide2.xml': slide(
      `${shape('title', ['Why a bridge'])}${shape('body', ['It is short', 'It is dry'])}${shape('sldNum', ['NUMBER'])}`,
    ),
    'ppt/slides/_rels/slide2.xml.rels': relations([
      '<Relationship Id="n" Type="x/notesSlide" Target="../notesSlides/notesSlide1.xml"/>',
    ]),
    'ppt/notesSlides/notesSlide1.xml': `<p:notes>${shape('body', ['Say hello'])}</p:notes>`,
    'docProps/core.xml': core('Slides'),
  })
}

/** A chart of two series, as Office keeps it in a part of its own. */
function chart(): string {
  const points = (values: readonly string[]) =>
    `<c:cache>${values.map((value, index) => `<c:pt idx="${index}"><c:v>${value}</c:v></c:pt>`).join('')}</c:cache>`
  const series = (name: string, values: readonly string[]) =>
    `<c:ser><c:tx>${points([name])}</c:tx><c:cat>${points(['2025', '2026'])}</c:cat><c:val>${points(values)}</c:val></c:ser>`
  return `<c:chartSpace><c:chart><c:title><a:t>Cost &amp; </a:t><a:t>time</a:t></c:title><c:plotArea>${series('Cost', ['1.5', '2'])}${series('Days', ['7'])}</c:plotArea></c:chart></c:chartSpace>`
}

/** A slide with bullets below one another and a chart. */
export function pptxWithChart(): Uint8Array<ArrayBuffer> {
  const line = (text: string, level: number) => `<a:p><a:pPr lvl="${level}"/><a:r><a:t>${text}</a:t></a:r></a:p>`
  const lines = line('dry', 0) + line('in May', 1) + line('in June', 1) + line('short', 0)
  return zip({
    'ppt/presentation.xml': `<p:presentation ${R}><p:sldIdLst><p:sldId id="256" r:id="rId1"/></p:sldIdLst></p:presentation>`,
    'ppt/_rels/presentation.xml.rels': relations([
      '<Relationship Id="rId1" Type="x/slide" Target="slides/slide1.xml"/>',
    ]),
    'ppt/slides/slide1.xml': `<p:sld ${R}><p:spTree><p:sp><p:txBody>${lines}</p:txBody></p:sp><p:graphicFrame><c:chart r:id="c"/></p:graphicFrame></p:spTree></p:sld>`,
    'ppt/slides/_rels/slide1.xml.rels': relations([
      '<Relationship Id="c" Type="x/chart" Target="../charts/chart1.xml"/>',
    ]),
    'ppt/charts/chart1.xml': chart(),
  })
}

/** A document of Word with charts between two paragraphs. */
export function docxWithCharts(count: number): Uint8Array<ArrayBuffer> {
  const ids = Array.from({ length: count }, (_, index) => `c${index}`)
  const drawing = (id: string) =>
    `<w:p><w:r><w:drawing><wp:inline><a:graphic><a:graphicData><c:chart r:id="${id}"/></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>`
  const line = (text: string) => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`
  return zip({
    'word/document.xml': `<w:document ${R}><w:body>${line('Above it.')}${ids.map(drawing).join('')}${line('Below it.')}</w:body></w:document>`,
    'word/_rels/document.xml.rels': relations(
      ids.map((id) => `<Relationship Id="${id}" Type="x/chart" Target="charts/chart1.xml"/>`),
    ),
    'word/charts/chart1.xml': chart(),
  })
}

export function epub(): Uint8Array<ArrayBuffer> {
  const chapter = (title: string, text: string) =>
    `<html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head><body><h1>${title}</h1><p>${text} <a href="two.xhtml">on</a></p></body></html>`
  return zip({
    mimetype: 'application/epub+zip',
    'META-INF/container.xml': '<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>',
    'OEBPS/book.opf': `<package><metadata><dc:title>Bridges</dc:title><dc:creator>Ann Author</dc:creator><dc:language>de</dc:language></metadata>
      <manifest><item id="b" href="two.xhtml"/><item id="a" href="text/eins%20.xhtml"/></manifest><spine><itemref idref="a"/><itemref idref="b"/></spine></package>`,
    'OEBPS/text/eins .xhtml': chapter('Eins', 'Das erste <b>Kapitel</b>.'),
    'OEBPS/two.xhtml': chapter('Zwei', 'Das zweite.'),
  })
}

/** A zip whose one part unpacks to far more than is read. */
export function bomb(): Uint8Array<ArrayBuffer> {
  return zipSync({ 'word/document.xml': new Uint8Array(40 * 1_024 * 1_024) })
}

interface PdfObject {
  dictionary: string
  stream?: Uint8Array
}

/** A PDF of these objects, numbered from 1; the first is its catalogue. */
function pdfOf(objects: readonly PdfObject[], trailer = ''): Uint8Array<ArrayBuffer> {
  const pieces: Uint8Array[] = [strToU8('%PDF-1.7\n')]
  let at = pieces[0]?.length ?? 0
  const places: number[] = []
  const add = (piece: Uint8Array) => {
    pieces.push(piece)
    at += piece.length
  }
  for (const [index, { dictionary, stream }] of objects.entries()) {
    places.push(at)
    const length = stream === undefined ? '' : `/Length ${stream.length}`
    add(strToU8(`${index + 1} 0 obj\n<<${dictionary}${length}>>\n`))
    if (stream !== undefined) {
      add(strToU8('stream\n'))
      add(stream)
      add(strToU8('\nendstream\n'))
    }
    add(strToU8('endobj\n'))
  }
  const start = at
  const lines = places.map((place) => `${String(place).padStart(10, '0')} 00000 n \n`)
  add(strToU8(`xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${lines.join('')}`))
  add(strToU8(`trailer\n<</Size ${objects.length + 1}/Root 1 0 R/Info 2 0 R${trailer}>>\nstartxref\n${start}\n%%EOF`))
  const bytes = new Uint8Array(at)
  let end = 0
  for (const piece of pieces) {
    bytes.set(piece, end)
    end += piece.length
  }
  return bytes
}

/** `pages`: lines of each, in Latin letters; a line that begins with # is in Chinese, by the codes of its letters. `content`: of the first page instead. `info`: what it tells of itself. */
export function pdf(
  pages: readonly (readonly string[])[],
  {
    content,
    trailer = '',
    filter = '/FlateDecode',
    info = '/Title(The bridge)/Author(Ann Author)',
    font = 'Helvetica/Encoding/WinAnsiEncoding',
    annotations = '',
  } = {} as {
    content?: Uint8Array
    trailer?: string
    filter?: string
    info?: string
    font?: string
    annotations?: string
  },
): Uint8Array<ArrayBuffer> {
  const first = 7
  const kids = pages.map((_, index) => `${first + 2 * index} 0 R`)
  const hex = (text: string) =>
    text
      .split('')
      .map((letter) => letter.charCodeAt(0).toString(16).padStart(4, '0'))
      .join('')
  const unicode = [
    ...new Set(
      pages
        .flat()
        .filter((line) => line.startsWith('#'))
        .flatMap((line) => line.slice(1).split('')),
    ),
  ]
  const cmap = `/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <0000> <ffff> endcodespacerange ${unicode.length} beginbfchar ${unicode.map((letter) => `<${hex(letter)}> <${hex(letter)}>`).join(' ')} endbfchar endcmap`
  const objects: PdfObject[] = [
    { dictionary: '/Type/Catalog/Pages 3 0 R' },
    { dictionary: `${info}/CreationDate(D:20250309080000Z)` },
    { dictionary: `/Type/Pages/Count ${pages.length}/Kids[${kids.join(' ')}]` },
    { dictionary: `/Type/Font/Subtype/Type1/BaseFont/${font}` },
    {
      dictionary:
        '/Type/Font/Subtype/Type0/BaseFont/Song/Encoding/Identity-H/ToUnicode 6 0 R/DescendantFonts[<</Type/Font/Subtype/CIDFontType2/BaseFont/Song/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>/DW 1000/FontDescriptor<</Type/FontDescriptor/FontName/Song/Flags 4/FontBBox[0 0 1000 1000]/ItalicAngle 0/Ascent 800/Descent -200/CapHeight 700/StemV 80>>>>]',
    },
    { dictionary: '/Filter/FlateDecode', stream: zlibSync(strToU8(cmap)) },
  ]
  for (const [index, lines] of pages.entries()) {
    const shown = lines.map((line, at) => {
      const text = line.startsWith('#') ? `/F2 12 Tf <${hex(line.slice(1))}> Tj` : `/F1 12 Tf (${line}) Tj`
      return line === '' ? '' : `BT 1 0 0 1 72 ${780 - 14 * at} Tm ${text} ET`
    })
    const packed = (index === 0 && content) || zlibSync(strToU8(shown.join('\n')))
    objects.push(
      {
        dictionary: `/Type/Page/Parent 3 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F1 4 0 R/F2 5 0 R>>>>/Annots[${annotations}]/Contents ${first + 1 + 2 * index} 0 R`,
      },
      { dictionary: `/Filter${filter}`, stream: packed },
    )
  }
  return pdfOf(objects, trailer)
}
