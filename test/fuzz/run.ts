import { readFileSync } from 'node:fs'
import * as z from 'zod'
import { toBase64 } from '../../src/lib/base64.ts'
import { sha256Hex } from '../../src/lib/hash.ts'
import { parseJson } from '../../src/lib/json.ts'
import type { ServerConfig } from '../../src/domain/server-config.ts'
import { randomOf } from '../chaos/random.ts'
import { MortalServer } from '../chaos/server.ts'
import { Told, type OpenApiDocument } from '../support/document.ts'
import { watcherOf } from '../support/told.ts'
import { startMockModel } from '../../src/cli/mock-model/server.ts'
import { fuzzModel } from './model.ts'
import { CANARY_OF_CONNECTIONS, KnownIds, Requests, type FuzzRequest } from './requests.ts'

export interface FuzzOptions {
  requests: number
  seed: number
  tell?: (line: string) => void
}

export interface FuzzReport {
  requests: number
  seed: number
  /** Answers by status. */
  statuses: Record<string, number>
  /** What was wrong, each kind with the first request that showed it. */
  violations: string[]
  /** Resident memory of workerd in MiB after each tenth of the requests, and the last of it over that of the half: 1 is flat. */
  memory: { mib: number[]; ratio: number }
  ms: number
}

const AT_A_TIME = 6
const ANSWER_MS_MAX = 60_000
const STREAM_CHUNKS_MAX = 3
const KEY = 'fuzz-admin-key-canary-0'
const HOOK_SECRET = `whsec_${btoa('canary-of-the-hook-secret')}`
const CANARIES = [
  'canary-model-key-1',
  'canary-server-header-2',
  'canary-client-secret-3',
  'canary-api-token-4',
  CANARY_OF_CONNECTIONS,
  HOOK_SECRET,
  KEY,
]

const BOOK_ID = { name: 'id', in: 'path', required: true, schema: { type: 'string' } }

/** A server with secrets in every place of its config that takes one. */
async function fuzzConfig(modelUrl: string): Promise<ServerConfig> {
  return {
    language: 'en',
    default_model: 'caller',
    models: {
      caller: { api_url: modelUrl, model: 'caller', protocol: 'native', retry: { times: 0 } },
      far: { api_url: 'http://127.0.0.1:9/v1', api_key: 'canary-model-key-1', model: 'm', retry: { times: 0 } },
    },
    mcp_servers: {
      near: {
        url: 'http://127.0.0.1:9/mcp',
        headers: { authorization: 'Bearer canary-server-header-2' },
        oauth_client: { client_id: 'yaa', client_secret: 'canary-client-secret-3' },
      },
    },
    openapi_tools: {
      shelf: {
        document: {
          openapi: '3.1.0',
          paths: { '/books/{id}': { get: { operationId: 'book' }, parameters: [BOOK_ID] } },
        },
        base_url: 'http://127.0.0.1:9',
        auth: { bearer: 'canary-api-token-4' },
      },
    },
    hooks: { all: { url: 'http://127.0.0.1:9/hook', tools: ['web_*'], secret: HOOK_SECRET, fail: 'open' } },
    limits: { request_ms: 2_000, deadline_ms: 10_000 },
    auth: { keys: [{ id: 'fuzz', sha256: await sha256Hex(KEY), scopes: ['admin'] }] },
  }
}

/** Ask a running server for everything, rightly and wrongly, and look at every answer. */
export async function runFuzz({ requests: count, seed, tell = () => {} }: FuzzOptions): Promise<FuzzReport> {
  const violations = new Map<string, string>()
  const statuses: Record<string, number> = {}
  const look = (kind: string, detail: string) => violations.has(kind) || violations.set(kind, `${kind}: ${detail}`)
  const own = new Set<string>()
  const model = await startMockModel({ script: fuzzModel(own) })
  const server = await MortalServer.start(await fuzzConfig(model.url), (line) => {
    lookForSecrets('log', line, look)
    if (line.includes('"event":"bug"')) look(`bug ${messageIn(line)}`, line.slice(0, 1_500))
  })
  const started = Date.now()
  try {
    for (const name of await toolNames(server.url)) own.add(name)
    const random = randomOf(`fuzz/${seed}`)
    const ids = new KnownIds()
    const told = new Told(await (await fetch(`${server.url}/openapi.json`)).json<OpenApiDocument>())
    const source = new Requests(told, random, ids, KEY)
    const untold = watcherOf(told)
    const mib: number[] = []
    let sent = 0
    const worker = async () => {
      while (sent < count) {
        sent++
        if (sent % Math.ceil(count / 10) === 0) mib.push(memoryMib(server.pid))
        if (sent % 500 === 0) tell(`${sent} requests, ${violations.size} violations`)
        const request = source.next()
        const status = await ask({ url: server.url, untold, ids, look }, request)
        statuses[status] = (statuses[status] ?? 0) + 1
      }
    }
    await Promise.all(Array.from({ length: AT_A_TIME }, worker))
    mib.push(memoryMib(server.pid))
    return {
      requests: count,
      seed,
      statuses,
      violations: [...violations.values()],
      memory: { mib, ratio: Math.round(((mib.at(-1) ?? 0) / (mib.at(4) ?? 1)) * 100) / 100 },
      ms: Date.now() - started,
    }
  } finally {
    await server.stop()
    await model.close()
  }
}

