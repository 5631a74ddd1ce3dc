import type { Random } from '../chaos/random.ts'
import type { Json, Operation, Told } from '../support/document.ts'
import { junk, junkText, junkZip, Sampler } from './generate.ts'

export interface FuzzRequest {
  method: string
  path: string
  headers: Record<string, string>
  body?: string
  /** In its place. */
  zip?: Uint8Array
}

/** Ids that the server has given, newest first, by their prefix. */
export class KnownIds {
  readonly #ids = new Map<string, string[]>()

  /** Learn from an answer. */
  learn(text: string): void {
    for (const [id, own, door = ''] of text.matchAll(
      /\b(?:([a-z]{3,4})_[0-9a-z]{26,34}|(resp|call|mcpr)_[0-9a-z]{30,}_[0-9a-z]{26,34})\b/g,
    )) {
      const prefix = own ?? door
      const known = this.#ids.get(prefix) ?? []
      if (!known.includes(id)) this.#ids.set(prefix, [id, ...known].slice(0, 20))
    }
  }

  get(prefix: string, random: Random): string | undefined {
    const known = this.#ids.get(prefix) ?? []
    return known[random.int(0, Math.max(known.length - 1, 0))]
  }
}

const PREFIX: Readonly<Record<string, string>> = { pending: 'pnd', call: 'call', task: 'tsk', link: 'lnk' }
const OF_RESOURCE: Readonly<Record<string, string>> = {
  keys: 'key',
  webhooks: 'whk',
  callbacks: 'cbk',
  schedules: 'sch',
  deliveries: 'dlv',
  responses: 'resp',
}
/** Fields of bodies that hold an id. */
const OF_FIELD: Readonly<Record<string, readonly [string, ...string[]]>> = {
  tool_call_id: ['pnd'],
  call_id: ['call', 'pnd'],
  approval_request_id: ['mcpr'],
  previous_response_id: ['resp'],
  session_id: ['ses'],
  pending_id: ['pnd'],
}
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD', 'QUERY'] as const

/** The secret of the example in OpenAPI, which anybody may be told, and what is sent in its place, which nobody may. */
const SHOWN_SECRET = 'a token of the tracker'
export const CANARY_OF_CONNECTIONS = 'canary-connection-secret-6'

/** Requests of every kind, made of the OpenAPI document: mostly right, often nearly, now and then nonsense. */
export class Requests {
  readonly #random: Random
  readonly #sampler: Sampler
  readonly #ids: KnownIds
  readonly #key: string
  readonly #operations: Told['operations']

