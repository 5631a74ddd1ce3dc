import { describe, test } from 'vitest'
import { call, json, type List } from './http.ts'

describe('what the server offers', () => {
  test('/healthz says that it is up', async ({ expect }) => {
    expect(await json(call('GET', '/healthz'))).toMatchObject({
      status: 'ok',
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    })
  })

  test('/v1/tools lists every tool with its names, schema and limits', async ({ expect }) => {
    const {
      object,
      data,
      next_cursor: next,
    } = await json<List<Record<string, unknown>>>(call('GET', '/v1/tools?limit=100'))
    expect({ object, next }).toEqual({ object: 'list', next: null })
    const byId = new Map(data.map((tool) => [tool['id'], tool]))
    expect([...byId.keys()]).toEqual(expect.arrayContaining(['web_access', 'finish', 'rethink', 'ask']))
    expect(byId.get('web_access')).toMatchObject({
      names: { 'zh-CN': '网页访问', en: 'web_access' },
      input_schema: { type: 'object', required: ['url'], additionalProperties: false },
      parameters: {
        url: { names: { 'zh-CN': '地址', en: 'url' } },
        focus: { names: { 'zh-CN': '关注点', en: 'focus' } },
      },
      risk: 'network',
      output: { chars_max: 8_000, lines_max: 500, strategy: 'head_tail' },
    })
    expect(byId.get('finish')).toMatchObject({ names: { 'zh-CN': '完成会话', en: 'finish' } })
    expect(byId.get('rethink')).toMatchObject({ names: { 'zh-CN': '再度思考', en: 'rethink' } })
    expect(byId.get('ask')).toMatchObject({ names: { 'zh-CN': '提问', en: 'ask' } })
  })

  test('/v1/models lists the models with their prices, the built-in one too, and no address', async ({ expect }) => {
    const answer = await call('GET', '/v1/models')
    const text = await answer.clone().text()
    const { data } = await json<List<Record<string, unknown>>>(answer)
    expect(data.map(({ id }) => id)).toEqual(expect.arrayContaining(['scripted', 'priced', 'built-in']))
    expect(data.find(({ id }) => id === 'priced')).toMatchObject({
      price: { prompt_per_mtok: 4, completion_per_mtok: 12, currency: 'CNY' },
      price_source: 'config',
    })
    expect(data.find(({ id }) => id === 'scripted')).toMatchObject({ price: null, price_source: null })
    expect(data.filter((model) => model['default']).map(({ id }) => id)).toEqual(['scripted'])
    expect(text).not.toContain('127.0.0.1')
  })

  test('/openapi.json is a document of every route', async ({ expect }) => {
    const document = await json<{ openapi: string; paths: Record<string, Record<string, unknown>> }>(
      call('GET', '/openapi.json'),
    )
    expect(document.openapi).toMatch(/^3\.1\./)
    const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    )
    expect(operations).toEqual(
      expect.arrayContaining([
        'POST /v1/sessions',
        'GET /v1/sessions',
        'GET /v1/sessions/{id}',
        'PATCH /v1/sessions/{id}',
        'DELETE /v1/sessions/{id}',
        'POST /v1/sessions/{id}/messages',
        'POST /v1/sessions/{id}/continue',
        'POST /v1/sessions/{id}/pending/{pending_id}',
        'POST /v1/sessions/{id}/cancel',
        'GET /v1/sessions/{id}/messages',
        'GET /v1/sessions/{id}/events',
        'POST /v1/agent',
        'GET /v1/tools',
        'GET /v1/models',
        'GET /v1/usage',
      ]),
    )
  })
})
