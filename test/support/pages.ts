import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { Waiting } from './waiting.ts'

/** A web server on loopback whose pages behave in every way that a page can. Every visitor has a folder of its own, `/NAME/…`. */
export interface Pages {
  url: string
  /** `host:port`, as `web.allow_private_hosts` names it. */
  host: string
  close(): void
}

type Answer = (response: ServerResponse, visit: { path: string; hits: number }) => void

const html =
  (status: number, body: string): Answer =>
  (response) => {
    const page = `<!doctype html><html><head><meta charset="utf-8"><title>${body.slice(0, 20)}</title></head><body><main>${body}</main></body></html>`
    response.writeHead(status, { 'content-type': 'text/html; charset=utf-8' }).end(page)
  }

const redirect =
  (location: string): Answer =>
  (response) => {
    response.writeHead(302, { location }).end()
  }

const paragraphs = (count: number, text: string) =>
  Array.from({ length: count }, (_, index) => `<p>${text} ${index + 1}.</p>`).join('')

const ARTICLE = html(
  200,
  `<h1>Lighthouses</h1>${paragraphs(4, 'A lighthouse keeps ships away from the rocks, chapter')}`,
)

const PAGES: Record<string, Answer> = {
  article: ARTICLE,
  other: html(200, '<h1>Harbours</h1><p>A harbour keeps ships safe from the storm.</p>'),
  zh: html(200, `<h1>灯塔</h1>${paragraphs(4, '灯塔为夜里的船只指明方向，第')}`),
  missing: html(404, '<h1>Nothing here</h1><p>This page is gone.</p>'),
  broken: html(503, '<h1>Busy</h1>'),
  long: html(200, `<h1>Long</h1>${paragraphs(900, 'One of the many lines of a page that is far too long')}`),
  data: (response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"ships":["Aurora","Borealis"]}')
  },
  hop: redirect('hop2'),
  hop2: redirect('article'),
  loop: redirect('loop'),
  'to-metadata': redirect('http://169.254.169.254/latest/meta-data/'),
  'to-port-1': redirect('http://127.0.0.1:1/'),
  hang: () => {},
  /** Hangs for its first visitor only. */
  'hang-once': (response, visit) => {
    if (visit.hits > 1) ARTICLE(response, visit)
  },
  endless: (response) => {
    response.writeHead(200, { 'content-type': 'text/html' })
    const timer = setInterval(() => response.write('<p>and so on</p>'), 20)
    response.on('close', () => clearInterval(timer))
  },
  huge: html(200, `<p>${'x'.repeat(1_000_000)}</p>`),
}

/** Beside its pages: `GET /hits?of=NAME&count=N` lists the pages that were visited, once there are `N`. */
export async function startPages(): Promise<Pages> {
  const visits = new Waiting<string>()
  const server = createServer((request, response) => answer(visits, request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a port was expected')
  const host = `127.0.0.1:${address.port}`
  return {
    url: `http://${host}`,
    host,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

function answer(visits: Waiting<string>, request: IncomingMessage, response: ServerResponse): void {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
  if (pathname === '/hits') {
    return visits.when(searchParams.get('of') ?? '', Number(searchParams.get('count') ?? 0), (list) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(list))
    })
  }
  const [, visitor = '', path = ''] = pathname.split('/')
  visits.add(visitor, path)
  const hits = visits.all(visitor).filter((other) => other === path).length
  const page = PAGES[path] ?? html(404, '<p>no such page</p>')
  page(response, { path, hits })
}
