import type { Archive, Relation } from './archive.ts'
import { chartsIn } from './chart.ts'
import { childOf, escaped, firstWithin, LEFT_OUT, within, type XmlDocument, type XmlElement, xmlText } from './xml.ts'

const MAIN = 'word/document.xml'
const LEVELS_MAX = 9
const NO_NOTES: XmlDocument = { name: '', attributes: {}, children: [], isCut: false }

/** What a document of Word says beside its text: ranks of headings by style, kinds of lists, addresses of links. */
interface Styles {
  ranks: ReadonlyMap<string, number>
  /** What styles say of the lists that their paragraphs are in. */
  lists: ReadonlyMap<string, XmlElement>
  /** Lists that are numbered, as `numId level`. */
  numbered: ReadonlySet<string>
  relations: ReadonlyMap<string, Relation>
  /** Styles whose text is not shown. */
  hidden: ReadonlySet<string>
  /** As HTML, by the ids of their relations. */
  charts: ReadonlyMap<string, string>
}

/** The text of a document as HTML: headings, paragraphs, lists, tables, links and notes. Null: it has none. */
export async function docxHtml(archive: Archive): Promise<string | null> {
  const main = await archive.xml(MAIN)
  const body = firstWithin(main, 'body')
  if (main === null || body === null) return null
  const styled = await archive.xml('word/styles.xml')
  const styles: Styles = {
    ranks: ranksOf(styled),
    lists: listsOf(styled),
    numbered: numberedOf(await archive.xml('word/numbering.xml')),
    relations: await archive.relations(MAIN),
    hidden: hiddenOf(styled),
    charts: await chartsIn(archive, MAIN, body),
  }
  const notes: string[] = []
  for (const [part, name] of [
    ['word/footnotes.xml', 'footnote'],
    ['word/endnotes.xml', 'endnote'],
  ] as const) {
    const xml = archive.has(part) ? await archive.xml(part) : NO_NOTES
    for (const note of xml === null ? [] : within(xml, name)) {
      const text = [...within(note, 'p')].map((p) => inlineHtml(p, styles)).join(' ')
      if (note.attributes['w:type'] === undefined) notes.push(`<p>[^${noteId(name, note)}]: ${text}</p>`)
    }
    if (xml === null || xml.isCut) notes.push(LEFT_OUT)
  }
  return blocksHtml(body, styles) + (main.isCut ? LEFT_OUT : '') + notes.join('')
}

/** Styles of headings by their built-in names, which are English in every language, or by their level in the outline. */
function ranksOf(xml: XmlElement | null): Map<string, number> {
  const ranks = new Map<string, number>()
  for (const style of xml === null ? [] : within(xml, 'style')) {
    const name = childOf(style, 'name')?.attributes['w:val'] ?? ''
    const outline = firstWithin(style, 'outlineLvl')?.attributes['w:val']
    const rank = /^heading (\d)$/i.exec(name)?.[1] ?? (outline === undefined ? undefined : String(Number(outline) + 1))
    if (/^title$/i.test(name)) ranks.set(style.attributes['w:styleId'] ?? '', 1)
    else if (rank !== undefined) ranks.set(style.attributes['w:styleId'] ?? '', Number(rank))
  }
  return ranks
}

function listsOf(xml: XmlElement | null): Map<string, XmlElement> {
  const lists = new Map<string, XmlElement>()
  for (const style of xml === null ? [] : within(xml, 'style')) {
    const list = childOf(childOf(style, 'pPr'), 'numPr')
    if (list !== null) lists.set(style.attributes['w:styleId'] ?? '', list)
  }
  return lists
}

/** Styles that hide, by themselves or by what they are based on. */
function hiddenOf(xml: XmlElement | null): Set<string> {
  const hidden = new Set<string>()
  const based = new Map<string, string[]>()
  const hide = [...(xml === null ? [] : within(xml, 'style'))].flatMap((style) => {
    const id = style.attributes['w:styleId'] ?? ''
    const vanish = childOf(childOf(style, 'rPr'), 'vanish')
    const base = childOf(style, 'basedOn')?.attributes['w:val']
    if (vanish === null && base !== undefined) based.set(base, [...(based.get(base) ?? []), id])
    return isOn(childOf(style, 'rPr'), 'vanish') ? [id] : []
  })
  for (let id = hide.pop(); id !== undefined; id = hide.pop()) {
    if (!hidden.has(id)) hide.push(...(based.get(id) ?? []))
    hidden.add(id)
  }
  return hidden
}

function numberedOf(xml: XmlElement | null): Set<string> {
  const numbered = new Set<string>()
  if (xml === null) return numbered
  const kinds = new Map<string, Set<string>>()
  for (const list of within(xml, 'abstractNum')) {
    const levels = [...within(list, 'lvl')].filter((level) => {
      const format = childOf(level, 'numFmt')?.attributes['w:val'] ?? 'bullet'
      return format !== 'bullet' && format !== 'none'
    })
    kinds.set(
      list.attributes['w:abstractNumId'] ?? '',
      new Set(levels.map((level) => level.attributes['w:ilvl'] ?? '')),
    )
  }
  for (const list of within(xml, 'num')) {
    const levels = kinds.get(childOf(list, 'abstractNumId')?.attributes['w:val'] ?? '') ?? []
    for (const level of levels) numbered.add(`${list.attributes['w:numId'] ?? ''} ${level}`)
  }
  return numbered
}

