import { afterAll, beforeAll, describe, test } from 'vitest'
import { startServed, type Served } from '../../support/served.ts'

let served: Served
beforeAll(async () => {
  served = await startServed({ html: '' })
})
afterAll(() => served.close())

/** A request of each door that cannot be understood, and where its answer says why. */
const DOORS = [
  ['OpenAI chat', '/v1/chat/completions', { model: 'yaa', messages: [] }, ['error', 'message']],
  ['OpenAI responses', '/v1/responses', { model: 'yaa', input: [] }, ['error', 'message']],
  ['AI SDK', '/v1/ai-sdk/chat', { id: 'a' }, ['error']],
  ['AG-UI', '/v1/ag-ui/yaa', { threadId: 'a', runId: 'b', messages: [] }, ['message']],
  ['A2A over HTTP+JSON', '/a2a/v1/message:send', { message: {} }, ['error', 'message']],
] as const

const asked = (path: string, body: object, { key = served.key, language = 'zh-CN,zh;q=0.9,en;q=0.5' } = {}) =>
  fetch(new URL(path, served.url), {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'a2a-version': '1.0',
      'accept-language': language,
    },
    body: JSON.stringify(body),
  })
const textAt = (body: unknown, place: readonly string[]): string => {
  const found = place.reduce<unknown>((at, name) => (at as Record<string, unknown> | null)?.[name], body)
  return typeof found === 'string' ? found : ''
}

describe('a refusal in Chinese', () => {
  test.for(DOORS)('is what clients of %s are told', async ([, path, body, place], { expect }) => {
    for (const answer of [await asked(path, body), await asked(path, body, { key: 'nobody' })]) {
      expect(answer.headers.get('content-language')).toBe('zh-CN')
      expect(answer.headers.get('vary')).toContain('Accept-Language')
      const text = textAt(await answer.json(), place)
      expect(text).toMatch(/\p{Script=Han}/u)
      expect(text).not.toMatch(/see errors|见 errors/)
    }
    const english = await asked(path, body, { language: 'en' })
    const text = textAt(await english.json(), place)
    expect(text).not.toMatch(/\p{Script=Han}|see errors/u)
    expect(english.headers.get('content-language')).toBeNull()
  })

  test('is what stands before the routes of MCP and of A2A over JSON-RPC', async ({ expect }) => {
    for (const path of ['/mcp', '/a2a']) {
      const answer = await asked(path, {}, { key: 'nobody' })
      expect([answer.status, await answer.json()]).toMatchObject([
        401,
        { jsonrpc: '2.0', id: null, error: { code: -32000, message: expect.stringContaining('密钥') } },
      ])
    }
    const method = await asked('/a2a', { jsonrpc: '2.0', id: 7, method: 'Nothing' })
    expect([method.status, await method.json()]).toMatchObject([
      200,
      { id: 7, error: { code: -32601, message: expect.stringContaining('这里没有该') } },
    ])
  })
})
