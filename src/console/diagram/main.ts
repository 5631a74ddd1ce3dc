// The room in which charts are drawn: a page of its own in a sandbox, without an origin, a network or a storage. It takes the
// text of a chart and answers with a picture; whatever a chart holds stays here, and what leaves is shown as an image.
import mermaid from 'mermaid'
import type { ChartColours, Drawing, DrawingRequest } from './protocol.ts'

let drawn = 0

/** One after the other: the library keeps its settings in one place. */
let last = Promise.resolve()

addEventListener('message', (event: MessageEvent<DrawingRequest>) => {
  if (event.source !== parent) return
  last = last.then(() => answer(event.data))
})
post({ type: 'ready' })

async function answer({ id, ...wanted }: DrawingRequest): Promise<void> {
  try {
    post({ type: 'drawn', id, svg: await draw(wanted) })
  } catch (error) {
    post({ type: 'failed', id, reason: error instanceof Error ? error.message : String(error) })
  }
}

async function draw({ text, dark, colours }: Omit<DrawingRequest, 'id'>): Promise<string> {
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: 'strict',
    htmlLabels: false,
    suppressErrorRendering: true,
    theme: 'base',
    themeVariables: { darkMode: dark, ...themeOf(colours) },
    fontFamily: 'system-ui, sans-serif',
    // Else a line shows through its own words, and shapes glow in the dark.
    themeCSS:
      '.edgeLabel rect { opacity: 1 } .node :is(rect, polygon, path, circle, ellipse) { filter: none !important }',
  })
  drawn += 1
  const { svg } = await mermaid.render(`chart${drawn}`, text)
  return new XMLSerializer().serializeToString(sized(svg))
}

/** What the library calls the colours of the page. */
function themeOf(page: ChartColours) {
  const series = [page.accent, page.warn, page.good, page.bad, page.dim]
  const slices = Object.fromEntries(series.map((colour, index) => [`pie${index + 1}`, colour]))
  return {
    background: page.card,
    primaryColor: page['accent-bg'],
    primaryTextColor: page.text,
    primaryBorderColor: page.accent,
    secondaryColor: page.side,
    secondaryTextColor: page.text,
    tertiaryColor: page.side,
    tertiaryTextColor: page.text,
    tertiaryBorderColor: page.line,
    lineColor: page.dim,
    textColor: page.text,
    titleColor: page.text,
    edgeLabelBackground: page.card,
    clusterBkg: page.side,
    clusterBorder: page.line,
    noteBkgColor: page['warn-bg'],
    noteTextColor: page.text,
    noteBorderColor: page.warn,
    ...slices,
    pieSectionTextColor: page['on-accent'],
    pieStrokeColor: page.card,
    pieOuterStrokeColor: page.card,
    pieOpacity: '1',
    xyChart: {
      backgroundColor: page.card,
      titleColor: page.text,
      xAxisLabelColor: page.dim,
      xAxisTitleColor: page.dim,
      xAxisTickColor: page.line,
      xAxisLineColor: page.line,
      yAxisLabelColor: page.dim,
      yAxisTitleColor: page.dim,
      yAxisTickColor: page.line,
      yAxisLineColor: page.line,
      plotColorPalette: series.join(','),
    },
  }
}

/** A picture knows its own size; it does not fill whatever is there. */
function sized(svg: string): Element {
  const root = new DOMParser().parseFromString(svg, 'image/svg+xml').documentElement
  const [, , width = 0, height = 0] = (root.getAttribute('viewBox') ?? '').split(/[\s,]+/).map(Number)
  if (root.localName !== 'svg' || !(width > 0)) throw new Error('nothing was drawn')
  root.setAttribute('width', String(Math.ceil(width)))
  root.setAttribute('height', String(Math.ceil(height)))
  return root
}

function post(drawing: Drawing): void {
  parent.postMessage(drawing, '*')
}
