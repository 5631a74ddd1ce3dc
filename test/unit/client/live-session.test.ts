import { afterEach, test, vi } from 'vitest'
import { createClient, liveSession } from '../../../src/client/index.ts'

afterEach(() => void vi.useRealTimers())

/** A server of one session whose events are told by hand. `endsLate`: a stream that nobody reads any more stays open. */
function told({ endsLate = false } = {}) {
  const open: ReadableStreamDefaultController<Uint8Array>[] = []
  let title = 'first'
  let seq = 0
  const session = () => ({ id: 'ses_1', title, last_seq: seq, status: 'in_progress', messages: [], pending: [] })
  const fetch = async (input: string | URL | Request, init?: RequestInit) => {
    const { pathname } = new URL(input instanceof Request ? input.url : input)
    if (pathname === '/v1/tools') return Response.json({ object: 'list', data: [], next_cursor: null })
    if (!pathname.endsWith('/events')) return Response.json(session())
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        open.push(controller)
        if (!endsLate) init?.signal?.addEventListener('abort', () => controller.error(init.signal?.reason))
      },
    })
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  }
  const tell = (type: string, next: string) => {
    title = next
    seq += 1
    const event = { type, seq, run_id: 'run_1', scope: null, status: 'completed', finish_reason: null, result: next }
    open.at(-1)?.enqueue(new TextEncoder().encode(`id: ${seq}\ndata: ${JSON.stringify(event)}\n\n`))
  }
  return { client: createClient({ server: 'http://yaa', fetch }), open, tell }
}

test('a session that nobody looked at for a while is read again after events, as before', async ({ expect }) => {
  const { client, open, tell } = told()
  const store = liveSession(client, 'ses_1')
  const leave = store.subscribe(() => {})
  await expect.poll(() => open.length).toBe(1)
  tell('run-start', 'second')
  // Gone before the session could be read for it.
  await expect.poll(() => store.get().status).toBe('in_progress')
  leave()
  await new Promise((resolve) => setImmediate(resolve))
  const leaveAgain = store.subscribe(() => {})
  await expect.poll(() => open.length).toBe(2)
  tell('run-end', 'third')
  await expect.poll(() => store.get().session?.title).toBe('third')
  leaveAgain()
})

test('a session is read again after events also where the look at it before has not ended yet', async ({ expect }) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const { client, open, tell } = told({ endsLate: true })
  const until = (isSo: () => boolean) => vi.waitUntil(isSo, { interval: 1 })
  const store = liveSession(client, 'ses_1')
  const leave = store.subscribe(() => {})
  await until(() => open.length === 1)
  tell('run-start', 'second')
  await until(() => store.get().status === 'in_progress')
  leave()
  await new Promise((resolve) => setImmediate(resolve))
  const leaveAgain = store.subscribe(() => {})
  await until(() => open.length === 2)
  tell('run-end', 'third')
  await until(() => store.get().status === 'completed')
  expect(store.get().session?.title).toBe('second')
  await vi.advanceTimersByTimeAsync(1_000)
  expect(store.get().session?.title).toBe('third')
  leaveAgain()
})
