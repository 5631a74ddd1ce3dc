import { createExecutionContext } from 'cloudflare:test'
import { describe, test } from 'vitest'
import type { AuditEntry } from '../../../src/domain/audit.ts'
import { WITH_KEY } from '../../support/admin-key.ts'
import type { OpenApiDocument } from '../../support/document.ts'
import { WORDS } from '../../support/words.ts'
import { json, type List, problem, stage } from './http.ts'
import { env } from '../session/worker-home.ts'
import worker from '../../support/added/worker.ts'

function call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Response> {
  const sent = body === undefined ? {} : { body: JSON.stringify(body) }
  const about = { host: 'localhost', ...WITH_KEY, 'content-type': 'application/json', ...headers }
  const request = new Request(`http://localhost${path}`, { method, headers: about, ...sent })
  return Promise.resolve(worker.fetch(request, env, createExecutionContext()))
}

describe('a route that is added with a line', () => {
  test('is in the OpenAPI document with its scope, its body and its key', async ({ expect }) => {
    const { paths } = await json<OpenApiDocument>(call('GET', '/openapi.json'))
    const operation = paths['/v1/greetings']?.['post']
    expect(operation).toMatchObject({ 'x-scope': 'run', summary: 'Greet somebody', requestBody: { required: true } })
    expect(operation?.parameters).toEqual([{ $ref: '#/components/parameters/Idempotency-Key' }])
    expect(Object.keys(operation?.responses ?? {})).toEqual(expect.arrayContaining(['201', '400', '401', '403', '422']))
  })

  test('does its work once under a key, and says so', async ({ expect }) => {
    const greet = (name: string) => call('POST', '/v1/greetings', { name }, { 'idempotency-key': 'greeting' })
    const first = await greet('Ada')
    const again = await greet('Ada')
    expect(first.headers.has('idempotent-replayed')).toBe(false)
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(again.headers.get('location')).toBe(first.headers.get('location'))
    expect(await json(again, 201)).toEqual(await json(first, 201))
    expect(await problem(greet('Bob'), 422)).toMatchObject({ code: 'idempotency_key_reused' })
  })

  test('refuses keys without its scope and what does not fit', async ({ expect }) => {
    const { key } = await json<{ key: string }>(call('POST', '/v1/keys', { name: 'reader', scopes: ['read'] }), 201)
    const refused = call('POST', '/v1/greetings', { name: 'Ada' }, { authorization: `Bearer ${key}` })
    expect(await problem(refused, 403)).toMatchObject({ code: 'forbidden' })
    expect(await problem(call('POST', '/v1/greetings', { whom: 'Ada' }), 400)).toMatchObject({ code: 'invalid_input' })
  })

  test('is on record with what it changed, and not what it was told', async ({ expect }) => {
    const answer = await call('POST', '/v1/greetings', { name: 'Zuse' })
    const { count } = await json<{ count: number }>(answer, 201)
    const { data } = await json<List<AuditEntry>>(call('GET', `/v1/audit?action=greeting.create&target=${count}`))
    expect(data).toMatchObject([
      {
        action: 'greeting.create',
        outcome: 'done',
        status: 201,
        request_id: answer.headers.get('x-request-id'),
        details: { fields: ['name'], count },
      },
    ])
    expect(JSON.stringify(data)).not.toContain('Zuse')
  })
})

describe('a projection that is added with a line', () => {
  test('shows a run to who asks for a stream at its door', async ({ expect }) => {
    const { config } = await stage([WORDS.en.finish('Light is faster.')])
    const { id } = await json<{ id: string }>(call('POST', '/v1/sessions', { config }), 201)
    const answer = await call(
      'POST',
      `/v1/plain/${id}`,
      { content: 'What is faster?' },
      { accept: 'text/event-stream' },
    )
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(await answer.text()).toBe('Light is faster.\n')
  })

  test('leaves the streams of other doors as they are', async ({ expect }) => {
    const { config } = await stage([WORDS.en.finish('Light is faster.')])
    const body = { config, task: 'What is faster?' }
    const answer = await call('POST', '/v1/sessions', body, { accept: 'text/event-stream' })
    expect(await answer.text()).toMatch(/^retry: \d+\nid: 1\nevent: run-start\ndata: \{/)
  })
})
