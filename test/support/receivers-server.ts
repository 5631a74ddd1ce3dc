import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { ReceiverAnswer, RawReceived } from './receivers.ts'
import { onLoopback, type OnLoopback } from './on-loopback.ts'
import { Waiting } from './waiting.ts'

/** Receivers of callbacks on loopback, each under a name of its own: `POST /NAME` is a delivery, `PUT /NAME` sets what the next
 *  ones are answered (200 without), `GET /NAME?count=N` lists what came, once it is so much, and `?taken=N` once so many
 *  different ones were taken. */
export async function startReceivers(): Promise<OnLoopback> {
  const came = new Waiting<RawReceived>()
  const answers = new Map<string, ReceiverAnswer[]>()
  const server = createServer((request, response) => void serve(request, response, came, answers))
  return onLoopback(server)
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  came: Waiting<RawReceived>,
  answers: Map<string, ReceiverAnswer[]>,
): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
  const name = pathname.slice(1)
  const tell = (value: unknown) => void response.end(JSON.stringify(value))
  const taken = `${name} taken`
  if (request.method === 'GET' && searchParams.has('taken'))
    return came.when(taken, Number(searchParams.get('taken')), tell)
  if (request.method === 'GET') return came.when(name, Number(searchParams.get('count') ?? 0), tell)
  const text = await textOf(request)
  if (request.method === 'PUT') {
    answers.set(name, JSON.parse(text) as ReceiverAnswer[])
    return tell({ set: name })
  }
  const { status = 200, headers = {}, body = 'ok' } = answers.get(name)?.shift() ?? {}
  response.writeHead(status, headers).end(body)
  const named = Object.entries(request.headers).map(([key, value]) => [key, String(value)] as const)
  const received = { headers: Object.fromEntries(named), text }
  came.add(name, received)
  const id = received.headers['webhook-id']
  const isNew = !came.all(taken).some((one) => one.headers['webhook-id'] === id)
  if (status < 300 && isNew) came.add(taken, received)
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) if (Buffer.isBuffer(chunk)) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}
