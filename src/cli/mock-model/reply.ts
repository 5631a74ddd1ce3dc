import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Head, chunksOf, completionOf } from './completion.ts'
import type { Step } from './script.ts'

/** How a request wants its answer. */
export interface Wanted {
  stream: boolean
  usage: boolean
}

/** Play one step into a response. `closed` aborts when the other side is gone. */
export async function playStep(response: ServerResponse, step: Step, head: Head, wanted: Wanted): Promise<void> {
  const closed = closing(response)
  if (step.delay_ms) await sleep(step.delay_ms, undefined, { signal: closed }).catch(() => undefined)
  if (step.hang === true || closed.aborted) return
  const body = rawBody(step)
  if (body === null && wanted.stream) return playStream(response, step, chunksOf(step, head, wanted.usage), closed)
  sendText(response, step, body ?? JSON.stringify(completionOf(step, head)))
}

export function sendJson(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}

/** The body that a step gives itself, or the error of its status; null: it is a completion. */
function rawBody({ body, status = 200 }: Step): string | null {
  if (typeof body === 'string') return body
  if (body !== undefined) return JSON.stringify(body)
  if (status < 300) return null
  return status < 400
    ? ''
    : JSON.stringify({ error: { message: `scripted status ${status}`, type: 'scripted', code: status } })
}

function sendText(response: ServerResponse, step: Step, text: string): void {
  response.writeHead(step.status ?? 200, { 'content-type': 'application/json', ...lowerCased(step.headers) })
  const cut = step.stream_cut_after
  if (step.hang === 'body') response.flushHeaders()
  else if (cut === undefined) response.end(text)
  else response.write(text.slice(0, cut) || ' ', () => response.destroy())
}

async function playStream(response: ServerResponse, step: Step, events: string[], closed: AbortSignal): Promise<void> {
  response.writeHead(step.status ?? 200, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache',
    ...lowerCased(step.headers),
  })
  if (step.hang === 'body') return response.flushHeaders()
  const cut = step.stream_cut_after
  const sent = events.slice(0, cut).map((data) => `data: ${data}\n\n`)
  const last = step.chunk_delay_ms ? '' : sent.join('')
  if (step.chunk_delay_ms) await trickle(response, sent, step.chunk_delay_ms, closed)
  if (closed.aborted) return
  if (cut === undefined) response.end(last)
  else response.write(last || ':\n\n', () => response.destroy())
}

async function trickle(
  response: ServerResponse,
  events: string[],
  delayMs: number,
  closed: AbortSignal,
): Promise<void> {
  for (const event of events) {
    if (closed.aborted) return
    response.write(event)
    await sleep(delayMs, undefined, { signal: closed }).catch(() => undefined)
  }
}

function lowerCased(headers: Step['headers'] = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

function closing(response: ServerResponse): AbortSignal {
  const gone = new AbortController()
  response.on('close', () => gone.abort())
  return gone.signal
}
