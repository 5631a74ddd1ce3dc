import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A model server whose requests stay open until they are answered by hand, oldest first. */
export interface ByHand {
  url: string
  /** Requests that are open now, and the most that were. */
  readonly open: number
  readonly openMax: number
  /** Resolves once so many requests came in all. */
  asked(count: number): Promise<void>
  answer(status?: number): void
  close(): Promise<void>
}

const REPLY = JSON.stringify({ choices: [{ message: { content: '好' }, finish_reason: 'stop' }] })

export async function serveByHand(): Promise<ByHand> {
  const waiting: ServerResponse[] = []
  let awaited: { count: number; resolve: () => void }[] = []
  let came = 0
  let openMax = 0
  const server = createServer((request, response) => {
    request.resume()
    waiting.push(response)
    response.on('close', () => {
      const at = waiting.indexOf(response)
      if (at >= 0) waiting.splice(at, 1)
    })
    came++
    openMax = Math.max(openMax, waiting.length)
    for (const { count, resolve } of awaited) if (came >= count) resolve()
    awaited = awaited.filter(({ count }) => came < count)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/v1`,
    get open() {
      return waiting.length
    },
    get openMax() {
      return openMax
    },
    asked: (count) => (came >= count ? Promise.resolve() : new Promise((resolve) => awaited.push({ count, resolve }))),
    answer: (status = 200) => {
      waiting.shift()?.writeHead(status, { 'content-type': 'application/json' }).end(REPLY)
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
