import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import { afterEach, test, vi } from 'vitest'
import { answerValueOf, ApiProblem, createClient, Unreachable, type StreamEvent } from '../../../src/client/client.ts'
import { LIMITS } from '../../../src/domain/limits.ts'

interface Seen {
  method: string
  url: string
  headers: IncomingMessage['headers']
  body: string
}

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

/** A server that answers its requests in turn, and keeps what it was asked. */
async function serving(...answers: ((response: ServerResponse) => void)[]): Promise<{ url: string; seen: Seen[] }> {
  const seen: Seen[] = []
  const server = createServer((request, response) => void answerNext(request, response))
  async function answerNext(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks = await request.toArray()
    seen.push({
      method: request.method ?? '',
      url: request.url ?? '',
      headers: request.headers,
      body: Buffer.concat(chunks).toString(),
    })
    const answer = answers[seen.length - 1]
    if (answer === undefined) response.writeHead(500).end()
    else answer(response)
  }
  servers.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a port was expected')
  return { url: `http://127.0.0.1:${address.port}`, seen }
}

const json = (status: number, body: unknown) => (response: ServerResponse) =>
  void response
    .writeHead(status, { 'content-type': status < 400 ? 'application/json' : 'application/problem+json' })
    .end(JSON.stringify(body))

const text = (id: string, body: object) =>
  `id: ${id}\nevent: ${'type' in body ? String(body.type) : ''}\ndata: ${JSON.stringify(body)}\n\n`
const event = (seq: number, type: string, more: object = {}) =>
  text(String(seq), { seq, type, run_id: 'run_1', ...more })

/** An event stream that ends (`cut` false), or breaks off in the middle of the next event. */
const stream =
  (events: string[], cut = false) =>
  (response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(`retry: 1000\n\n: beat\n\n${events.join('')}`, () => {
      if (!cut) response.end()
      else response.write('id: 99\nda', () => response.destroy())
    })
  }

async function all(source: AsyncIterable<StreamEvent>): Promise<string[]> {
  const events: string[] = []
  for await (const each of source)
    events.push('delta' in each ? `${each.type} ${each.delta}` : `${each.type} ${each.seq}`)
  return events
}

const noSleep = async () => {}

test('a request carries the key and a JSON body, and gives what the server answers', async ({ expect }) => {
  const { url, seen } = await serving(json(201, { id: 'ses_1' }))
  const client = createClient({ server: `${url}/`, key: 'k' })
  expect(await client.sessions.create({ task: '读' })).toEqual({ id: 'ses_1' })
  expect(seen[0]).toMatchObject({ method: 'POST', url: '/v1/sessions', body: '{"task":"读"}' })
  expect(seen[0]?.headers).toMatchObject({
    authorization: 'Bearer k',
    'content-type': 'application/json',
    accept: 'application/json',
  })
})

test('a problem document is an ApiProblem with its code, detail and paths', async ({ expect }) => {
  const problem = {
    title: 'Bad',
    status: 400,
    code: 'invalid_input',
    detail: 'No.',
    request_id: 'r',
    errors: [{ path: 'config.x', message: 'unknown' }],
  }
  const { url } = await serving(json(400, problem))
  const error = await createClient({ server: url })
    .sessions.get('ses_1')
    .catch((caught: unknown) => caught)
  expect(error).toBeInstanceOf(ApiProblem)
  expect(error).toMatchObject({
    status: 400,
    code: 'invalid_input',
    detail: 'No.',
    errors: problem.errors,
    requestId: 'r',
    message: 'No. config.x: unknown',
  })
})

test('an error that is no problem document keeps its status', async ({ expect }) => {
  const { url } = await serving((response) => void response.writeHead(502).end('<html>bad gateway'))
  await expect(createClient({ server: url }).health()).rejects.toMatchObject({
    name: 'ApiProblem',
    status: 502,
    code: 'unknown',
  })
})

test('no server, and an answer that is cut, are Unreachable and name the server', async ({ expect }) => {
  const { url } = await serving(
    (response) => void response.writeHead(200, { 'content-length': 99 }).write('{', () => response.destroy()),
  )
  await expect(createClient({ server: url }).health()).rejects.toBeInstanceOf(Unreachable)
  await expect(createClient({ server: 'http://127.0.0.1:1' }).health()).rejects.toMatchObject({
    name: 'Unreachable',
    server: 'http://127.0.0.1:1',
  })
})

test('a message streams its events until the run ends', async ({ expect }) => {
  const delta = text('1.1', { seq: 1, type: 'message-delta', message_id: 'm', delta: '你好', run_id: 'run_1' })
  const { url, seen } = await serving(stream([event(1, 'run-start'), delta, event(2, 'run-end')]))
  const client = createClient({ server: url })
  expect(await all(client.sessions.stream('ses_1', { type: 'message', content: 'hi' }))).toEqual([
    'run-start 1',
    'message-delta 你好',
    'run-end 2',
  ])
  expect(seen[0]).toMatchObject({ method: 'POST', url: '/v1/sessions/ses_1/messages', body: '{"content":"hi"}' })
  expect(seen[0]?.headers.accept).toBe('text/event-stream')
})

