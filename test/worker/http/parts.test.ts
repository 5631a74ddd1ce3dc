import { describe, test } from 'vitest'
import { LIMITS } from '../../../src/domain/limits.ts'
import type { AgentResponseData, SessionData } from '../../../src/domain/session.ts'
import type { ModelInfo } from '../../../src/domain/model.ts'
import { toBase64 } from '../../../src/lib/base64.ts'
import { PNG_BASE64, PNG_URL } from '../../support/small-image.ts'
import { WORDS } from '../../support/words.ts'
import { workerHome } from '../session/worker-home.ts'
import { call, json, type List, newSession, problem, stage } from './http.ts'

const words = WORDS.en
const base64 = (text: string) => toBase64(new TextEncoder().encode(text))
const zeros = (bytes: number) => ({ type: 'file', data: toBase64(new Uint8Array(bytes)), name: 'zeros.bin' })
const IMAGE = { type: 'image', image_url: PNG_URL, name: 'dot.png' }
const TEXT = { type: 'text', text: 'What is this?' }
const { partBytesMax, requestBytesMax } = LIMITS.parts

const seeing = (config: Awaited<ReturnType<typeof stage>>['config']) => ({
  ...config,
  language: 'en',
  llm: { ...config.llm, vision: true },
})
const send = (id: string, content: unknown, headers = {}) =>
  call('POST', `/v1/sessions/${id}/messages`, { body: JSON.stringify({ content }), headers })

