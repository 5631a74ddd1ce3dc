// A process of its own: a model that answers at once and a server of pages, both on loopback. Unlike the scripted model it
// parses nothing, so that its time, which both sides of a ratio wait for, stays small. Writes its address as a line of JSON.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { articlePage } from './page.ts'
import { answerEvents, PAGES_PER_RUN, TALK, talkEvents } from './script.ts'

const pages = Array.from({ length: PAGES_PER_RUN }, (_, index) => articlePage(index + 1))
/** Lengths of the last bodies that the model was asked with, for the floor to send as much. */
let bodies: number[] = []

function answer(request: IncomingMessage, response: ServerResponse): void {
  const path = request.url ?? ''
  const page = /^\/page\/(\d+)$/.exec(path)
  if (page) return send(response, 'text/html; charset=utf-8', pages[Number(page[1]) - 1] ?? '')
  if (path === '/bodies') return send(response, 'application/json', JSON.stringify(bodies.splice(0)))
  const chunks: string[] = []
  request.setEncoding('utf8')
  request.on('data', (chunk: string) => chunks.push(chunk))
  request.on('end', () => void reply(response, chunks.join('')))
}

async function reply(response: ServerResponse, body: string): Promise<void> {
  bodies = [...bodies.slice(-PAGES_PER_RUN), Buffer.byteLength(body)]
  const run = body.slice(body.lastIndexOf('"role":"user"'))
  if (run.includes(`"content":"${TALK}`)) return trickle(response, talkEvents())
  send(response, 'text/event-stream', answerEvents(run.split('"role":"tool"').length - 1, base).join(''))
}

/** Events one by one, as a model that writes sends them. */
async function trickle(response: ServerResponse, events: readonly string[]): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const event of events) {
    response.write(event)
    await nextTurn()
  }
  response.end()
}

function send(response: ServerResponse, type: string, text: string): void {
  response.writeHead(200, { 'content-type': type }).end(text)
}

let base = ''
const server = createServer(answer)
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  base = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
  console.log(JSON.stringify({ url: base }))
})
process.stdin.resume().once('end', () => process.exit(0))
