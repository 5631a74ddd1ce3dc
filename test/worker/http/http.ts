import { createExecutionContext } from 'cloudflare:test'
import { inject } from 'vitest'
import type { ScriptInput } from '../../../src/cli/mock-model/script.ts'
import type { SessionConfig } from '../../../src/domain/config.ts'
import type { AgentResponseData, SessionData } from '../../../src/domain/session.ts'
import type { Env } from '../../../src/objects/env.ts'
import worker from '../../../src/index.ts'
import { ADMIN_KEY, WITH_KEY } from '../../support/admin-key.ts'
import { peersFor, type ScriptedModel, type Site } from '../../support/peers.ts'
import { own } from '../../support/own-document.ts'
import { watcherOf } from '../../support/told.ts'
import { env } from '../session/worker-home.ts'

export interface Problem {
  type: string
  title: string
  status: number
  detail: string
  code: string
  request_id: string
  errors?: { path: string; message: string }[]
}

export interface CallOptions {
  body?: unknown
  /** Without `authorization` the admin key of tests is shown to a server that takes it. */
  headers?: Record<string, string>
  /** Laid over the bindings of the Worker. */
  env?: Partial<Env>
  host?: string
}

const untold = watcherOf(own)

/** One request to the Worker, whose answer is what the OpenAPI document says that it is. A body that is neither text nor bytes goes as JSON. */
export async function call(method: string, path: string, options: CallOptions = {}): Promise<Response> {
  const { body, headers, host = 'localhost' } = options
  const bindings = bindingsOf(options)
  const request = new Request(`http://${host}${path}`, {
    method,
    headers: {
      host,
      ...(bindings.YAA_API_KEY === ADMIN_KEY ? WITH_KEY : {}),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined
      ? {}
      : { body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body) }),
  })
  const answer = await worker.fetch(request, bindings, createExecutionContext())
  const untrue = await untold(method, path, answer)
  if (untrue.length > 0) throw new Error(`/openapi.json does not tell this answer:\n${untrue.slice(0, 5).join('\n')}`)
  return answer
}

/** A config that names keys of its own is the only way in. */
function bindingsOf({ env: laid = {} }: CallOptions): Env {
  return { ...env, ...(laid.YAA_CONFIG?.includes('"auth":') ? { YAA_API_KEY: '' } : {}), ...laid }
}

/** The JSON of an answer with this status; throws with what came instead. */
export async function json<T>(response: Response | Promise<Response>, status = 200): Promise<T> {
  const answer = await response
  const text = await answer.text()
  if (answer.status !== status) throw new Error(`${status} was expected, not ${answer.status}: ${text}`)
  return JSON.parse(text) as T
}

/** A problem with this status. */
export async function problem(response: Response | Promise<Response>, status: number): Promise<Problem> {
  const answer = await response
  const type = answer.headers.get('content-type') ?? ''
  if (!type.startsWith('application/problem+json'))
    throw new Error(`a problem was expected, not ${answer.status} ${type}`)
  const told = await json<Problem>(answer, status)
  if (told.status !== status || told.request_id !== answer.headers.get('x-request-id'))
    throw new Error(`a problem whose fields fit its answer was expected: ${JSON.stringify(told)}`)
  return told
}

export interface Stage {
  model: ScriptedModel
  site: Site
  /** Of a session that speaks with this stage's model, in text. */
  config: SessionConfig
}

export async function stage(
  script: ScriptInput | ((page: (name: string) => string) => ScriptInput) = [],
): Promise<Stage> {
  const { model, site } = peersFor(inject('peers'))
  await model.script(typeof script === 'function' ? script(site.url) : script)
  return { model, site, config: { llm: { extra_body: { script: model.name }, protocol: 'xml' } } }
}

/** A new session of a stage, made over HTTP. */
export async function newSession({ config }: Stage, input: Record<string, unknown> = {}): Promise<SessionData> {
  return json(call('POST', '/v1/sessions', { body: { config, ...input } }), 201)
}

export const send = (id: string, content: string, headers: Record<string, string> = {}): Promise<Response> =>
  call('POST', `/v1/sessions/${id}/messages`, { body: { content }, headers })

export const sent = (id: string, content: string): Promise<AgentResponseData> => json(send(id, content))

export const read = (id: string): Promise<SessionData> => json(call('GET', `/v1/sessions/${id}`))

export interface List<T> {
  object: 'list'
  data: T[]
  next_cursor: string | null
}
