import { memberOf, parseJson } from '../../lib/json.ts'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { CompletionHead } from './completion.ts'
import {
  Player,
  type RecordedRequest,
  BadScript,
  parseScript,
  type ScriptInput,
  type ScriptStep,
  type StepInput,
} from './script.ts'
import { playStep, sendJson } from './reply.ts'

/** For tests in the same process: the step by request, `index` from 0. Null: the script is at its end. */
export type ScriptFunction = (request: RecordedRequest, index: number) => StepInput | null

export type { RecordedRequest } from './script.ts'

export interface MockModelOptions {
  script: ScriptInput | ScriptFunction
  /** 0: any free one. */
  port?: number
  host?: string
  onRequest?(request: RecordedRequest): void
  /** The model whose answer this is, by which it is let go; without it the one that the request names. */
  modelOf?(request: RecordedRequest): string
}

export interface MockModel {
  /** The base for `api_url`, ending in `/v1`. */
  url: string
  port: number
  /** Chat completions asked for so far, oldest first; the last 10,000 are kept. */
  requests: RecordedRequest[]
  /** Let go of what is held, of one model or of all, as `POST /release?model=NAME` does. Gives how many answers that were. */
  release(model?: string): number
  close(): Promise<void>
}

const BODY_BYTES_MAX = 64 * 1024 * 1024
const REQUESTS_KEPT_MAX = 10_000
/** Node closes idle connections after 5 s: a client that sends just then finds its model unreachable. */
const KEEP_ALIVE_MS = 120_000

interface State {
  source: ScriptInput | ScriptFunction
  next(request: RecordedRequest): ScriptStep | null
  requests: RecordedRequest[]
  onRequest: (request: RecordedRequest) => void
  modelOf: (request: RecordedRequest) => string | null
  /** Answers that wait to be let go, and the model that gives each. */
  held: Map<() => void, string>
}

/** Start an OpenAI-compatible server that plays a script (see script.ts) and records what it is asked. Beside
 *  `POST …/chat/completions` it answers `GET …/models`, `GET /requests` (what was recorded), `POST /reset` (the script from
 *  its start, nothing recorded), `POST /script` (another script) and `POST /release` (of answers with `hold_after`). Rejects with `BadScript`, or as `listen` does. */
export async function startMockModel(options: MockModelOptions): Promise<MockModel> {
  const { port = 0, host = '127.0.0.1' } = options
  const state: State = {
    source: options.script,
    next: playerOf(options.script),
    requests: [],
    onRequest: (request) => options.onRequest?.(request),
    modelOf: (request) => options.modelOf?.(request) ?? null,
    held: new Map(),
  }
  const server = createServer((request, response) => {
    handle(state, request, response).catch((error: unknown) => failed(response, error))
  })
  server.keepAliveTimeout = KEEP_ALIVE_MS
  await listen(server, port, host)
  const address = server.address()
  const actual = typeof address === 'object' && address ? address.port : port
  return {
    url: `http://${host}:${actual}/v1`,
    port: actual,
    requests: state.requests,
    release: (model) => release(state, model ?? null),
    close: () => close(server),
  }
}

async function handle(state: State, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname: path, searchParams } = new URL(request.url ?? '/', 'http://localhost')
  const route = `${request.method} ${path.replace(/^.*(?=\/chat\/completions$|\/models$)/, '')}`
  if (route === 'POST /chat/completions') return complete(state, request, response, path)
  if (route === 'GET /models') return sendJson(response, 200, MODELS)
  if (route === 'GET /requests') return sendJson(response, 200, { object: 'list', data: state.requests })
  if (route === 'POST /reset') return reset(state, state.source, response)
  if (route === 'POST /release') {
    const count = release(state, searchParams.get('model'))
    return sendJson(response, 200, { object: 'release', count })
  }
  if (route === 'POST /script') return reset(state, parseScript(jsonOrText(await textOf(request))), response)
  sendJson(response, 404, { error: { message: `${request.method} ${path} is not there`, type: 'not_found' } })
}

const MODELS = { object: 'list', data: [{ id: 'scripted', object: 'model', created: 0, owned_by: 'yaa' }] }

async function complete(state: State, request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
  const recorded = {
    method: 'POST',
    path,
    headers: headersOf(request),
    body: jsonOrText(await textOf(request)),
    time: Date.now(),
  }
  state.requests.push(recorded)
  if (state.requests.length > REQUESTS_KEPT_MAX) state.requests.shift()
  state.onRequest(recorded)
  const step = state.next(recorded)
  if (step === null) return sendJson(response, 500, EXHAUSTED)
  const asked = askedOf(recorded.body)
  const head = headOf(recorded)
  await playStep(response, step, head, asked, (closed) => held(state, state.modelOf(recorded) ?? head.model, closed))
}

function held(state: State, model: string, closed: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const go = () => {
    state.held.delete(go)
    resolve()
  }
  state.held.set(go, model)
  closed.addEventListener('abort', go)
  if (closed.aborted) go()
  return promise
}

function release(state: State, model: string | null): number {
  const going = [...state.held].flatMap(([go, of]) => (model === null || of === model ? [go] : []))
  for (const go of going) go()
  return going.length
}

const EXHAUSTED = {
  error: { message: 'script exhausted: there is no step left for this request', type: 'script_exhausted' },
}

function playerOf(source: ScriptInput | ScriptFunction): State['next'] {
  if (typeof source !== 'function') {
    const player = new Player(parseScript(source))
    return (request) => player.next(request)
  }
  let index = 0
  return (request) => {
    const step = source(request, index++)
    return step === null ? null : (parseScript([step]).steps[0] ?? null)
  }
}

function reset(state: State, source: ScriptInput | ScriptFunction, response: ServerResponse): void {
  state.next = playerOf(source)
  state.source = source
  state.requests.length = 0
  sendJson(response, 200, { object: 'reset' })
}

let answered = 0

function headOf({ body, time }: RecordedRequest): CompletionHead {
  const model: unknown = memberOf(body, 'model')
  return {
    id: `chatcmpl-${(++answered).toString(36)}`,
    model: typeof model === 'string' ? model : 'scripted',
    created: Math.floor(time / 1_000),
    prompt: JSON.stringify([memberOf(body, 'messages'), memberOf(body, 'tools')]),
  }
}

function askedOf(body: unknown): { stream: boolean; usage: boolean } {
  return {
    stream: memberOf(body, 'stream') === true,
    usage: memberOf(memberOf(body, 'stream_options'), 'include_usage') === true,
  }
}

const jsonOrText = (text: string): unknown => parseJson(text) ?? text

function headersOf(request: IncomingMessage): Record<string, string> {
  return Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk)) continue
    bytes += chunk.length
    if (bytes > BODY_BYTES_MAX) throw new BadScript(`body: at most ${BODY_BYTES_MAX} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function failed(response: ServerResponse, error: unknown): void {
  const message = error instanceof Error ? error.message : String(error)
  if (response.headersSent) response.destroy()
  else sendJson(response, error instanceof BadScript ? 400 : 500, { error: { message, type: 'mock_model' } })
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}
