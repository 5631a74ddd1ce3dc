import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { Player, parseScript } from '../../src/cli/mock-model/script.ts'
import { startMockModel, type RecordedRequest } from '../../src/cli/mock-model/server.ts'
import { startIssuers } from './issuers-server.ts'
import { onLoopback } from './on-loopback.ts'
import { startPages } from './pages.ts'
import type { PeerAddresses } from './peers.ts'
import { startReceivers } from './receivers-server.ts'
import { Waiting } from './waiting.ts'

/** The other side of every test: one scripted model server, where each `model` plays a script of its own, and the pages.
 *  `PUT /NAME` of the control address sets the script of model NAME; `GET /NAME?count=N` lists what it was asked, once it
 *  was asked `N` times. */
export async function startPeers(): Promise<{ addresses: PeerAddresses; close: () => Promise<void> }> {
  const players = new Map<string, Player>()
  const asked = new Waiting<RecordedRequest>()
  const model = await startMockModel({
    script: (request) => players.get(modelOf(request))?.next(request) ?? null,
    onRequest: (request) => asked.add(modelOf(request), request),
    modelOf,
  })
  const pages = await startPages()
  const control = createServer((request, response) => void serve(players, asked, request, response))
  const heard = await onLoopback(control)
  const receivers = await startReceivers()
  const issuers = await startIssuers()
  return {
    addresses: {
      modelUrl: model.url,
      pagesUrl: pages.url,
      pagesHost: pages.host,
      controlUrl: heard.url,
      receiversUrl: receivers.url,
      issuersUrl: issuers.url,
    },
    close: async () => {
      await Promise.all([pages, receivers, issuers, heard, model].map((peer) => peer.close()))
    },
  }
}

async function serve(
  players: Map<string, Player>,
  asked: Waiting<RecordedRequest>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
  const name = pathname.slice(1)
  const answer = (value: unknown) => void response.end(JSON.stringify(value))
  if (request.method !== 'PUT') return asked.when(name, Number(searchParams.get('count') ?? 0), answer)
  const chunks: Buffer[] = []
  for await (const chunk of request) if (Buffer.isBuffer(chunk)) chunks.push(chunk)
  players.set(name, new Player(parseScript(JSON.parse(Buffer.concat(chunks).toString('utf8')))))
  answer({ set: name })
}

function modelOf({ body }: RecordedRequest): string {
  const { script, model }: { script?: unknown; model?: unknown } = Object(body)
  const name = script ?? model
  return typeof name === 'string' ? name : ''
}
