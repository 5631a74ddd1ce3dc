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
import { KnownIds, Requests, type FuzzRequest } from './requests.ts'

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
const CANARIES = ['canary-model-key-1', 'canary-server-header-2', 'canary-client-secret-3', KEY]

/** A server with secrets in every place of its config that takes one. */
async function fuzzConfig(): Promise<ServerConfig> {
  return {
    language: 'en',
    default_model: 'built-in',
    models: {
      far: { api_url: 'http://127.0.0.1:9/v1', api_key: 'canary-model-key-1', model: 'm', retry: { times: 0 } },
    },
    mcp_servers: {
      near: {
        url: 'http://127.0.0.1:9/mcp',
        headers: { authorization: 'Bearer canary-server-header-2' },
        oauth_client: { client_id: 'yaa', client_secret: 'canary-client-secret-3' },
      },
    },
    limits: { request_ms: 2_000, deadline_ms: 10_000 },
    auth: { keys: [{ id: 'fuzz', sha256: await sha256Hex(KEY), scopes: ['admin'] }] },
  }
}

/** Ask a running server for everything, rightly and wrongly, and look at every answer. */
export async function runFuzz({ requests: count, seed, tell = () => {} }: FuzzOptions): Promise<FuzzReport> {
  const violations = new Map<string, string>()
  const statuses: Record<string, number> = {}
  const look = (kind: string, detail: string) => violations.has(kind) || violations.set(kind, `${kind}: ${detail}`)
  const server = await MortalServer.start(await fuzzConfig(), (line) => {
    lookForSecrets('log', line, look)
    if (line.includes('"event":"bug"')) look(`bug ${messageIn(line)}`, line.slice(0, 1_500))
  })
  const started = Date.now()
  try {
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
  }
}

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
    const lookAtRefusal = OPENAI_DOOR.test(path) ? lookAtOpenAiError : lookAtProblem
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

/** Where clients of OpenAI ask. */
const OPENAI_DOOR = /^\/v1\/(chat\/completions|responses)(?![^/?])/

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
