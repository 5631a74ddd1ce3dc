import { createServer } from 'node:http'
import { onLoopback } from './on-loopback.ts'

/** A site of an origin of its own that is one page with one script, as somebody's own app is. */
export interface ScriptPage {
  url: string
  /** As `cors.origins` names it. */
  origin: string
  /** What the page runs from here on. */
  run(script: string): void
  close(): Promise<void>
}

const HTML = '<!doctype html><title>app</title><body><main></main><script type="module" src="/page.js"></script></body>'

export async function startScriptPage(): Promise<ScriptPage> {
  let script = ''
  const server = createServer(({ url }, response) => {
    const isScript = url === '/page.js'
    response.writeHead(200, { 'content-type': isScript ? 'text/javascript' : 'text/html; charset=utf-8' })
    response.end(isScript ? script : HTML)
  })
  const { url, close } = await onLoopback(server)
  return { url, origin: new URL(url).origin, close, run: (next) => (script = next) }
}
