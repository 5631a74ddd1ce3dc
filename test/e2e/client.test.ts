import { afterAll, beforeAll, describe, test, vi } from 'vitest'
import {
  type ApiProblem,
  createClient,
  entries,
  isDelta,
  type SessionSocket,
  type SocketEvent,
} from '../../src/client/index.ts'
import { ADMIN_KEY } from '../support/admin-key.ts'
import { calls, says } from '../support/scripted-model.ts'
import { type Served, startServed } from '../support/served.ts'

let served: Served
beforeAll(async () => {
  served = await startServed({ html: '<p>Water boils at 100 °C.</p>' })
})
afterAll(() => served.close())

/** What came until an event of a type. */
async function until(socket: SessionSocket, type: string, seen: SocketEvent[] = []): Promise<SocketEvent[]> {
  for await (const event of socket) {
    seen.push(event)
    if (event.type === type) return seen
  }
  throw new Error(`the socket ended before ${type}: ${seen.map((event) => event.type).join()}`)
}

const typesOf = (events: readonly SocketEvent[]) => events.map(({ type }) => type)

describe('a WebSocket of the client', () => {
  test('carries acts one way and events the other: a task, a decision, a refusal', async ({ expect }) => {
    const { client, site } = served
    await served.script([calls('web_access', { url: site.url }), says('It boils.')])
    const { id } = await client.sessions.create({ title: 'socket' })
    const socket = client.sessions.connect(id)
    socket.send({ type: 'message', content: 'Read it' })
    const asked = await until(socket, 'run-pause')
    expect(typesOf(asked)).toContain('pending')
    const { pending } = await client.sessions.get(id)
    const rest = client.sessions.connect(id, { after: (await client.sessions.get(id)).last_seq })
    rest.send({ type: 'decide', pending_id: 'pnd_other', decision: 'approve' })
    const [refused] = await until(rest, 'problem')
    expect(refused?.type === 'problem' && refused.problem).toMatchObject({ name: 'ApiProblem', code: 'stale_decision' })
    const last = client.sessions.connect(id, { after: (await client.sessions.get(id)).last_seq })
    last.send({ type: 'decide', pending_id: pending[0]?.id ?? '', decision: 'approve' })
    const done = await until(last, 'run-end')
    expect(done.at(-1)).toMatchObject({ type: 'run-end', status: 'completed', result: 'It boils.' })
    expect(done.some((event) => event.type === 'message-delta')).toBe(true)
  })

  test('is one that createClient is given, where the runtime has none; without both the error says what to do', async ({
    expect,
  }) => {
    const { WebSocket } = globalThis
    const { client } = served
    const { server } = client
    await served.script([says('one')])
    const { id } = await client.sessions.create({ title: 'socket' })
    vi.stubGlobal('WebSocket', undefined)
    try {
      const bare = createClient({ server, key: ADMIN_KEY })
      expect(() => bare.sessions.connect(id)).toThrow(/give createClient one as `webSocket`/)
      const socket = createClient({
        server,
        key: ADMIN_KEY,
        webSocket: (...at) => new WebSocket(...at),
      }).sessions.connect(id)
      socket.send({ type: 'message', content: 'first' })
      expect((await until(socket, 'run-end')).at(-1)).toMatchObject({ result: 'one' })
    } finally {
      vi.unstubAllGlobals()
    }
  })

  test('goes on behind its last event when the server is killed, and loses and repeats nothing', async ({ expect }) => {
    const { client } = served
    await served.script([says('one'), says('two')])
    const { id } = await client.sessions.create({ task: 'first' })
    const socket = client.sessions.connect(id)
    const seen: SocketEvent[] = []
    for await (const event of socket) {
      seen.push(event)
      if (event.type !== 'run-end') continue
      if (event.result === 'two') break
      await served.restart()
      await client.sessions.start(id, { type: 'message', content: 'second' })
    }
    const written = seen.flatMap((event) => (event.type === 'problem' || isDelta(event) ? [] : [event.seq]))
    expect(written).toEqual(written.map((_, index) => index + 1))
  })

  test('says why it is refused, ends by close, by its signal and with its session', async ({ expect }) => {
    const { client, url } = served
    const { id } = await client.sessions.create({ title: 'ends' })
    const strange = createClient({ server: url, key: 'a-key-that-nobody-ever-made-here' })
    await expect(until(strange.sessions.connect(id), 'never')).rejects.toMatchObject({ status: 401 })
    await expect(until(client.sessions.connect('ses_none'), 'never')).rejects.toMatchObject({ status: 404 })
    const ahead = client.sessions.connect(id, { after: 1_000 })
    await expect(until(ahead, 'never')).rejects.toMatchObject({ status: 400, errors: [{ path: 'after' }] })
    const closed = client.sessions.connect(id)
    const ended = until(closed, 'never')
    closed.close()
    await expect(ended).rejects.toThrow('ended before')
    const stop = new AbortController()
    const stopped = until(client.sessions.connect(id, { signal: stop.signal }), 'never')
    stop.abort(new Error('enough'))
    await expect(stopped).rejects.toThrow('enough')
    const gone = client.sessions.connect(id)
    gone.send({ type: 'message', content: '' })
    await until(gone, 'problem')
    const over = until(client.sessions.connect(id), 'never')
    await client.sessions.delete(id)
    await expect(over).rejects.toMatchObject({ message: expect.stringMatching(/ended before|not found|no session/i) })
  })
})

test('a session is begun in the background, awaited, and found in its list with all others', async ({ expect }) => {
  const { client } = served
  await served.script({ steps: [says('done')], loop: true })
  const begun = await Promise.all(['a', 'b', 'c'].map((task) => client.sessions.begin({ task, user: 'lister' })))
  const results = await Promise.all(begun.map(async ({ id }) => (await client.sessions.wait(id)).result))
  expect(results).toEqual(['done', 'done', 'done'])
  const list = (cursor?: string) => client.sessions.list({ limit: 1, user: 'lister', ...(cursor ? { cursor } : {}) })
  const found = await Array.fromAsync(entries(list))
  expect(found.map(({ id }) => id).toSorted()).toEqual(begun.map(({ id }) => id).toSorted())
})

test('files go up as bytes of a type and come back, one by one and as a zip', async ({ expect }) => {
  const { client } = served
  const { id } = await client.sessions.create({ title: 'files' })
  await client.files.put(id, '图/a.png', new Uint8Array([137, 80, 78, 71]), 'image/png')
  await client.files.put(id, 'note.txt', '水')
  const picture = await client.files.get(id, '图/a.png')
  expect([picture.headers.get('content-type'), [...(await picture.bytes())]]).toEqual(['image/png', [137, 80, 78, 71]])
  expect(await (await client.files.get(id, 'note.txt')).text()).toBe('水')
  expect((await (await client.files.zip(id)).bytes()).slice(0, 2)).toEqual(new Uint8Array([80, 75]))
})

test('a refusal is a typed error that names the fields', async ({ expect }) => {
  const refused: ApiProblem = await served.client.sessions.create({ task: 'x', config: { model: 'none' } }).then(
    () => expect.fail('it was taken'),
    (error: ApiProblem) => error,
  )
  expect(refused).toMatchObject({
    name: 'ApiProblem',
    status: 400,
    errors: [{ path: expect.stringContaining('model') }],
  })
})