async function toolNames(url: string): Promise<string[]> {
  const answer = await fetch(`${url}/v1/tools?limit=100`, { headers: { authorization: `Bearer ${KEY}` } })
  return toolList.parse(await answer.json()).data.map(({ id }) => id)
}

const toolList = z.object({ data: z.array(z.looseObject({ id: z.string() })) })

function messageIn(line: string): string {
  return /"message":"([^"]{0,100})/.exec(line)?.[1] ?? ''
}

type Look = (kind: string, detail: string) => void

interface Asking {
  url: string
  untold: ReturnType<typeof watcherOf>
  ids: KnownIds
  look: Look
}

async function ask({ url, untold, ids, look }: Asking, request: FuzzRequest): Promise<number> {
  const { method, path, headers, body, zip } = request
  const sent = zip ?? (body === undefined ? undefined : new TextEncoder().encode(body))
  const shown = `${method} ${path.slice(0, 200)} ${JSON.stringify(headers).slice(0, 300)} ${body?.slice(0, 600) ?? ''}${zip ? toBase64(zip).slice(0, 2_000) : ''}`
  try {
    const answer = await fetch(url + path, {
      method,
      headers,
      redirect: 'manual',
      signal: AbortSignal.timeout(ANSWER_MS_MAX),
      ...(sent === undefined ? {} : { body: new Uint8Array(sent) }),
    })
    if (answer.status >= 500) look(`${answer.status} ${route(request)}`, shown)
    if (!answer.headers.get('x-request-id')) look('no x-request-id', shown)
    if (answer.status < 500) for (const why of await untold(method, path, answer)) look(`untold ${why}`, shown)
    const text = await textOf(answer)
    lookForSecrets(`answer of ${route(request)}`, text, (kind) => look(kind, shown))
    const lookAtRefusal = SHAPES.find(([paths]) => paths.test(path))?.[1] ?? lookAtProblem
    if (answer.status >= 400 && method !== 'HEAD') lookAtRefusal(answer, text, (kind) => look(kind, shown))
    if (answer.ok) ids.learn(text)
    return answer.status
  } catch (error) {
    if (method === 'GET' && (await isGone(url, path))) return 404
    look(
      `no answer: ${error instanceof Error ? `${error.name} ${error.cause instanceof Error ? error.cause.message : ''}` : String(error)} ${route(request)}`,
      shown,
    )
    return 0
  }
}

/** Whether the session of a path is gone: then a body that was on its way is cut. */
async function isGone(url: string, path: string): Promise<boolean> {
  const [session] = /^\/v1\/sessions\/ses_\w+/.exec(path) ?? []
  if (session === undefined) return false
  return (await fetch(url + session, { headers: { authorization: `Bearer ${KEY}` } })).status === 404
}

const route = ({ method, path }: FuzzRequest) =>
  `${method} ${(path.split('?')[0] ?? '').replaceAll(/[a-z]{3,4}_[0-9a-z]{26,34}/g, '…')}`.slice(0, 120)

/** A whole body; of a stream that stays open, its beginning. */
async function textOf(answer: Response): Promise<string> {
  if (!answer.headers.get('content-type')?.startsWith('text/event-stream')) return answer.text()
  const decoder = new TextDecoder()
  let text = ''
  let chunks = 0
  for await (const chunk of answer.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true })
    if (++chunks >= STREAM_CHUNKS_MAX) break
  }
  return text
}

/** Where clients of the AI SDK ask. */
const AI_SDK_DOOR = /^\/v1\/ai-sdk\/chat(?![^/?])/

const aiSdkError = z.strictObject({
  error: z.string().min(1),
  code: z.string().min(1),
  path: z.string().min(1).optional(),
  request_id: z.string().min(1),
})

function lookAtAiSdkError(answer: Response, text: string, look: (kind: string) => void): void {
  const isJson = answer.headers.get('content-type')?.startsWith('application/json')
  if (!isJson || !aiSdkError.safeParse(parseJson(text)).success)
    look(`${answer.status} is no error of the AI SDK: ${text.slice(0, 200)}`)
  lookAtInside(text, look)
}

