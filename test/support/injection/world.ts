import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Fetch } from '../../../src/domain/ports.ts'
import { onLoopback } from '../on-loopback.ts'

/** What the world was sent: `url` as the sender knew it. */
export interface Sent {
  method: string
  url: string
  headers: Record<string, string>
  body: string
}

export interface Served {
  status?: number
  headers?: Record<string, string>
  body?: string
}

/** Hosts under `.example` and beside them, on loopback. */
export interface World {
  /** A way out on which public names lead to loopback. */
  fetch: Fetch
  /** By address, without query and fragment. */
  serve(address: string, answer: Served): void
  /** Everything that was sent to addresses that begin like this, or to all. */
  sent(begin?: string): Sent[]
  close(): Promise<void>
}

const LOOPBACK = /^http:\/\/(?:127\.0\.0\.1|localhost)[:/]/

/** One real server answers for every public name and writes down what reaches it. */
export async function startWorld(): Promise<World> {
  const sent: Sent[] = []
  const served = new Map<string, Served>()
  const server = createServer((request, response) => void answer(request, response))
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const url = `${String(request.headers['x-world-origin'])}${request.url}`
    const { 'x-world-origin': _, ...headers } = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    )
    sent.push({ method: request.method ?? '', url, headers, body: await bodyOf(request) })
    const found = served.get(url.replace(/[?#].*$/, ''))
    const { status = found ? 200 : 404, headers: answered = { 'content-type': 'text/html' }, body = '' } = found ?? {}
    response.writeHead(status, answered).end(body)
  }
  const { url: base, close } = await onLoopback(server)
  return {
    fetch: async (url, init = {}) => {
      if (LOOPBACK.test(url)) return fetch(url, init)
      const { origin } = new URL(url)
      const headers = new Headers(init.headers)
      headers.set('x-world-origin', origin)
      return fetch(`${base}${url.slice(origin.length).replace(/^(?!\/)/, '/')}`, { ...init, headers })
    },
    serve: (at, given) => void served.set(at, given),
    sent: (begin = '') => sent.filter(({ url }) => url.startsWith(begin)),
    close,
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) if (Buffer.isBuffer(chunk)) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}
