import type { Archive } from './archive.ts'
import { childOf, escaped, firstWithin, LEFT_OUT, within, type XmlElement, xmlText } from './xml.ts'

/** In one slide or document. */
const CHARTS_MAX = 20
const SERIES_MAX = 50
const POINTS_MAX = 1_000

/** The charts of `part`, which stand in parts of their own, as HTML by the ids of their relations. */
export async function chartsIn(archive: Archive, part: string, root: XmlElement): Promise<Map<string, string>> {
  const charts = new Map<string, string>()
  const ids = [...new Set([...within(root, 'chart')].flatMap(({ attributes }) => attributes['r:id'] ?? []))]
  const [beyond] = ids.splice(CHARTS_MAX)
  if (ids.length === 0) return charts
  const relations = await archive.relations(part)
  for (const id of ids) {
    const target = relations.get(id)?.target ?? ''
    const chart = await archive.xml(target)
    const isCut = chart?.isCut ?? archive.has(target)
    charts.set(id, (chart === null ? '' : chartHtml(chart)) + (isCut ? LEFT_OUT : ''))
  }
  if (beyond !== undefined) charts.set(beyond, LEFT_OUT)
  return charts
}

/** The numbers that a chart draws, as a table: a row for each of its categories, a column for each series. */
function chartHtml(part: XmlElement): string {
  const series = [...within(part, 'ser')].slice(0, SERIES_MAX)
  const [first] = series
  if (first === undefined) return ''
  const categories = pointsOf(childOf(first, 'cat') ?? childOf(first, 'xVal'))
  const columns = series.map((one) => pointsOf(childOf(one, 'val') ?? childOf(one, 'yVal')))
  const indexes = [...new Set([categories, ...columns].flatMap((points) => [...points.keys()]))].slice(0, POINTS_MAX)
  const names = series.map((one) => pointsOf(childOf(one, 'tx')).get('0') ?? '')
  const rows = indexes.map((index) => [
    categories.get(index) ?? '',
    ...columns.map((points) => points.get(index) ?? ''),
  ])
  const title = titleOf(part)
  const table = [['', ...names], ...rows].map((cells) => `<tr>${cells.map(cellHtml).join('')}</tr>`).join('')
  return `${title === '' ? '' : `<p>${escaped(title)}</p>`}<table>${table}</table>`
}

function cellHtml(text: string): string {
  return `<td>${escaped(text)}</td>`
}

/** What a program that draws it has kept of the cells that it is made from, by their number. */
function pointsOf(cells: XmlElement | null): Map<string, string> {
  const points = new Map<string, string>()
  for (const point of cells === null ? [] : within(cells, 'pt')) {
    const index = point.attributes['idx'] ?? ''
    if (points.size < POINTS_MAX && !points.has(index)) points.set(index, xmlText(childOf(point, 'v')).trim())
  }
  return points
}

function titleOf(part: XmlElement): string {
  const title = childOf(firstWithin(part, 'chart'), 'title')
  return title === null ? '' : [...within(title, 't')].map(xmlText).join('').trim()
}
