import { describe, test } from 'vitest'
import { elicitationText, nextQuestion, responseFor, type Elicitation } from '../../../src/mcp/elicitation.ts'
import { AnswerTooLong, limitedFetch } from '../../../src/mcp/server-fetch.ts'
import { checkOf } from '../../../src/mcp/schema.ts'
import { serverToolId } from '../../../src/domain/tool-id.ts'
import type { McpServer } from '../../../src/domain/mcp.ts'
import { patchedServer, serverFrom, serverListView, serverView } from '../../../src/mcp/servers.ts'
import { apiListView, patchedSource, sourceFrom } from '../../../src/openapi-tools/sources.ts'
import { means } from '../../../src/skills/check-skill.ts'
import { mcpTools } from '../../../src/tools/mcp/tool.ts'
import { configOf } from '../../../src/tools/registry.ts'

describe('ids of tools', () => {
  test.for([
    ['words', 'look_up', 'words__look_up'],
    ['天气', 'get.now/2', '____get_now_2'],
    ['a', '', 'a__'],
  ] as const)('%s and %s give %s', ([server, tool, id], { expect }) => {
    expect(serverToolId(server, tool)).toBe(id)
  })

  test('over 64 characters the end tells long names apart', ({ expect }) => {
    const ids = ['a', 'b'].map((end) => serverToolId('server', 'x'.repeat(80) + end))
    expect(ids.map(({ length }) => length)).toEqual([64, 64])
    expect(ids[0]).not.toBe(ids[1])
  })

  test('an id that is taken is told apart, the same way each time', ({ expect }) => {
    const isTaken = (id: string) => id === 's__a_b'
    const id = serverToolId('s', 'a.b', isTaken)
    expect(id).toMatch(/^s__a_b_[a-z0-9]+$/)
    expect(serverToolId('s', 'a.b', isTaken)).toBe(id)
  })

  const weather: McpServer = {
    name: '天气',
    url: 'http://127.0.0.1:1/mcp',
    headers: {},
    description: null,
    enabled: true,
    trustHints: true,
    origin: 'config',
    version: '1',
  }
  const listed = ['查询天气', '发送邮件'].map((name) => ({ name, inputSchema: { type: 'object' } }))
  const caller = { call: () => Promise.reject(new Error('not called')) }
  const [find, mail] = mcpTools(weather, listed, caller)

  test('names that an id cannot hold are told apart, and shown as they are called', ({ expect }) => {
    const probe = { version: '1', tools: listed, warnings: [], error: null, triedTime: 0, listedTime: 0, manner: null }
    const ids = [find?.id, mail?.id]
    expect(new Set(ids).size).toBe(2)
    expect(serverView(weather, probe).tools.map(({ id }) => id)).toEqual(ids)
    expect(serverListView(weather, probe).tools.map(({ id }) => id)).toEqual(ids)
  })

  test.for([
    ['天气__发送邮件', [false, true]],
    ['天气__*', [true, true]],
    ['____*', [true, true]],
    ['邮件__*', [false, false]],
  ] as const)('%s means a tool in the config and in skills', ([name, meant], { expect }) => {
    const session = { tools: { [name]: { permission: 'deny' as const } } }
    const tools = [find, mail].flatMap((tool) => tool ?? [])
    expect(tools.map((tool) => configOf(tool, { server: {}, session }).permission === 'deny')).toEqual(meant)
    expect(tools.map((tool) => means(name, tool))).toEqual(meant)
  })
})

describe('a key in the query of an address', () => {
  const url = 'https://a.test/x?api_key=s3cret'
  const shown = 'https://a.test/x?api_key=***'

  test('of a server is not shown, and stays where it comes back so', ({ expect }) => {
    const server = serverFrom({ name: 'a', url })
    expect(serverView(server, null).url).toBe(shown)
    expect(patchedServer(server, { url: shown }).url).toBe(url)
  })

  test('nor that of an API', ({ expect }) => {
    const source = sourceFrom({ name: 'a', url })
    expect(apiListView(source, null).url).toBe(shown)
    expect(patchedSource(source, { url: shown }).url).toBe(url)
  })
})

