// The room in which charts are drawn: a page of its own in a sandbox, without an origin, a network or a storage. It takes the
// text of a chart and answers with a picture; whatever a chart holds stays here, and what leaves is shown as an image.
import mermaid from 'mermaid'
import type { Drawing, DrawingRequest } from './protocol.ts'

let drawn = 0

/** One after the other: the library keeps its settings in one place. */
let last = Promise.resolve()

addEventListener('message', (event: MessageEvent<DrawingRequest>) => {
  if (event.source !== parent) return
  last = last.then(() => answer(event.data))
})
post({ type: 'ready' })

async function answer({ id, text, dark }: DrawingRequest): Promise<void> {
  try {
    post({ type: 'drawn', id, svg: await draw(text, dark) })
  } catch (error) {
    post({ type: 'failed', id, reason: error instanceof Error ? error.message : String(error) })
  }
}

async function draw(text: string, dark: boolean): Promise<string> {
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: 'strict',
    htmlLabels: false,
    suppressErrorRendering: true,
    theme: dark ? 'dark' : 'neutral',
    fontFamily: 'system-ui, sans-serif',
    // Else a line shows through its own words.
    themeCSS: '.edgeLabel rect { opacity: 1 }',
  })
  drawn += 1
  const { svg } = await mermaid.render(`chart${drawn}`, text)
  return new XMLSerializer().serializeToString(sized(svg))
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
