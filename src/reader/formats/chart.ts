import { childOf, escaped, firstWithin, within, type XmlElement, xmlText } from './xml.ts'

const SERIES_MAX = 50
const POINTS_MAX = 1_000

/** The numbers that a chart draws, as a table: a row for each of its categories, a column for each series. */
export function chartHtml(part: XmlElement): string {
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