  constructor(told: Told, random: Random, ids: KnownIds, key: string) {
    this.#operations = told.operations
    this.#random = random
    this.#ids = ids
    this.#key = key
    const bodies = random.fork('bodies')
    this.#sampler = new Sampler(told.document, bodies, (field) => {
      const prefixes = OF_FIELD[field]
      return prefixes && ids.get(bodies.pick(prefixes), bodies)
    })
  }

  next(): FuzzRequest {
    const random = this.#random
    const one = this.#operations[random.int(0, this.#operations.length - 1)]
    if (!one) throw new Error('the document has no operations')
    const wrong = random.pick([0, 0, 0.02, 0.1, 0.5])
    const method = random.chance(0.02) ? random.pick(METHODS) : one.method
    const path = this.#path(one.path) + this.#query(one.operation, wrong)
    const hasBody = method !== 'GET' && method !== 'HEAD'
    if (hasBody && one.operation.requestBody?.content['application/zip'] && random.chance(0.3)) {
      const headers = { ...this.#headers(one.operation, ''), 'content-type': 'application/zip' }
      return { method, path, headers, zip: junkZip(random) }
    }
    const body = method === 'GET' || method === 'HEAD' ? undefined : this.#body(one.operation, wrong)
    return { method, path, headers: this.#headers(one.operation, body), ...(body === undefined ? {} : { body }) }
  }

  #path(template: string): string {
    return template.replaceAll(/\{(\w+)\}/g, (_all, name: string) =>
      encodeURIComponent(this.#parameter(name, template).toWellFormed()),
    )
  }

  #parameter(name: string, template: string): string {
    const random = this.#random
    if (random.chance(0.1)) return junkText(random) || '%'
    if (name === 'user') return random.pick(['li', '王', 'a@b'])
    if (name === 'key' && template.includes('preferences')) return random.pick(['tone', 'k'])
    if (name === 'version') return random.pick(['0', '1', '2', '999'])
    if (name === 'name' && template.includes('connections')) return random.pick(['tracker', 'desk', 'nobody'])
    if (name === 'name' && template.includes('openapi-tools')) return random.pick(['shelf', 'github', 'nobody'])
    if (name === 'name') return random.pick(['own', 'greeter', 'research', 'far', 'page-digest', 'nobody'])
    if (name === 'step') return random.pick(['a', 'each[0]', 'each[1].b', 'x.y', 'pages'])
    if (name === 'path') return random.pick(['a.txt', 'b/c.md', '名.txt'])
    const resource = template.split('/')[2] ?? ''
    const prefix = PREFIX[name] ?? OF_RESOURCE[resource] ?? 'ses'
    return this.#ids.get(prefix, random) ?? `${prefix}_01arz3ndektsv4rrffq69g5fav`
  }

  #query({ parameters }: Operation, wrong: number): string {
    const random = this.#random
    const taken = parameters.filter((one) => one['in'] === 'query' && random.chance(0.3))
    const pairs = taken.map(({ name = '', schema }) => [name, queryText(this.#sampler.sample(schema as Json, wrong))])
    if (random.chance(wrong / 2)) pairs.push([junkText(random), junkText(random)])
    const text = new URLSearchParams(pairs.map(([name = '', value = '']) => [name, value.toWellFormed()])).toString()
    return text === '' ? '' : `?${text}`
  }

  #body({ requestBody }: Operation, wrong: number): string | undefined {
    const random = this.#random
    if (random.chance(0.02)) return this.#monster()
    if (!requestBody) return random.chance(0.1) ? JSON.stringify(junk(random)) : undefined
    const { schema } = requestBody.content['application/json'] ??
      Object.values(requestBody.content)[0] ?? { schema: {} }
    return (JSON.stringify(this.#sampler.sample(schema, wrong)) ?? '').replaceAll(SHOWN_SECRET, CANARY_OF_CONNECTIONS)
  }

  /** Deep, long, broken. */
  #monster(): string {
    return this.#random.pick([
      '['.repeat(20_000),
      `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`,
      JSON.stringify({ metadata: { a: 'x'.repeat(1_100_000) } }),
      JSON.stringify({ messages: Array.from({ length: 20_000 }, () => ({ role: 'user', content: '' })) }),
      JSON.stringify(Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`k${n}`, n]))),
      '{"task": "x"',
      '\uFEFF{}',
      'null',
      '"x"',
      '1e999',
      '{"a":1,"a":2}',
    ])
  }

  #headers({ requestBody }: Operation, body: string | undefined): Record<string, string> {
    const random = this.#random
    const headers: Record<string, string> = {}
    if (random.chance(0.97)) headers['authorization'] = `Bearer ${this.#key}`
    else if (random.chance(0.7))
      headers['authorization'] = random.pick([
        'Bearer x',
        'Basic eDp5',
        'YAA-API-KEY yaa_default_x',
        `Bearer ${'x'.repeat(4_000)}`,
      ])
    if (body !== undefined) {
      const type = requestBody?.content['application/json'] ? 'application/json' : 'application/octet-stream'
      headers['content-type'] = random.chance(0.95)
        ? type
        : random.pick(['text/plain', 'text/markdown', 'application/xml', ''])
    }
    if (random.chance(0.15))
      headers['idempotency-key'] = random.pick(['one', '"two"', 'x'.repeat(255), 'x'.repeat(300), '""'])
    if (random.chance(0.1))
      headers['accept'] = random.pick([
        'text/event-stream',
        'text/html',
        'application/x-ndjson',
        'application/zip',
        'text/markdown',
        '*/*',
        'x',
      ])
    if (random.chance(0.1)) headers['prefer'] = random.pick(['respond-async', 'wait=1', ','])
    if (random.chance(0.05)) headers['if-match'] = random.pick(['*', '"1"', 'W/"1"', 'x'])
    if (random.chance(0.03)) headers['last-event-id'] = random.pick(['0', '1.1', '-1', 'x'])
    if (random.chance(0.03))
      headers['traceparent'] = random.pick(['00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', '00-0-0-0', 'x'])
    if (random.chance(0.02)) headers['x-flood'] = 'x'.repeat(random.pick([8_000, 17_000, 60_000]))
    return random.chance(0.005) ? { ...headers, ...CROWD } : headers
  }
}

/** As many small headers as a server must refuse. */
const CROWD = Object.fromEntries(Array.from({ length: 3_000 }, (_, n) => [`x-${n}`, 'y']))

function queryText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}
