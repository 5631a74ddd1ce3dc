import { isDark, theme } from '../theme.ts'
import { CHART_COLOURS, type ChartColours, type Drawing, type DrawingRequest } from '../diagram/protocol.ts'
import { texts } from '../language.ts'

const WAIT_MS = 20_000
const CHART_CHARS_MAX = 50_000

type Waiting = (drawing: Drawing) => void

let room: Promise<Window> | null = null
let requests = 0
const waiting = new Map<number, Waiting>()

/** Draws a chart in place of its text, which stays there to be unfolded; what cannot be drawn stays text. */
export function drawInto(place: HTMLElement, text: string): void {
  if (text.length > CHART_CHARS_MAX) return
  const figure = document.createElement('figure')
  figure.className = 'chart'
  figure.textContent = texts().chat.drawing
  place.before(figure)
  void draw(text).then((drawing) => {
    if (drawing.type !== 'drawn') {
      figure.textContent = texts().chat.chartFailed
      // What the parser expected helps nobody who reads.
      figure.title = drawing.type === 'failed' ? drawing.reason : ''
      return
    }
    show(figure, drawing.svg)
    fold(place)
    drawnTexts.set(figure, text)
  })
}

/** Charts that are shown, with what they were drawn from. */
const drawnTexts = new Map<HTMLElement, string>()

/** A page that becomes light or dark has its charts drawn anew. */
function drawAllAnew(): void {
  for (const [figure, text] of drawnTexts) {
    if (!figure.isConnected) drawnTexts.delete(figure)
    else void draw(text).then((drawing) => drawing.type === 'drawn' && show(figure, drawing.svg))
  }
}
theme.subscribe(drawAllAnew)
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', drawAllAnew)

function show(figure: HTMLElement, svg: string): void {
  const image = document.createElement('img')
  image.alt = texts().chat.chart
  image.src = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }))
  image.addEventListener('load', () => URL.revokeObjectURL(image.src), { once: true })
  figure.replaceChildren(image)
}

/** The text of a chart, below it. */
function fold(place: HTMLElement): void {
  const room = document.createElement('details')
  const summary = document.createElement('summary')
  summary.textContent = texts().chat.chartSource
  place.replaceWith(room)
  room.append(summary, place)
}

/** What the page's colours are now: a variable of a style is known by what it makes of something. */
function pageColours(): ChartColours {
  const probe = document.createElement('i')
  document.body.append(probe)
  const colourOf = (name: string) => {
    probe.style.color = `var(--${name})`
    return getComputedStyle(probe).color
  }
  const colours = Object.fromEntries(CHART_COLOURS.map((name) => [name, colourOf(name)]))
  probe.remove()
  return colours as ChartColours
}

async function draw(text: string): Promise<Drawing> {
  room ??= openRoom()
  const target = await room
  requests += 1
  const request: DrawingRequest = { id: requests, text, dark: isDark(), colours: pageColours() }
  return new Promise((resolve) => {
    const timer = setTimeout(() => settle({ type: 'failed', id: request.id, reason: 'no answer' }), WAIT_MS)
    const settle: Waiting = (drawing) => {
      clearTimeout(timer)
      waiting.delete(request.id)
      resolve(drawing)
    }
    waiting.set(request.id, settle)
    target.postMessage(request, '*')
  })
}

/** The page that draws, made when the first chart is to be shown. It has no origin, so it is known by its window. */
function openRoom(): Promise<Window> {
  const frame = document.createElement('iframe')
  frame.setAttribute('sandbox', 'allow-scripts')
  frame.className = 'drawing-room'
  frame.title = texts().chat.chart
  frame.setAttribute('aria-hidden', 'true')
  frame.tabIndex = -1
  frame.src = '/assets/diagram.html'
  document.body.append(frame)
  return new Promise((resolve) => {
    addEventListener('message', ({ source, data }: MessageEvent<Drawing>) => {
      const target = frame.contentWindow
      if (target === null || source !== target) return
      if (data.type === 'ready') resolve(target)
      else waiting.get(data.id)?.(data)
    })
  })
}
