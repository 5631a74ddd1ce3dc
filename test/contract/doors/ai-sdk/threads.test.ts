import { afterAll, beforeAll, describe, test } from 'vitest'
import { NodeChat } from '../../../support/ai-sdk/chat.ts'
import { calls, says } from '../../../support/scripted-model.ts'
import { startServed, type Served } from '../../../support/served.ts'

let served: Served
beforeAll(async () => {
  served = await startServed({ html: '<p>Water boils at 100 °C.</p>' })
})
afterAll(() => served.close())

let chats = 0
type Init = ConstructorParameters<typeof NodeChat>[1]
const begin = (init: Init = {}, key = served.key) =>
  new NodeChat({ url: served.url, key }, { id: `thread-${++chats}`, ...init })
const asked = () => JSON.stringify(served.model.requests.at(-1)?.body)
const TEXT = 'Water boils at one hundred degrees, 在海平面。'
const HELD = { content: TEXT, chunks: 8, hold_after: 5 }
const call = (path: string, method = 'GET', body?: string) =>
  fetch(`${served.url}/v1/ai-sdk/chat${path}`, {
    method,
    headers: { authorization: `Bearer ${served.key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body }),
  })

describe('a message that is answered anew', () => {
  test('goes on in a fork, and the chat with it', async ({ expect }) => {
    await served.script([says('One.'), says('Two.'), says('Three.')])
    const chat = begin()
    await chat.sendMessage({ text: 'Tell me' })
    const first = chat.session
    await chat.regenerate()
    expect(chat.texts).toEqual(['Tell me', 'Two.'])
    expect(chat.session).not.toBe(first)
    expect(asked()).not.toContain('One.')
    const fork = chat.session
    await chat.sendMessage({ text: 'And then?' })
    expect([chat.texts, chat.session]).toEqual([['Tell me', 'Two.', 'And then?', 'Three.'], fork])
    expect(asked()).toMatch(/Tell me[^]*Two\.[^]*And then\?/)
    expect(asked()).not.toContain('One.')
  })

  test('again and again, leads to the newest, also in another tab and after a crash', async ({ expect }) => {
    await served.script([says('One.'), says('Two.'), says('Three.'), says('Four.')])
    const chat = begin()
    await chat.sendMessage({ text: 'Tell me' })
    const tab = begin({ id: chat.id, messages: structuredClone(chat.messages) })
    await chat.regenerate()
    await chat.regenerate()
    await served.restart()
    await tab.sendMessage({ text: 'Which one?' })
    expect([tab.session, tab.texts.at(-1)]).toEqual([chat.session, 'Four.'])
    expect(asked()).toMatch(/Three\.[^]*Which one\?/)
    expect(asked()).not.toMatch(/One\.|Two\./)
  })

  test('from the middle leaves out all behind it', async ({ expect }) => {
    await served.script([says('One.'), says('Two.'), says('Other.')])
    const chat = begin()
    await chat.sendMessage({ text: 'First' })
    await chat.sendMessage({ text: 'Second' })
    await chat.regenerate({ messageId: chat.messages[1]?.id ?? '' })
    expect(chat.texts).toEqual(['First', 'Other.'])
    expect(asked()).not.toMatch(/Second|One\./)
  })

  test('may be another one by then', async ({ expect }) => {
    await served.script([says('One.'), says('Two.'), says('Edited.')])
    const chat = begin()
    await chat.sendMessage({ text: 'First' })
    await chat.sendMessage({ text: 'Second' })
    await chat.sendMessage({ text: 'Second, but better', messageId: chat.messages[2]?.id ?? '' })
    expect(chat.texts).toEqual(['First', 'One.', 'Second, but better', 'Edited.'])
    expect(asked()).toMatch(/First[^]*One\.[^]*Second, but better/)
    expect(asked()).not.toMatch(/Two\.|Second"/)
  })

  test('while it is being answered ends that run', async ({ expect }) => {
    await served.script([HELD, says('Anew.')])
    const chat = begin()
    const sent = chat.sendMessage({ text: 'Tell me' })
    await chat.when(() => chat.texts.length === 2 && chat.texts[1] !== '')
    const first = chat.session
    await chat.stop()
    await sent
    await chat.regenerate()
    await served.release()
    expect(chat.texts).toEqual(['Tell me', 'Anew.'])
    expect((await served.client.sessions.get(first)).status).toBe('cancelled')
  })

  test('by two tabs at once is one run where both ask the same', async ({ expect }) => {
    await served.script([says('One.'), HELD])
    const chat = begin()
    await chat.sendMessage({ text: 'Tell me' })
    const tab = begin({ id: chat.id, messages: structuredClone(chat.messages) })
    const both = [chat.regenerate(), tab.regenerate()]
    await chat.when(({ texts }) => texts.at(-1)?.startsWith('Water') === true)
    await tab.when(({ texts }) => texts.at(-1)?.startsWith('Water') === true)
    await served.release()
    await Promise.all(both)
    expect([chat.texts.at(-1), tab.texts.at(-1), chat.session]).toEqual([TEXT, TEXT, tab.session])
    expect(served.model.requests).toHaveLength(2)
  })

  test('under a key of idempotency is answered once, also when it has ended', async ({ expect }) => {
    await served.script([says('One.'), says('Two.')])
    const chat = begin()
    await chat.sendMessage({ text: 'Tell me' })
    const options = { headers: { 'idempotency-key': `anew-${chat.id}` } }
    await chat.regenerate(options)
    await chat.regenerate(options)
    expect(chat.texts).toEqual(['Tell me', 'Two.'])
    expect(served.model.requests).toHaveLength(2)
  })

  test('leaves a session that can still be named', async ({ expect }) => {
    await served.script([says('One.'), says('Two.'), says('Old.')])
    const chat = begin()
    await chat.sendMessage({ text: 'Tell me' })
    const first = chat.session
    await chat.regenerate()
    const body = {
      metadata: { session_id: first },
      messages: [{ role: 'user', parts: [{ type: 'text', text: 'Hello' }] }],
    }
    const named = await call('', 'POST', JSON.stringify(body))
    expect(await named.text()).toContain('[DONE]')
    expect(named.headers.get('x-yaa-session')).toBe(first)
    expect(asked()).toContain('One.')
  })

  test('that is refused leaves the chat where it was', async ({ expect }) => {
    const full = await startServed({ html: '', config: { quotas: { streams_max: 1 } } })
    const chats = ['kept', 'long'].map((id) => new NodeChat(full, { id }))
    const [chat, long] = chats
    if (!chat || !long) throw new Error('two chats')
    await full.script([says('One.'), HELD])
    await chat.sendMessage({ text: 'Tell me' })
    const { session, messages } = chat
    const held = long.sendMessage({ text: 'Take the place' })
    await long.when(({ texts }) => texts.at(-1)?.startsWith('Water') === true)
    await chat.regenerate()
    expect(JSON.parse(chat.error?.message ?? '{}')).toMatchObject({ code: 'rate_limited' })
    const kept = await fetch(`${full.url}/v1/ai-sdk/chat/kept`, { headers: { authorization: `Bearer ${full.key}` } })
    expect(kept.headers.get('x-yaa-session')).toBe(session)
    expect((await kept.json<{ messages: object[] }>()).messages).toMatchObject(messages.map(({ id }) => ({ id })))
    await full.release()
    await held
    await full.script([says('Two.')])
    await chat.regenerate()
    expect([chat.status, chat.texts]).toEqual(['ready', ['Tell me', 'Two.']])
    await full.close()
  })

  test('by two tabs at once, each in its own words, goes on in the session of one', async ({ expect }) => {
    await served.script([says('First.')])
    const chat = begin()
    await chat.sendMessage({ text: 'Tell me' })
    await served.script(Array.from({ length: 8 }, () => says('Anew.')))
    const tab = begin({ id: chat.id, messages: structuredClone(chat.messages) })
    const messageId = chat.messages[0]?.id ?? ''
    await Promise.all([
      chat.sendMessage({ text: 'Tell me more', messageId }),
      tab.sendMessage({ text: 'Tell me less', messageId }),
    ])
    expect([chat.status, tab.status]).toEqual(['ready', 'ready'])
    expect([chat.texts, tab.texts].map(([first]) => first)).toEqual(['Tell me more', 'Tell me less'])
    expect([...chat.texts, ...tab.texts]).toContain('Anew.')
    const newest = (await call(`/${chat.id}`)).headers.get('x-yaa-session')
    expect([chat.session, tab.session]).toContain(newest)
    await chat.sendMessage({ text: 'And now?' })
    await tab.sendMessage({ text: 'And then?' })
    expect([chat.session, tab.session]).toEqual([newest, newest])
  })

  test('that nobody knows begins with what its client says was before', async ({ expect }) => {
    await served.script([says('Fine.'), says('Anew.')])
    const said = (id: string, role: 'user' | 'assistant', text: string) => ({
      id,
      role,
      parts: [{ type: 'text' as const, text }],
    })
    const chat = begin({ messages: [said('u1', 'user', 'Old'), said('a1', 'assistant', 'Older')] })
    await chat.sendMessage({ text: 'New' })
    await chat.regenerate({ messageId: 'a1' })
    expect(chat.texts).toEqual(['Old', 'Anew.'])
    expect(asked()).not.toMatch(/Older|New/)
  })
})

describe('a client that comes back', () => {
  test('is told the message from its beginning, while it is written', async ({ expect }) => {
    await served.script([HELD])
    const chat = begin()
    const sent = chat.sendMessage({ text: 'Tell me' })
    await chat.when(() => chat.texts.length === 2 && chat.texts[1] !== '')
    await chat.stop()
    await sent
    const page = begin({ id: chat.id })
    const resumed = page.resumeStream()
    await page.when(() => page.texts[0]?.startsWith('Water') ?? false)
    await served.release()
    await resumed
    expect([page.texts, page.status]).toEqual([[TEXT], 'ready'])
    expect(page.last.id).toBe(chat.last.id)
    expect(served.model.requests).toHaveLength(1)
  })

  test('finds nothing where nothing goes on: 204', async ({ expect }) => {
    await served.script([says('Done.')])
    const chat = begin()
    expect((await call(`/${chat.id}/stream`)).status).toBe(204)
    await chat.sendMessage({ text: 'Do it' })
    expect((await call(`/${chat.id}/stream`)).status).toBe(204)
    await chat.resumeStream()
    expect([chat.status, chat.texts]).toEqual(['ready', ['Do it', 'Done.']])
  })

  test('after a crash of the server in the midst of a text', async ({ expect }) => {
    await served.script([HELD, { content: TEXT, chunks: 3, hold_after: 2 }])
    const chat = begin()
    const sent = chat.sendMessage({ text: 'Tell me' })
    await chat.when(() => chat.texts.length === 2 && chat.texts[1] !== '')
    await served.restart()
    await sent
    expect(chat.status).toBe('error')
    const resumed = chat.resumeStream()
    await chat.when(() => chat.status === 'streaming' && chat.texts[1]?.startsWith('Water') === true)
    await served.release()
    await resumed
    expect([chat.status, chat.texts]).toEqual(['ready', ['Tell me', TEXT]])
  })

  test('sees the call that waits, and decides on it', async ({ expect }) => {
    await served.script([calls('web_access', { url: served.site.url }), says('Read.')])
    const chat = begin()
    await chat.sendMessage({ text: 'Read it' })
    const page = begin({ id: chat.id, messages: chat.messages.slice(0, 1) })
    await page.resumeStream()
    const [part] = page.approvals
    await page.addToolApprovalResponse({ id: part?.approval?.id ?? '', approved: true })
    await page.sendMessage()
    expect(page.texts).toEqual(['Read it', 'Read.'])
    expect(page.last.id).toBe(chat.last.id)
  })
})

describe('stop', () => {
  test('of a chat ends its run; a client that goes away does not', async ({ expect }) => {
    await served.script([HELD])
    const chat = begin()
    const sent = chat.sendMessage({ text: 'Tell me' })
    await chat.when(() => chat.texts.length === 2 && chat.texts[1] !== '')
    await chat.stop()
    await sent
    expect((await served.client.sessions.get(chat.session)).status).toBe('in_progress')
    const stopped = await call(`/${chat.id}/stop`, 'POST')
    expect(await stopped.json()).toMatchObject({ stopped: true, session_id: chat.session })
    expect((await served.client.sessions.get(chat.session)).status).toBe('cancelled')
    const { data } = await served.client.audit.list({ action: 'session.cancel', limit: 1 })
    expect(data[0]).toMatchObject({ outcome: 'done', details: { session_id: chat.session } })
    expect(await (await call(`/${chat.id}/stop`, 'POST')).json()).toMatchObject({ stopped: false })
    await served.release()
  })

  test('reaches every chat: no address could hold the names that are refused', async ({ expect }) => {
    const body = (id: string) =>
      JSON.stringify({ id, messages: [{ role: 'user', parts: [{ type: 'text', text: 'Hi' }] }] })
    for (const id of ['.', '..']) {
      const refused = await call('', 'POST', body(id))
      expect([refused.status, await refused.json()]).toMatchObject([400, { code: 'invalid_input', path: 'id' }])
    }
    for (const [path, method] of [
      ['', 'GET'],
      ['/stream', 'GET'],
      ['/stop', 'POST'],
    ] as const) {
      const refused = await call(`/${'x'.repeat(257)}${path}`, method)
      expect([refused.status, await refused.json()]).toMatchObject([400, { code: 'invalid_input', path: 'id' }])
    }
    await served.script([says('Hello.')])
    await (await call('', 'POST', body('../水 🫖'))).text()
    const stopped = await call(`/${encodeURIComponent('../水 🫖')}/stop`, 'POST')
    expect([stopped.status, await stopped.json()]).toMatchObject([200, { stopped: false }])
  })

  test('ends the stream of a reader without an error', async ({ expect }) => {
    await served.script([HELD])
    const chat = begin()
    const sent = chat.sendMessage({ text: 'Tell me' })
    await chat.when(() => chat.texts.length === 2 && chat.texts[1] !== '')
    await call(`/${chat.id}/stop`, 'POST')
    await sent
    expect([chat.status, chat.last.metadata]).toMatchObject(['ready', { status: 'cancelled' }])
    await served.release()
  })
})

describe('what cannot be', () => {
  test('is said as an error of the hook, with the code', async ({ expect }) => {
    const wrong = begin({}, 'yaa_default_wrong-key-wrong-key')
    await wrong.sendMessage({ text: 'Hello' })
    expect([wrong.status, JSON.parse(wrong.error?.message ?? '{}').code]).toEqual(['error', 'unauthorized'])
    const { key } = await served.client.keys.create({ name: 'reads-only', scopes: ['read'] })
    const reader = begin({}, key)
    await reader.sendMessage({ text: 'Hello' })
    expect(JSON.parse(reader.error?.message ?? '{}')).toMatchObject({ code: 'forbidden' })
    const huge = begin()
    await huge.sendMessage({ text: 'x'.repeat(29 * 1_024 * 1_024) })
    expect(JSON.parse(huge.error?.message ?? '{}').code).toBe('body_too_large')
    const empty = await call('', 'POST', '{"id":"c"}')
    expect([empty.status, await empty.json()]).toMatchObject([400, { code: 'invalid_input', path: 'messages' }])
    const named = begin({ body: { tools: { 'no name': {} } } })
    await named.sendMessage({ text: 'Hello' })
    expect(JSON.parse(named.error?.message ?? '{}').path).toBe('tools.no name.name')
  })

  test('is said in the stream where a model fails, and the chat goes on behind it', async ({ expect }) => {
    await served.script([{ status: 401 }, says('Better.')])
    const chat = begin()
    await chat.sendMessage({ text: 'Tell me' })
    expect(chat.status).toBe('error')
    expect(chat.error?.message).not.toBe('')
    expect(chat.last.metadata).toMatchObject({ status: 'failed', error: 'model_unauthorized' })
    await chat.regenerate()
    expect([chat.status, chat.texts]).toEqual(['ready', ['Tell me', 'Better.']])
  })
})