test('a stream that breaks off is taken up after the last id, deltas included; nothing is lost or twice', async ({
  expect,
}) => {
  const delta = text('1.3', { seq: 1, type: 'message-delta', message_id: 'm', delta: 'a', run_id: 'run_1' })
  const { url, seen } = await serving(
    stream([event(1, 'run-start'), delta], true),
    json(503, { code: 'x' }),
    stream([event(2, 'message')], true),
    stream([event(3, 'run-pause')]),
  )
  const client = createClient({ server: url, sleep: noSleep })
  expect(await all(client.sessions.stream('ses_1', { type: 'continue' }))).toEqual([
    'run-start 1',
    'message-delta a',
    'message 2',
    'run-pause 3',
  ])
  expect(seen.map(({ method, url: path, headers }) => [method, path, headers['last-event-id']])).toEqual([
    ['POST', '/v1/sessions/ses_1/continue', undefined],
    ['GET', '/v1/sessions/ses_1/events', '1.3'],
    ['GET', '/v1/sessions/ses_1/events', '1.3'],
    ['GET', '/v1/sessions/ses_1/events', '2'],
  ])
})

test('a stream that breaks off before its first event is taken up after the seq that was known', async ({ expect }) => {
  const { url, seen } = await serving(stream([], true), stream([event(8, 'run-end')]))
  const client = createClient({ server: url, sleep: noSleep })
  expect(await all(client.sessions.stream('ses_1', { type: 'continue' }, { after: 7 }))).toEqual(['run-end 8'])
  expect(seen[1]?.headers['last-event-id']).toBe('7')
})

test('a stream that cannot be taken up is Unreachable after a bounded number of tries', async ({ expect }) => {
  const dead = json(500, {})
  const { url, seen } = await serving(stream([event(1, 'run-start')], true), ...Array.from({ length: 50 }, () => dead))
  const client = createClient({ server: url, sleep: noSleep })
  await expect(all(client.sessions.stream('ses_1', { type: 'continue' }))).rejects.toBeInstanceOf(Unreachable)
  expect(seen.length).toBe(1 + LIMITS.client.resumesMax)
})

test('the end of the run that a message replaces does not end the stream', async ({ expect }) => {
  const other = text('1', { seq: 1, type: 'run-end', run_id: 'run_0' })
  const { url } = await serving(stream([other, event(2, 'run-start'), event(3, 'run-end')]))
  const client = createClient({ server: url })
  expect(await all(client.sessions.stream('ses_1', { type: 'message', content: 'x' }))).toEqual([
    'run-end 1',
    'run-start 2',
    'run-end 3',
  ])
})

test('a refusal of a streamed action is an ApiProblem and nothing is tried again', async ({ expect }) => {
  const { url, seen } = await serving(json(409, { code: 'stale_decision', detail: 'Gone.' }))
  const client = createClient({ server: url })
  const decision = { decision: 'approve' as const, arguments_hash: 'h' }
  await expect(
    all(client.sessions.stream('ses_1', { type: 'decide', pendingId: 'pnd_1', decision })),
  ).rejects.toMatchObject({ code: 'stale_decision' })
  expect(seen).toHaveLength(1)
  expect(seen[0]).toMatchObject({ url: '/v1/sessions/ses_1/pending/pnd_1', body: JSON.stringify(decision) })
})

test('events of a session go on over broken streams until the signal', async ({ expect }) => {
  const { url, seen } = await serving(
    stream([event(1, 'run-start'), event(2, 'run-end')]),
    stream([event(3, 'run-start')]),
  )
  const stop = new AbortController()
  const events: number[] = []
  const read = async () => {
    for await (const each of createClient({ server: url, sleep: noSleep }).sessions.events('ses_1', {
      signal: stop.signal,
    })) {
      events.push(each.seq)
      if (each.seq === 3) stop.abort(new Error('enough'))
    }
  }
  await expect(read()).rejects.toThrow('enough')
  expect(events).toEqual([1, 2, 3])
  expect(seen[1]?.headers['last-event-id']).toBe('2')
})

test('a message takes a schema along, and its answer is read as a value', async ({ expect }) => {
  const { url, seen } = await serving((response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"result":"{\\"n\\":4}"}'),
  )
  const schema = { type: 'object', properties: { n: { type: 'integer' } } }
  const answer = await createClient({ server: url }).sessions.send('s', { content: '2 + 2?', output_schema: schema })
  expect(answerValueOf(answer)).toEqual({ n: 4 })
  expect(JSON.parse(seen[0]?.body ?? '')).toEqual({ content: '2 + 2?', output_schema: schema })
  expect([answerValueOf({ result: null }), answerValueOf({ result: 'four' })]).toEqual([undefined, undefined])
})

test('a problem is told in one text with its places, as its language joins them', ({ expect }) => {
  const said = (detail: string, ...words: string[]) => {
    const errors = words.map((message, at) => ({ path: `a.${at}`, message }))
    const body = { code: 'invalid_input', title: '', detail, errors, request_id: null }
    return new ApiProblem(400, body).message
  }
  expect(said('It does not fit; see errors.', 'one', 'two')).toBe('It does not fit. a.0: one; a.1: two')
  expect(said('不符合要求；见 errors。', '一', '二')).toBe('不符合要求。a.0：一；a.1：二')
})

test('a query is sent where the runtime does not count what is in it', async ({ expect, onTestFinished }) => {
  const size = vi.spyOn(URLSearchParams.prototype, 'size', 'get').mockReturnValue(undefined as unknown as number)
  onTestFinished(() => {
    size.mockRestore()
  })
  const { url, seen } = await serving(json(200, { object: 'list', data: [], next_cursor: null }))
  await createClient({ server: url }).sessions.list({ limit: 2 })
  expect(seen[0]?.url).toBe('/v1/sessions?limit=2')
})