describe('schemas of servers', () => {
  test('patterns are not run, names that look like them are kept', ({ expect }) => {
    const schema = { properties: { pattern: { type: 'string', pattern: '^(a+)+$' } }, required: ['pattern'] }
    expect(checkOf(schema)({ pattern: `${'a'.repeat(60)}!` })).toEqual([])
    expect(checkOf(schema)({ pattern: 7 }).map(({ path }) => path)).toEqual(['pattern'])
    expect(checkOf(schema)({})).toHaveLength(1)
  })

  test.for([{ $ref: 'https://elsewhere.example/schema' }, { $ref: '#' }, { properties: [] }])(
    'what cannot be read takes everything: %j',
    (schema, { expect }) => {
      expect(checkOf(schema)({ any: 'thing' })).toEqual([])
    },
  )

  test('parts that double at each step are looked at so far and no further', ({ expect }) => {
    const twice = (n: number) => ({ allOf: [{ $ref: `#/$defs/a${n}` }, { $ref: `#/$defs/a${n}` }] })
    const $defs = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`a${n}`, n === 59 ? {} : twice(n + 1)]))
    const check = checkOf({ $defs, properties: { a: { $ref: '#/$defs/a0' }, b: { type: 'string' } } })
    expect(check({ a: 1 })).toEqual([])
    expect(check({ b: 1 }).map(({ path }) => path)).toEqual(['b'])
  })

  test('a list that holds each item once is held to it unless it is too long to compare', ({ expect }) => {
    const check = checkOf({ properties: { a: { uniqueItems: true } } })
    const items = (length: number) => Array.from({ length }, (_, n) => ({ n }))
    expect(check({ a: items(500) })).toEqual([])
    expect(check({ a: [...items(500), { n: 1 }] }).map(({ path }) => path)).toEqual(['a'])
    expect(check({ a: [...items(200_000), { n: 1 }] })).toEqual([])
  })
})

describe('answers of users', () => {
  const form = (properties: Record<string, Record<string, unknown>>, required: string[] = []): Elicitation => ({
    key: 'k',
    message: 'm',
    url: null,
    schema: { type: 'object', properties, required },
  })

  test.for([
    [form({ n: { type: 'integer' } }), '7', { n: 7 }],
    [form({ sure: { type: 'boolean' } }), '好', { sure: true }],
    [form({ a: { type: 'string' }, b: { type: 'number' } }), 'a：甲\nb: 1.5', { a: '甲', b: 1.5 }],
    [form({ a: { type: 'string' } }), '{"a":"x"}', { a: 'x' }],
  ] as const)('a form takes %#', ([asked, said, content], { expect }) => {
    expect(responseFor(asked, said)).toEqual({ ok: true, response: { action: 'accept', content } })
  })

  test('what does not fit says where', ({ expect }) => {
    const answered = responseFor(form({ n: { type: 'integer' } }, ['n']), 'many')
    expect(answered).toMatchObject({ ok: false, wrong: expect.stringContaining('n: ') })
  })

  test('what does not fit is asked for again in the language of the session', ({ expect }) => {
    const asked = form({ n: { type: 'integer' } }, ['n'])
    const answered = responseFor(asked, 'many')
    const wrong = answered.ok ? null : answered.wrong
    const [zh, en] = (['zh-CN', 'en'] as const).map((language) =>
      elicitationText('box', asked, language, { wrong, isCancelled: false }),
    )
    expect(zh).toMatch(/n: 应为整数，而不是文本$/m)
    expect(en).toMatch(/n: it has to be a whole number, but is text$/m)
  })

  test('what is not for users is never asked', ({ expect }) => {
    const requests = { s: { method: 'sampling/createMessage', params: { messages: [] } } }
    expect(nextQuestion({ requests, responses: {}, rounds: 1 })).toBe('unknown')
  })
})

test('an answer that goes on for too long is given up', async ({ expect }) => {
  const fetch = limitedFetch(async () => new Response('x'.repeat(2_000)), 1_000)
  const response = await fetch('http://127.0.0.1/')
  await expect(response.text()).rejects.toThrow(AnswerTooLong)
})
