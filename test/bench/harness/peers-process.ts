// A process of its own: a model that answers at once and a server of pages, both on loopback. Unlike the scripted model it
// parses nothing, so that its time, which both sides of a ratio wait for, stays small. Writes its address as a line of JSON.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { articlePage } from './page.ts'
import { sayTo, type Said } from './script.ts'

const PAGES = 3
const USAGE = { prompt_tokens: 1_200, completion_tokens: 50, total_tokens: 1_250 }
const ENVELOPE = { id: 'chatcmpl-bench', created: 1_770_000_000, model: 'bench' }
const pages = Array.from({ length: PAGES }, (_, index) => articlePage(index + 1))

function answer(request: IncomingMessage, response: ServerResponse): void {
  const page = /^\/page\/(\d+)$/.exec(request.url ?? '')
  if (page) return send(response, 'text/html; charset=utf-8', pages[Number(page[1]) - 1] ?? '')
  const chunks: string[] = []
  request.setEncoding('utf8')
  request.on('data', (chunk: string) => chunks.push(chunk))
  request.on('end', () => void reply(response, chunks.join('')))
}

async function reply(response: ServerResponse, body: string): Promise<void> {
  const said = sayTo(body, base)
  if (said === null) return void response.writeHead(400).end()
  if (!body.includes('"stream":true')) return send(response, 'application/json', JSON.stringify(completionOf(said)))
  if (said.tokenMs === null) return send(response, 'text/event-stream', said.pieces.map(eventOf).join('') + end(said))
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const piece of said.pieces) {
    if (piece.isToken) await (said.tokenMs === 0 ? nextTurn() : sleep(said.tokenMs))
    response.write(eventOf(piece))
  }
  response.end(end(said))
}

function completionOf({ message }: Said): object {
  const choices = [{ index: 0, message, finish_reason: reasonOf(message) }]
  return { ...ENVELOPE, object: 'chat.completion', choices, usage: USAGE }
}

const eventOf = ({ delta }: { delta: object }) => chunk({ choices: [{ index: 0, delta, finish_reason: null }] })
const chunk = (rest: object) => `data: ${JSON.stringify({ ...ENVELOPE, object: 'chat.completion.chunk', ...rest })}\n\n`
const reasonOf = (message: object) => ('tool_calls' in message ? 'tool_calls' : 'stop')

function end({ message }: Said): string {
  const choices = [{ index: 0, delta: {}, finish_reason: reasonOf(message) }]
  return `${chunk({ choices })}${chunk({ choices: [], usage: USAGE })}data: [DONE]\n\n`
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
