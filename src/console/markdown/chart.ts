import { isDark } from '../theme.ts'
import type { Drawing, DrawingRequest } from '../diagram/protocol.ts'
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
    if (drawing.type === 'drawn') show(figure, place, drawing.svg)
    else figure.textContent = `${texts().chat.chartFailed}${drawing.type === 'failed' ? `: ${drawing.reason}` : ''}`
  })
}

function show(figure: HTMLElement, place: HTMLElement, svg: string): void {
  const image = document.createElement('img')
  image.alt = texts().chat.chart
  image.src = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }))
  image.addEventListener('load', () => URL.revokeObjectURL(image.src), { once: true })
  const fold = document.createElement('details')
  const summary = document.createElement('summary')
  summary.textContent = texts().chat.chart
  figure.replaceChildren(image)
  place.replaceWith(fold)
  fold.append(summary, place)
}

async function draw(text: string): Promise<Drawing> {
  room ??= openRoom()
  const target = await room
  requests += 1
  const request: DrawingRequest = { id: requests, text, dark: isDark() }
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