/** Paragraphs and tables of a body or a cell; paragraphs of lists in lists, one within the other by their levels. */
function blocksHtml(parent: XmlElement, styles: Styles): string {
  let html = ''
  const open: string[] = []
  const closeTo = (depth: number) => {
    while (open.length > depth) html += `</${open.pop()}>`
  }
  for (const node of within(parent, 'p', 'tbl')) {
    const item = node.name === 'p' ? itemOf(node, styles) : null
    closeTo(item === null ? 0 : item.level + 1)
    if (item !== null) {
      if (open.length === item.level + 1 && open.at(-1) !== item.tag) closeTo(item.level)
      while (open.length <= item.level) {
        html += `<${item.tag}>`
        open.push(item.tag)
      }
      html += `<li>${inlineHtml(node, styles)}</li>`
    } else html += node.name === 'tbl' ? tableHtml(node, styles) : paragraphHtml(node, styles)
  }
  closeTo(0)
  return html
}

function itemOf(paragraph: XmlElement, { numbered, ranks, lists }: Styles): { level: number; tag: 'ul' | 'ol' } | null {
  const properties = childOf(paragraph, 'pPr')
  const style = childOf(properties, 'pStyle')?.attributes['w:val'] ?? ''
  const list = childOf(properties, 'numPr') ?? lists.get(style) ?? null
  const id = childOf(list, 'numId')?.attributes['w:val'] ?? '0'
  if (list === null || id === '0' || ranks.has(style)) return null
  const level = Math.min(Number(childOf(list, 'ilvl')?.attributes['w:val'] ?? 0) || 0, LEVELS_MAX)
  return { level, tag: numbered.has(`${id} ${level}`) ? 'ol' : 'ul' }
}

/** The charts that stand in a paragraph, behind which they are told. */
function chartsHtml(paragraph: XmlElement, { charts }: Styles): string {
  if (charts.size === 0) return ''
  return [...within(paragraph, 'chart')].map(({ attributes }) => charts.get(attributes['r:id'] ?? '') ?? '').join('')
}

function paragraphHtml(paragraph: XmlElement, styles: Styles): string {
  const style = firstWithin(childOf(paragraph, 'pPr'), 'pStyle')?.attributes['w:val'] ?? ''
  const rank = styles.ranks.get(style)
  const tag = rank === undefined ? 'p' : `h${Math.min(Math.max(rank, 1), 6)}`
  const html = inlineHtml(paragraph, styles)
  return (html === '' ? '' : `<${tag}>${html}</${tag}>`) + chartsHtml(paragraph, styles)
}

function tableHtml(table: XmlElement, styles: Styles): string {
  const rows = [...within(table, 'tr')].map((row) => {
    const cells = [...within(row, 'tc')].map((cell) => {
      const span = firstWithin(childOf(cell, 'tcPr'), 'gridSpan')?.attributes['w:val']
      return `<td${span === undefined ? '' : ` colspan="${escaped(span)}"`}>${blocksHtml(cell, styles)}</td>`
    })
    return `<tr>${cells.join('')}</tr>`
  })
  return `<table>${rows.join('')}</table>`
}

/** Runs of a paragraph. What was deleted, and what stands for old programs, is left out. */
function inlineHtml(node: XmlElement, styles: Styles): string {
  if (styles.hidden.has(childOf(childOf(node, 'pPr'), 'pStyle')?.attributes['w:val'] ?? '')) return ''
  let html = ''
  for (const child of node.children) {
    if (typeof child === 'string') continue
    const { name, attributes } = child
    if (name === 'r') html += runHtml(child, styles)
    else if (name === 'hyperlink') {
      const target = styles.relations.get(attributes['r:id'] ?? '')?.target
      const text = inlineHtml(child, styles)
      html += target === undefined ? text : `<a href="${escaped(target)}">${text}</a>`
    } else if (name === 'oMath' || name === 'oMathPara') html += `<code>${escaped(xmlText(child))}</code>`
    else if (name !== 'pPr' && name !== 'del' && name !== 'moveFrom') html += inlineHtml(child, styles)
  }
  return html
}

function runHtml(run: XmlElement, styles: Styles): string {
  let html = ''
  for (const child of run.children) {
    if (typeof child === 'string') continue
    const { name } = child
    if (name === 't') html += escaped(xmlText(child))
    else if (name === 'tab') html += ' '
    else if (name === 'br' || name === 'cr') html += '<br>'
    else if (name === 'noBreakHyphen') html += '-'
    else if (name === 'footnoteReference' || name === 'endnoteReference')
      html += `[^${noteId(name.replace('Reference', ''), child)}]`
    else if (name === 'AlternateContent' || name === 'drawing' || name === 'pict') html += boxHtml(child, styles)
  }
  const properties = childOf(run, 'rPr')
  const style = childOf(properties, 'rStyle')?.attributes['w:val'] ?? ''
  const isHidden = childOf(properties, 'vanish') === null ? styles.hidden.has(style) : isOn(properties, 'vanish')
  if (isHidden || html === '') return ''
  const place = childOf(properties, 'vertAlign')?.attributes['w:val'] ?? ''
  if (place === 'superscript' && !html.startsWith('[^')) html = `<sup>${html}</sup>`
  if (isOn(properties, 'i')) html = `<i>${html}</i>`
  return isOn(properties, 'b') ? `<b>${html}</b>` : html
}

/** The text of a box; its older form says the same again. */
function boxHtml(node: XmlElement, styles: Styles): string {
  const shown = childOf(node, 'Choice') ?? node
  return [...within(shown, 'txbxContent')]
    .map((box) => ` ${[...within(box, 'p')].map((p) => inlineHtml(p, styles)).join('<br>')} `)
    .join('')
}

function isOn(properties: XmlElement | null, name: string): boolean {
  const property = childOf(properties, name)
  return property !== null && !['0', 'false', 'none'].includes(property.attributes['w:val'] ?? '1')
}

function noteId(kind: string, { attributes }: XmlElement): string {
  return escaped(`${kind === 'endnote' ? 'e' : ''}${attributes['w:id'] ?? ''}`)
}
