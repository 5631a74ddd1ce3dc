import { once } from 'node:events'
import { createServer } from 'node:http'
import { afterEach, test } from 'vitest'
import { createClient } from '../../../../src/client/client.ts'
import type { DecisionInput } from '../../../../src/domain/session-input.ts'
import { driveRun } from '../../../../src/cli/run/drive.ts'
import { NO_USAGE } from '../../../../src/domain/usage.ts'

const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

type Answer = { status: number; body: object } | { events: object[] }

/** A server that answers each route with its answers in turn, the last one again and again. */
async function serving(routes: Record<string, Answer[]>) {
  const asked: string[] = []
  const server = createServer((request, response) => {
    const route = `${request.method} ${(request.url ?? '').replace('/v1/sessions/ses_1', '').replace(/\?.*/, '')}`
    asked.push(route)
    const answers = routes[route] ?? [{ status: 404, body: { code: 'not_found', detail: route } }]
    const answer = answers.length > 1 ? answers.shift() : answers[0]
    request.resume()
    if (answer === undefined || 'status' in answer) {
      response
        .writeHead(answer?.status ?? 500, { 'content-type': 'application/json' })
        .end(JSON.stringify(answer?.body))
    } else {
      const text = answer.events.map(
        (event, index) =>
          `id: ${index + 1}\ndata: ${JSON.stringify({ seq: index + 1, run_id: 'run_1', ...event })}\n\n`,
      )
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(text.join(''))
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closing.push(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a port was expected')
  return { asked, client: createClient({ server: `http://127.0.0.1:${address.port}` }) }
}

const start = { type: 'run-start' }
const paused = (status: string) => ({ type: 'run-pause', status, finish_reason: null, usage: NO_USAGE })
const ended = {
  type: 'run-end',
  status: 'completed',
  finish_reason: 'completed',
  result: 'Done.',
  usage: NO_USAGE,
  error: null,
}
const session = (status: string, pending: object[] = []): Answer => ({
  status: 200,
  body: {
    id: 'ses_1',
    title: 't',
    start_time: '',
    status,
    finish_reason: status,
    messages: [],
    result: status === 'completed' ? 'Done.' : null,
    error: null,
    ended_by: status === 'completed' ? 'finish' : null,
    pending,
    usage: NO_USAGE,
    last_seq: 1,
  },
})
const item = { id: 'pnd_1', type: 'approval', tool: 'web_access', arguments: {}, arguments_hash: 'h' }

async function driven(
  routes: Record<string, Answer[]>,
  decision: DecisionInput | null = { decision: 'approve' },
  asks: (id: string, isShown: boolean) => void = () => {},
) {
  const { client, asked } = await serving(routes)
  const told: string[] = []
  const waits: number[] = []
  const outcome = driveRun(
    {
      client,
      sessionId: 'ses_1',
      show: () => {},
      refused: (line) => void told.push(line),
      decide: async ({ id }, isShown) => {
        asks(id, isShown)
        return decision
      },
      sleep: async (ms) => void waits.push(ms),
      signal: new AbortController().signal,
    },
    { type: 'message', content: 'go' },
    0,
  )
  return { outcome, asked, told, waits }
}

test('batches are continued until the run ends', async ({ expect }) => {
  const { outcome, asked } = await driven({
    'POST /messages': [{ events: [start, paused('in_progress')] }],
    'POST /continue': [{ events: [paused('in_progress')] }, { events: [ended] }],
    'GET ': [session('completed')],
  })
  expect((await outcome).response).toMatchObject({ status: 'completed', result: 'Done.', run_id: 'run_1' })
  expect(asked).toEqual(['POST /messages', 'POST /continue', 'POST /continue', 'GET '])
})

test('a batch whose last move is still under way is waited for', async ({ expect }) => {
  const busy: Answer = { status: 409, body: { code: 'run_in_progress', detail: 'Busy.' } }
  const { outcome, waits } = await driven({
    'POST /messages': [{ events: [start, paused('in_progress')] }],
    'POST /continue': [busy, busy, { events: [ended] }],
    'GET /events': [{ status: 200, body: { data: [{ seq: 2, type: 'model-end' }] } }],
    'GET ': [session('completed')],
  })
  expect((await outcome).response.result).toBe('Done.')
  expect(waits).toHaveLength(2)
})

test('a run that a message took over between two batches is followed to its end', async ({ expect }) => {
  const { outcome, waits, asked } = await driven({
    'POST /messages': [{ events: [start, paused('in_progress')] }],
    'POST /continue': [{ status: 409, body: { code: 'run_in_progress', detail: 'Busy.' } }],
    'GET /events': [
      { status: 200, body: { data: [{ seq: 3, type: 'run-resume', mode: 'background' }] } },
      { events: [{ type: 'run-resume', mode: 'background' }, ended] },
    ],
    'GET ': [session('completed')],
  })
  expect((await outcome).response.result).toBe('Done.')
  expect(waits).toEqual([])
  expect(asked.filter((route) => route === 'POST /continue')).toHaveLength(1)
})

test('what waits is decided, and an item left undecided ends the drive', async ({ expect }) => {
  const routes = (...more: Answer[]) => ({
    'POST /messages': [{ events: [start, paused('interrupted')] }],
    'POST /pending/pnd_1': [{ events: [ended] }],
    'GET ': [session('interrupted', [item]), ...more],
  })
  const decided = await driven(routes(session('completed')))
  expect((await decided.outcome).response.result).toBe('Done.')
  const left = await driven(routes(), null)
  expect((await left.outcome).response).toMatchObject({ status: 'interrupted', result: null, pending: [item] })
  expect(left.asked).not.toContain('POST /pending/pnd_1')
})

test('of what waits beside others, or since before, it has to be said which is asked for', async ({ expect }) => {
  const other = { ...item, id: 'pnd_2' }
  const asked: [string, boolean][] = []
  const alone = await driven(
    {
      'POST /messages': [{ events: [start, { type: 'pending', pending: item }, paused('interrupted')] }],
      'POST /pending/pnd_1': [{ events: [ended] }],
      'GET ': [session('interrupted', [item]), session('completed')],
    },
    undefined,
    (...one) => asked.push(one),
  )
  await alone.outcome
  const both = await driven(
    {
      'POST /messages': [
        {
          events: [
            start,
            { type: 'pending', pending: item },
            { type: 'pending', pending: other },
            paused('interrupted'),
          ],
        },
      ],
      'POST /pending/pnd_1': [{ events: [paused('interrupted')] }],
      'POST /pending/pnd_2': [{ events: [ended] }],
      'GET ': [session('interrupted', [item, other]), session('interrupted', [other]), session('completed')],
    },
    undefined,
    (...one) => asked.push(one),
  )
  await both.outcome
  expect(asked).toEqual([
    ['pnd_1', true],
    ['pnd_1', false],
    ['pnd_2', false],
  ])
})

test('a decision that came too late is told, and what is pending now is looked at again', async ({ expect }) => {
  const { outcome, told } = await driven({
    'POST /messages': [{ events: [start, paused('interrupted')] }],
    'POST /pending/pnd_1': [{ status: 409, body: { code: 'stale_decision', detail: 'Decided already.' } }],
    'GET ': [session('interrupted', [item]), session('completed')],
  })
  expect((await outcome).response.status).toBe('completed')
  expect(told).toEqual(['Decided already.'])
})

test('decisions that are refused again and again end with the refusal, not in a loop', async ({ expect }) => {
  const { outcome } = await driven({
    'POST /messages': [{ events: [start, paused('interrupted')] }],
    'POST /pending/pnd_1': [{ status: 400, body: { code: 'invalid_input', detail: 'No.' } }],
    'GET ': [session('interrupted', [item])],
  })
  await expect(outcome).rejects.toMatchObject({ code: 'invalid_input' })
})
