import createClient from 'openapi-fetch'
import type { components, paths } from './schema.ts'

/** A client of types that openapi-typescript made: creates, uploads, runs, lists, decides and streams. */

const [server = '', key = ''] = process.argv.slice(2)
const options = { baseUrl: server, headers: { authorization: `Bearer ${key}` } }
/** Of the forms that an answer has, JSON. */
const api = createClient<paths, 'application/json' | 'application/problem+json'>(options)
const streams = createClient<paths, 'text/event-stream'>({
  ...options,
  headers: { ...options.headers, accept: 'text/event-stream' },
})

type Event = components['schemas']['KnownEvent']

function ok<T>({ data, error }: { data?: T; error?: components['schemas']['Problem'] }): T {
  if (data === undefined) throw new Error(error ? `${error.code}: ${error.detail}` : 'no answer')
  return data
}

const session = ok(
  await api.POST('/v1/sessions', { body: { title: 'Clean up', metadata: { made_by: 'openapi-fetch' } } }),
)
if (!('title' in session)) throw new Error('a session was expected')
const { id } = session
const inSession = { params: { path: { id } } }

const uploaded = await api.PUT('/v1/sessions/{id}/files/{path}', {
  params: { path: { id, path: 'note.txt' } },
  body: 'to be thrown away',
  bodySerializer: (text) => text,
  headers: { 'content-type': 'text/plain' },
})
if (uploaded.error) throw new Error(uploaded.error.detail)
const listFiles = async () => {
  const found = ok(await api.GET('/v1/sessions/{id}/files', { ...inSession, headers: { accept: 'application/json' } }))
  return found.data.map(({ path, size }) => ({ path, size }))
}
const before = await listFiles()

const asked = ok(
  await api.POST('/v1/sessions/{id}/messages', {
    ...inSession,
    body: { content: 'Delete the note' },
    headers: { 'Idempotency-Key': 'ask-once' },
  }),
)
if (!('pending' in asked)) throw new Error('a run that waits was expected')
const [item] = asked.pending
if (!item) throw new Error('nothing is pending')

const page = ok(await api.GET('/v1/sessions', { params: { query: { limit: 1 } } }))

const ended = ok(
  await api.POST('/v1/sessions/{id}/pending/{pending_id}', {
    params: { path: { id, pending_id: item.id } },
    body: { decision: 'approve', ...(item.arguments_hash ? { arguments_hash: item.arguments_hash } : {}) },
  }),
)
if (!('result' in ended)) throw new Error('a run that ended was expected')

const { data: stream } = await streams.GET('/v1/sessions/{id}/events', {
  params: { path: { id }, query: { after: '0' } },
  parseAs: 'stream',
})
if (!stream) throw new Error('no stream')
const last = await heardUntilTheEnd(stream)

const missing = await api.GET('/v1/sessions/{id}', { params: { path: { id: 'ses_missing' } } })

console.log(
  JSON.stringify({
    title: session.title,
    uploaded: before,
    asked: { status: asked.status, tool: item.tool, arguments: item.arguments },
    listed: page.data.some((one) => one.id === id),
    ended: { status: ended.status, result: ended.result },
    files: await listFiles(),
    last_event: last,
    refused: { status: missing.response.status, code: missing.error?.code },
  }),
)

/** The last event of the run that ends as completed: one event is one `data:` line of the stream. */
async function heardUntilTheEnd(body: ReadableStream<Uint8Array>) {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const bytes of body) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      if (!line.startsWith('data:')) continue
      const event: Event = JSON.parse(line.slice('data:'.length))
      // The type alone says what an event holds.
      if (event.type === 'run-end') return { type: event.type, status: event.status }
    }
  }
  throw new Error('the stream ended before the run')
}
