import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { onTestFinished } from 'vitest'
import { onLoopback } from '../../support/on-loopback.ts'

export interface Loopback {
  origin: string
  host: string
  /** How often somebody connected, whether anything was asked or not. */
  connections: () => number
  /** Every request that arrived, in order. */
  requests: { method: string; path: string; headers: IncomingMessage['headers']; body: string }[]
}

/** A real HTTP server on loopback for one test; `answer` may leave the response open. */
export async function loopback(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<Loopback> {
  const requests: Loopback['requests'] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString()
      requests.push({ method: request.method ?? '', path: request.url ?? '', headers: request.headers, body })
      answer(request, response)
    })
  })
  let connections = 0
  server.on('connection', () => (connections += 1))
  const { url, host, close } = await onLoopback(server)
  onTestFinished(close)
  return { origin: url, host, connections: () => connections, requests }
}

/** An answer with a body, `text/html` in UTF-8 unless `headers` say otherwise. */
export function page(body: string | Uint8Array, headers: Record<string, string> = {}, status = 200) {
  return (_: IncomingMessage, response: ServerResponse) => {
    response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', ...headers })
    response.end(body)
  }
}

export function redirectTo(location: string, status = 302) {
  return page('', { location }, status)
}
