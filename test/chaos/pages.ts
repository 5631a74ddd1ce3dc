import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { fingerprint } from '../../src/lib/hash.ts'
import { onLoopback } from '../support/on-loopback.ts'

export interface ChaosPages {
  url: string
  /** `host:port`, as `web.allow_private_hosts` names it. */
  host: string
  /** Times that each address was asked for. */
  hits: Map<string, number>
  /** Times that each POST arrived, by its `Idempotency-Key`. */
  posts: Map<string, number>
  close(): Promise<void>
}

const LINES = 12

/** A web server on loopback: `/dead/…` is 404, every other address is a page that takes up to 40 ms. A POST has its
 *  effect when it arrives, answered or not. */
export async function startChaosPages(onVisit: () => void): Promise<ChaosPages> {
  const hits = new Map<string, number>()
  const posts = new Map<string, number>()
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    const url = `http://${request.headers.host}${path}`
    hits.set(url, (hits.get(url) ?? 0) + 1)
    const key = String(request.headers['idempotency-key'])
    if (request.method === 'POST') posts.set(key, (posts.get(key) ?? 0) + 1)
    onVisit()
    void sleep(Number.parseInt(fingerprint(path), 36) % 40).then(() => {
      response.writeHead(path.startsWith('/dead/') ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' })
      response.end(pageOf(path))
    })
  })
  return { ...(await onLoopback(server)), hits, posts }
}

function pageOf(path: string): string {
  const line = (_: unknown, index: number) => `<p>Line ${index + 1} of ${path}: the harbour keeps its ships. 港口。</p>`
  return `<!doctype html><title>${path}</title><main><h1>${path}</h1>${Array.from({ length: LINES }, line).join('')}</main>`
}
