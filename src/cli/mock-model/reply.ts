import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { type CompletionHead, completionChunks, completionOf } from './completion.ts'
import type { ScriptStep } from './script.ts'

/** How a request wants its answer. */
export interface Wanted {
  stream: boolean
  usage: boolean
}

/** Waits until it is let go, or the other side is gone. */
export type UntilReleased = (closed: AbortSignal) => Promise<void>

/** Play one step into a response. `closed` aborts when the other side is gone. */
export async function playStep(
  response: ServerResponse,
  step: ScriptStep,
  head: CompletionHead,
  wanted: Wanted,
  hold: UntilReleased,
): Promise<void> {
  const closed = closing(response)
  if (step.delay_ms) await sleep(step.delay_ms, undefined, { signal: closed }).catch(() => undefined)
  if (step.hold_after === 0) await hold(closed)
  if (step.hang === true || closed.aborted) return
  const body = rawBody(step)
  if (body === null && wanted.stream)
    return playStream(response, step, completionChunks(step, head, wanted.usage), { closed, hold })
  sendText(response, step, body ?? JSON.stringify(completionOf(step, head)))
}

export function sendJson(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}

/** The body that a step gives itself, or the error of its status; null: it is a completion. */
function rawBody({ body, status = 200 }: ScriptStep): string | null {
  if (typeof body === 'string') return body
  if (body !== undefined) return JSON.stringify(body)
  if (status < 300) return null
  return status < 400
    ? ''
    : JSON.stringify({ error: { message: `scripted status ${status}`, type: 'scripted', code: status } })
}

function sendText(response: ServerResponse, step: ScriptStep, text: string): void {
  response.writeHead(step.status ?? 200, { 'content-type': 'application/json', ...lowerCased(step.headers) })
  const cut = step.stream_cut_after
  if (step.hang === 'body') response.flushHeaders()
  else if (cut === undefined) response.end(text)
  else response.write(text.slice(0, cut) || ' ', () => response.destroy())
}

interface Pace {
  closed: AbortSignal
  hold: UntilReleased
}

async function playStream(response: ServerResponse, step: ScriptStep, events: string[], pace: Pace): Promise<void> {
  response.writeHead(step.status ?? 200, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache',
    ...lowerCased(step.headers),
  })
  if (step.hang === 'body') return response.flushHeaders()
  const cut = step.stream_cut_after
  const sent = events.slice(0, cut).map((data) => `data: ${data}\n\n`)
  const isWhole = !step.chunk_delay_ms && !step.hold_after
  const last = isWhole ? sent.join('') : ''
  if (!isWhole) await trickle(response, step, sent, pace)
  if (pace.closed.aborted) return
  if (cut === undefined) response.end(last)
  else response.write(last || ':\n\n', () => response.destroy())
}

async function trickle(
  response: ServerResponse,
  step: ScriptStep,
  events: string[],
  { closed, hold }: Pace,
): Promise<void> {
  for (const [index, event] of events.entries()) {
    if (index > 0 && index === step.hold_after) await hold(closed)
    if (closed.aborted) return
    response.write(event)
    if (step.chunk_delay_ms) await sleep(step.chunk_delay_ms, undefined, { signal: closed }).catch(() => undefined)
  }
}

function lowerCased(headers: ScriptStep['headers'] = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

function closing(response: ServerResponse): AbortSignal {
  const gone = new AbortController()
  response.on('close', () => gone.abort())
  return gone.signal
}
