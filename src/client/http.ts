import type { Fetch } from '../domain/ports.ts'
import { ApiProblem, problemOf, Unreachable } from './problem.ts'

export interface Connection {
  /** Base address without a slash at the end. */
  server: string
  key?: string | undefined
  language?: string | undefined
  fetch: Fetch
  /** Absent: the runtime has none. */
  webSocket: OpenSocket | undefined
}

/** Opens a WebSocket as browsers have them. */
export type OpenSocket = (address: string, protocols: string[]) => Socket

export interface Socket {
  readonly readyState: number
  send(text: string): void
  close(): void
  addEventListener(type: 'open' | 'error', listener: () => void): void
  addEventListener(type: 'message', listener: (event: { data: unknown }) => void): void
  addEventListener(type: 'close', listener: (event: { code: number }) => void): void
}

export interface Request {
  method?: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  path: string
  query?: Record<string, string | number | boolean | undefined> | undefined
  /** A text goes as Markdown, bytes as a zip, anything else as JSON. */
  body?: unknown
  headers?: Record<string, string>
  signal?: AbortSignal | undefined
}

/** A 2xx answer. Throws `ApiProblem` for any other, `Unreachable` when there is none, and the signal's reason when it aborts. */
export async function send(connection: Connection, request: Request): Promise<Response> {
  const response = await attempt(connection, request)
  if (!response.ok) throw await problemOf(response)
  return response
}

/** The JSON of a 2xx answer. Its shape is that of the OpenAPI document. */
export async function sendForJson<T>(connection: Connection, request: Request): Promise<T> {
  const response = await send(connection, request)
  try {
    return (await response.json()) as T
  } catch (error) {
    request.signal?.throwIfAborted()
    throw new Unreachable(connection.server, error)
  }
}

/** A 2xx answer of which nothing is read. */
export async function sendForNothing(connection: Connection, request: Request): Promise<void> {
  await (await send(connection, request)).body?.cancel()
}

async function attempt({ server, key, language, fetch }: Connection, request: Request): Promise<Response> {
  const { method = 'GET', body, headers = {}, signal } = request
  try {
    return await fetch(addressOf(server, request), {
      method,
      headers: {
        accept: 'application/json',
        ...(language === undefined ? {} : { 'accept-language': language }),
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { 'content-type': typeOf(body) }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: sent(body) }),
      ...(signal === undefined ? {} : { signal }),
    })
  } catch (error) {
    signal?.throwIfAborted()
    throw error instanceof ApiProblem ? error : new Unreachable(server, error)
  }
}

/** A text is Markdown, unless the headers say otherwise. */
function typeOf(body: unknown): string {
  if (typeof body === 'string') return 'text/markdown'
  return body instanceof Uint8Array ? 'application/zip' : 'application/json'
}

function sent(body: unknown): BodyInit {
  if (typeof body === 'string') return body
  return body instanceof Uint8Array ? new Uint8Array(body) : JSON.stringify(body)
}

function addressOf(server: string, { path, query = {} }: Request): string {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) params.set(name, String(value))
  // Not by `size`, which browsers have since 2023 alone.
  const text = params.toString()
  return `${server}${path}${text === '' ? '' : `?${text}`}`
}

/** The path of a resource, or of what belongs to it, by its id or name. */
type PathOf = (id: string, rest?: string) => string

/** The paths of resources below a path such as `/v1/webhooks`. */
export function pathsBelow(base: string): PathOf {
  return (id, rest = '') => `${base}/${encodeURIComponent(id)}${rest}`
}

/** The routes that every resource of a tenant has, as functions. Errors: see `send` in http.ts. */
export function resourceOf<Info, New, Patch, Listed = Info>(connection: Connection, base: string) {
  const path = pathsBelow(base)
  return {
    list: (query: PageQuery = {}) => sendForJson<Page<Listed>>(connection, { path: base, query: { ...query } }),
    create: (body: New) => sendForJson<Info>(connection, { method: 'POST', path: base, body }),
    get: (id: string) => sendForJson<Info>(connection, { path: path(id) }),
    update: (id: string, body: Patch) => sendForJson<Info>(connection, { method: 'PATCH', path: path(id), body }),
    delete: (id: string) => sendForNothing(connection, { method: 'DELETE', path: path(id) }),
  }
}

/** A page of a list; `next_cursor` null: it is the last. */
export interface Page<T> {
  object: 'list'
  data: T[]
  next_cursor: string | null
}

/** A page of a list: `cursor` is the `next_cursor` of the one before. */
export interface PageQuery {
  limit?: number
  cursor?: string
}

/** The entries of a list, page by page: `for await (const session of entries((cursor) => client.sessions.list({ cursor })))`. */
export async function* entries<T>(list: (cursor?: string) => Promise<Page<T>>): AsyncGenerator<T, void, undefined> {
  let page = await list()
  for (;;) {
    yield* page.data
    if (page.next_cursor === null) return
    page = await list(page.next_cursor)
  }
}
