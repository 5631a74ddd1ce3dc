import type { Archive } from './archive.ts'
import { chartsIn } from './chart.ts'
import { childOf, escaped, firstWithin, LEFT_OUT, within, type XmlElement, xmlText } from './xml.ts'

const MAIN = 'ppt/presentation.xml'
const SLIDES_MAX = 1_000
const LEVELS_MAX = 8

/** Each slide as a heading, its text and tables, and what its speaker notes. Null: there is none. */
export async function pptxHtml(archive: Archive): Promise<string | null> {
  const main = await archive.xml(MAIN)
  if (main === null) return null
  const relations = await archive.relations(MAIN)
  const ids = [...within(firstWithin(main, 'sldIdLst') ?? main, 'sldId')]
  let html = ''
  for (const [index, { attributes }] of ids.slice(0, SLIDES_MAX).entries()) {
    const part = relations.get(attributes['r:id'] ?? '')?.target ?? ''
    const slide = await archive.xml(part)
    if (slide !== null)
      html += slideHtml(slide, index + 1) + [...(await chartsIn(archive, part, slide)).values()].join('')
    else if (archive.has(part)) html += `<h2>${index + 1}</h2>`
    if (slide?.isCut ?? archive.has(part)) html += LEFT_OUT
    if (slide !== null) html += await notesHtml(archive, part)
  }
  return ids.length > SLIDES_MAX || main.isCut ? html + LEFT_OUT : html
}

function slideHtml(slide: XmlElement, number: number): string {
  let title = ''
  let html = ''
  for (const shape of within(slide, 'sp', 'graphicFrame')) {
    if (shape.name === 'graphicFrame') html += [...within(shape, 'tbl')].map(tableHtml).join('')
    else if (title === '' && /^(?:title|ctrTitle)$/.test(placeholder(shape))) title = paragraphs(shape).join(' ')
    else if (!/^(?:sldNum|ftr|dt)$/.test(placeholder(shape))) html += shapeHtml(shape)
  }
  return `<h2>${number}${title === '' ? '' : `. ${escaped(title)}`}</h2>${html}`
}

function placeholder(shape: XmlElement): string {
  return firstWithin(childOf(shape, 'nvSpPr'), 'ph')?.attributes['type'] ?? ''
}

function shapeHtml(shape: XmlElement): string {
  const lines = linesOf(shape)
  if (lines.length <= 1) return lines.map(({ text }) => `<p>${escaped(text)}</p>`).join('')
  let html = ''
  let depth = 0
  for (const { text, level } of lines) {
    const wanted = Math.min(level, depth) + 1
    for (; depth > wanted; depth -= 1) html += '</li></ul>'
    html += `${depth === wanted ? '</li>' : '<ul>'}<li>${escaped(text)}`
    depth = wanted
  }
  return html + '</li></ul>'.repeat(depth)
}

function paragraphs(shape: XmlElement): string[] {
  return linesOf(shape).map(({ text }) => text)
}

/** `level`: how far in a line stands, from 0 on. */
function linesOf(shape: XmlElement): { text: string; level: number }[] {
  const lines = [...within(shape, 'p')].map((line) => ({
    text: paragraphText(line),
    level: Math.min(LEVELS_MAX, Math.max(0, Number(childOf(line, 'pPr')?.attributes['lvl'] ?? 0) || 0)),
  }))
  return lines.filter(({ text }) => text !== '')
}

function paragraphText(paragraph: XmlElement): string {
  let text = ''
  for (const part of within(paragraph, 't', 'br')) text += part.name === 'br' ? ' ' : xmlText(part)
  return text.trim()
}

function tableHtml(table: XmlElement): string {
  const rows = [...within(table, 'tr')].map((row) => {
    const cells = [...within(row, 'tc')].map((cell) => `<td>${escaped(paragraphs(cell).join(' '))}</td>`)
    return `<tr>${cells.join('')}</tr>`
  })
  return `<table>${rows.join('')}</table>`
}

async function notesHtml(archive: Archive, slide: string): Promise<string> {
  const relations = [...(await archive.relations(slide)).values()]
  const part = relations.find(({ type }) => type === 'notesSlide')?.target
  const notes = part === undefined ? null : await archive.xml(part)
  if (notes === null) return ''
  const bodies = [...within(notes, 'sp')].filter((shape) => placeholder(shape) === 'body')
  const lines = bodies.flatMap(paragraphs).map((line) => `<p>${escaped(line)}</p>`)
  return lines.length === 0 ? '' : `<blockquote>${lines.join('')}</blockquote>`
}