/** Where clients of OpenAI ask. */
const OPENAI_DOOR = /^\/v1\/(chat\/completions|responses)(?![^/?])/

/** Where clients of MCP ask. */
const MCP_DOOR = /^\/mcp(?![^/?])/

const rpcError = z.looseObject({
  jsonrpc: z.literal('2.0'),
  error: z.looseObject({ code: z.number().int(), message: z.string().min(1) }),
})

function lookAtRpcError(answer: Response, text: string, look: (kind: string) => void): void {
  if (!rpcError.safeParse(parseJson(text)).success)
    look(`${answer.status} is no error of JSON-RPC: ${text.slice(0, 200)}`)
  lookAtInside(text, look)
}

/** Where clients of AG-UI ask. */
const AG_UI_DOOR = /^\/v1\/ag-ui(?![^/?])/

const runError = z.strictObject({
  type: z.literal('RUN_ERROR'),
  message: z.string().min(1),
  code: z.string().min(1),
  metadata: z.looseObject({}).optional(),
})

function lookAtRunError(answer: Response, text: string, look: (kind: string) => void): void {
  const isJson = answer.headers.get('content-type')?.startsWith('application/json')
  if (!isJson || !runError.safeParse(parseJson(text)).success)
    look(`${answer.status} is no error of AG-UI: ${text.slice(0, 200)}`)
  lookAtInside(text, look)
}

/** Where refusals have other shapes, which the document of the API tells. */
const OTHER_DOORS = /^\/(a2a|\.well-known\/agent-card\.json)(?![^/?])/

function lookAtForeign(_answer: Response, text: string, look: (kind: string) => void): void {
  lookAtInside(text, look)
}

const openAiError = z.strictObject({
  error: z.strictObject({
    message: z.string().min(1),
    type: z.string().min(1),
    param: z.string().nullable(),
    code: z.string().min(1),
  }),
})

function lookAtOpenAiError(answer: Response, text: string, look: (kind: string) => void): void {
  const isJson = answer.headers.get('content-type')?.startsWith('application/json')
  if (!isJson || !openAiError.safeParse(parseJson(text)).success)
    look(`${answer.status} is no error of OpenAI: ${text.slice(0, 200)}`)
  lookAtInside(text, look)
}

/** Of both bindings of A2A: a status by its name, or JSON-RPC. */
const a2aError = z.looseObject({
  error: z.strictObject({
    code: z.int(),
    status: z.string().min(1).optional(),
    message: z.string().min(1),
    details: z.array(z.looseObject({ '@type': z.string() })).optional(),
    data: z.array(z.looseObject({ '@type': z.string() })).optional(),
  }),
})

function lookAtA2aError(answer: Response, text: string, look: (kind: string) => void): void {
  const isJson = answer.headers.get('content-type')?.startsWith('application/json')
  if (!isJson || !a2aError.safeParse(parseJson(text)).success)
    look(`${answer.status} is no error of A2A: ${text.slice(0, 200)}`)
  lookAtInside(text, look)
}

/** How refusals are looked at that are no problems, by where they are of. */
const SHAPES = [
  [/^\/a2a/, lookAtA2aError],
  [MCP_DOOR, lookAtRpcError],
  [AI_SDK_DOOR, lookAtAiSdkError],
  [AG_UI_DOOR, lookAtRunError],
  [OTHER_DOORS, lookAtForeign],
  [OPENAI_DOOR, lookAtOpenAiError],
] as const

/** Nothing that refuses tells of the code that did. */
function lookAtInside(text: string, look: (kind: string) => void): void {
  if (/\.ts\b|\n\s+at |node_modules/.test(text)) look(`a refusal that tells of the inside: ${text.slice(0, 300)}`)
}

function lookAtProblem(answer: Response, text: string, look: (kind: string) => void): void {
  if (!answer.headers.get('content-type')?.startsWith('application/problem+json')) {
    if (!answer.headers.get('content-type')?.startsWith('text/html')) look(`${answer.status} is no problem`)
    return
  }
  const { code, status, request_id: id } = JSON.parse(text) as Record<string, unknown>
  if (typeof code !== 'string' || status !== answer.status || id !== answer.headers.get('x-request-id'))
    look(`a problem that does not fit its answer: ${text.slice(0, 200)}`)
  lookAtInside(text, look)
}

function lookForSecrets(where: string, text: string, look: Look): void {
  for (const canary of CANARIES) if (text.includes(canary)) look(`${canary} in ${where}`, text.slice(0, 200))
}

function memoryMib(pid: number | undefined): number {
  const line = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return Math.round(Number(line?.[1] ?? 0) / 1_024)
}