describe('parts over HTTP', () => {
  test('are taken with a message: the file is in the workspace, the model is shown the image, the message names it', async ({
    expect,
  }) => {
    const set = await stage([words.finish('A dot')])
    const { id } = await newSession({ ...set, config: seeing(set.config) })
    const answer = await json<AgentResponseData>(send(id, [TEXT, IMAGE]))
    expect(answer).toMatchObject({ status: 'completed', result: 'A dot' })
    const session = await json<SessionData>(call('GET', `/v1/sessions/${id}`))
    const stored = { type: 'image', path: 'attachments/dot.png', media_type: 'image/png', name: 'dot.png', size: 70 }
    expect(session.messages[0]?.content).toEqual([TEXT, { ...stored, untrusted: true }])
    const file = await call('GET', `/v1/sessions/${id}/files/attachments/dot.png`)
    expect(file.headers.get('content-type')).toBe('image/png')
    expect(toBase64(new Uint8Array(await file.arrayBuffer()))).toBe(PNG_BASE64)
    const [asked] = await set.model.asked()
    expect(JSON.stringify(asked?.body.messages)).toContain(`{"type":"image_url","image_url":{"url":"${PNG_URL}"}}`)
  })

  test('go along with an import: the file is there, counts in the window, and is shown again', async ({ expect }) => {
    const set = await stage([words.finish('A dot'), words.finish('Still a dot')])
    const { id } = await newSession({ ...set, config: seeing(set.config) })
    await json(send(id, [TEXT, IMAGE]))
    const body = await (await call('GET', `/v1/sessions/${id}/export`)).text()
    const copy = await json<SessionData>(call('POST', '/v1/sessions/import?keep_config=true', { body }), 201)
    expect((await workerHome.storedState(copy.id))?.window.tokens).toBeGreaterThan(LIMITS.parts.imageTokens)
    expect(await json(send(copy.id, 'And now?'))).toMatchObject({ result: 'Still a dot' })
    const [, again] = await set.model.asked()
    expect(JSON.stringify(again?.body.messages)).toContain(PNG_URL)
    const file = await call('GET', `/v1/sessions/${copy.id}/files/attachments/dot.png`)
    expect(toBase64(new Uint8Array(await file.arrayBuffer()))).toBe(PNG_BASE64)
  })

  test('are taken with a session that is made, as a task that runs', async ({ expect }) => {
    const set = await stage([words.finish('A dot')])
    const body = { task: [TEXT, IMAGE], config: seeing(set.config) }
    const session = await json<SessionData>(call('POST', '/v1/sessions', { body: JSON.stringify(body) }), 201)
    expect(session).toMatchObject({ title: 'What is this?', result: 'A dot' })
  })

  test('may hold 10 MB each and 20 MB together, and no more; other bodies are bounded as before', async ({
    expect,
  }) => {
    const set = await stage([words.finish('Two')])
    const { id } = await newSession({ ...set, config: { ...set.config, language: 'en' } })
    const refused: [unknown, string | undefined][] = [
      [[zeros(partBytesMax + 1)], 'content.0.data'],
      [[zeros(partBytesMax), zeros(partBytesMax - 1), zeros(requestBytesMax - 2 * partBytesMax + 2)], 'content.2.data'],
      [[zeros(partBytesMax), zeros(partBytesMax), zeros(partBytesMax)], undefined],
      ['x'.repeat(LIMITS.http.bodyBytesMax + 1), undefined],
      [[{ type: 'text', text: 'x'.repeat(LIMITS.http.bodyBytesMax + 1) }], undefined],
    ]
    for (const [content, path] of refused) {
      const body = await problem(send(id, content), 413)
      expect(body).toMatchObject({ code: 'body_too_large' })
      expect(body.errors?.[0]?.path).toBe(path)
    }
    expect((await json<SessionData>(call('GET', `/v1/sessions/${id}`))).last_seq).toBe(0)
    const two = [{ ...zeros(partBytesMax), name: 'a' }, zeros(requestBytesMax - partBytesMax)]
    expect(await json<AgentResponseData>(send(id, two, { 'idempotency-key': crypto.randomUUID() }))).toMatchObject({
      result: 'Two',
    })
  })

  test.for<[string, unknown, string]>([
    ['broken base64', [{ type: 'file', data: 'no base64!' }], 'content.0.data'],
    ['a broken data URL', [TEXT, { type: 'image', image_url: 'data:image/png;base64,?' }], 'content.1.image_url'],
    ['another scheme', [{ type: 'image', image_url: { url: 'ftp://example.com/x.png' } }], 'content.0.image_url.url'],
    ['no image', [{ type: 'image', data: base64('no image') }], 'content.0.data'],
    ['no media type', [{ type: 'file', data: 'eA==', media_type: 'nonsense' }], 'content.0.media_type'],
    ['a private address', [{ type: 'file', url: 'http://192.168.0.1/x' }], 'content.0.url'],
    ['a path that is not there', [{ type: 'image', path: 'x.png' }], 'content.0.path'],
    ['no source', [{ type: 'file', name: 'x' }], 'content.0'],
    ['two sources', [{ type: 'file', data: 'eA==', path: 'x' }], 'content.0'],
    ['an unknown type', [{ type: 'sound', data: 'eA==' }], 'content.0.type'],
    ['an unknown field', [{ type: 'text', text: 'x', more: 1 }], 'content.0.more'],
    ['no parts', [], 'content'],
    ['a number', 7, 'content'],
  ])('with %s are refused with the path, and nothing is stored', async ([, content, path], { expect }) => {
    const { id } = await newSession(await stage([]))
    const body = await problem(send(id, content), 400)
    expect(body.errors?.map((one) => one.path)).toEqual([path])
    expect((await json<SessionData>(call('GET', `/v1/sessions/${id}`))).last_seq).toBe(0)
    expect((await json<List<object>>(call('GET', `/v1/sessions/${id}/files`))).data).toEqual([])
  })

  test('go through the stateless call, which gives the files back and takes them again', async ({ expect }) => {
    const set = await stage([words.finish('A dot'), words.finish('Still')])
    const config = seeing(set.config)
    const agent = (body: object) =>
      json<AgentResponseData>(call('POST', '/v1/agent', { body: JSON.stringify({ config, ...body }) }))
    const first = { role: 'user', content: [TEXT, IMAGE] }
    const answer = await agent({ messages: [first] })
    expect(answer).toMatchObject({ result: 'A dot', files: [{ path: 'attachments/dot.png', data: PNG_BASE64 }] })
    const named = { role: 'user', content: [TEXT, { type: 'image', path: 'attachments/dot.png' }] }
    const history = [named, ...answer.messages, { role: 'user', content: 'Sure?' }]
    expect(await agent({ messages: history, files: answer.files })).toMatchObject({ result: 'Still' })
    for (const { body } of await set.model.asked(2)) expect(JSON.stringify(body.messages)).toContain(PNG_URL)
    const gone = await problem(call('POST', '/v1/agent', { body: JSON.stringify({ config, messages: [named] }) }), 400)
    expect(gone.errors?.[0]?.path).toBe('messages.0.content.1.path')
  })

  test('are shown to models that say so', async ({ expect }) => {
    const { data } = await json<List<ModelInfo>>(call('GET', '/v1/models?kind=model'))
    expect(data.map(({ vision }) => vision)).toEqual(data.map(() => false))
  })
})
