/// <reference types="@cloudflare/vitest-plugin/types" />
import { runInDurableObject } from 'cloudflare:test'
import { describe, test } from 'vitest'
import { LIMITS } from '../../../src/domain/limits.ts'
import type { SessionData } from '../../../src/domain/session.ts'
import { newId } from '../../../src/lib/id.ts'
import { sleep } from '../../../src/lib/wait.ts'
import { objectDatabase } from '../../../src/objects/storage.ts'
import { hearUntil } from '../../support/sse.ts'
import { WORDS } from '../../support/words.ts'
import { env } from '../session/worker-home.ts'
import { call, json, problem, stage } from './http.ts'

const words = WORDS['zh-CN']

/** A key that may have one session in progress. */
async function narrowKey() {
  const body = { name: 'narrow', scopes: ['run', 'read'], limits: { sessions_at_once: 1 } }
  const { id, key } = await json<{ id: string; key: string }>(call('POST', '/v1/keys', { body }), 201)
  const ask = (method: string, path: string, input?: unknown, more: Record<string, string> = {}) =>
    call(method, path, { body: input, headers: { authorization: `Bearer ${key}`, ...more } })
  const left = async () => (await json<{ remaining: unknown }>(call('GET', `/v1/keys/${id}`))).remaining
  return { id, ask, left }
}

describe('the sessions of a key', () => {
  test('run as many at once as it may; the next is told to wait, and has its place when one has ended', async ({
    expect,
  }) => {
    const { ask, left } = await narrowKey()
    const set = await stage([{ content: words.finish('好'), hold_after: 0 }, words.finish('又'), words.finish('三')])
    const { config } = set
    const first = await json<{ session_id: string }>(
      ask('POST', '/v1/sessions', { task: words.task, config }, { prefer: 'respond-async' }),
      202,
    )
    expect(await left()).toEqual({ sessions_at_once: 0 })
    const second = await json<SessionData>(ask('POST', '/v1/sessions', { config }), 201)
    const run = () => ask('POST', `/v1/sessions/${second.id}/messages`, { content: words.task })
    const refused = await run()
    expect(refused.headers.get('retry-after')).toBe('5')
    expect(await problem(refused, 429)).toMatchObject({ code: 'rate_limited' })
    await problem(ask('POST', '/v1/sessions', { task: words.task, config }), 429)
    const events = await ask('GET', `/v1/sessions/${first.session_id}/events`, undefined, {
      accept: 'text/event-stream',
    })
    await set.model.asked(1)
    await set.model.release()
    await hearUntil(events.body, ({ event }) => event === 'run-end')
    await ask('POST', `/v1/sessions/${first.session_id}/cancel`)
    expect(await json(run())).toMatchObject({ status: 'completed' })
    expect(await left()).toEqual({ sessions_at_once: 1 })
  })

  test('keep no place for a call that was refused, nor for a session that is gone', async ({ expect }) => {
    const { ask, left } = await narrowKey()
    const { config } = await stage((page) => [words.visit(page('zh'))])
    const { id } = await json<SessionData>(ask('POST', '/v1/sessions', { config }), 201)
    await problem(ask('POST', `/v1/sessions/${id}/continue`, {}), 409)
    expect(await left()).toEqual({ sessions_at_once: 1 })
    const waits = await json<SessionData>(ask('POST', '/v1/sessions', { task: words.task, config }), 201)
    expect(waits.status).toBe('interrupted')
    expect(await left()).toEqual({ sessions_at_once: 1 })
    expect((await ask('DELETE', `/v1/sessions/${id}`)).status).toBe(204)
  })

  test('are counted for the key that runs them, whoever else asks something of them', async ({ expect }) => {
    const [one, other] = [await narrowKey(), await narrowKey()]
    const { config } = await stage([{ hang: true }])
    const { session_id: id } = await json<{ session_id: string }>(
      one.ask('POST', '/v1/sessions', { task: words.task, config }, { prefer: 'respond-async' }),
      202,
    )
    await problem(other.ask('POST', `/v1/sessions/${id}/messages`, { content: words.task }), 409)
    expect([await one.left(), await other.left()]).toEqual([{ sessions_at_once: 0 }, { sessions_at_once: 1 }])
    await json(one.ask('POST', `/v1/sessions/${id}/cancel`))
    expect(await one.left()).toEqual({ sessions_at_once: 1 })
  })

  test('keep a place that its process died over for seconds, and that of one that runs', async ({ expect }) => {
    const { id, ask } = await narrowKey()
    const { config } = await stage([words.finish('好')])
    const run = () => ask('POST', '/v1/sessions', { task: words.task, config })
    const told = (session: string, msAgo: number) =>
      runInDurableObject(env.DIRECTORY.getByName('default'), (_object, { storage }) => {
        const sql = 'INSERT OR REPLACE INTO run_leases (session, key, until) VALUES (?, ?, ?)'
        objectDatabase(storage).all(sql, session, id, Date.now() - msAgo + LIMITS.access.runLeaseMs)
      })
    const never = newId('ses', Date.now())
    await told(never, 1_000)
    await problem(run(), 429)
    await told(never, LIMITS.access.runAskedMs + 1_000)
    await expect.poll(async () => (await run()).status, { timeout: 5_000 }).toBe(201)
    const goes = await json<{ session_id: string }>(
      ask(
        'POST',
        '/v1/sessions',
        { task: words.task, config: (await stage([{ hang: true }])).config },
        { prefer: 'respond-async' },
      ),
      202,
    )
    await told(goes.session_id, LIMITS.access.runAskedMs + 1_000)
    await sleep(LIMITS.access.runsAskedEveryMs)
    await problem(run(), 429)
    await json(ask('POST', `/v1/sessions/${goes.session_id}/cancel`))
  })

  test('keep no place for a call that was repeated under its key', async ({ expect }) => {
    const { ask, left } = await narrowKey()
    const { config } = await stage([words.finish('好')])
    const again = () => ask('POST', '/v1/sessions', { task: words.task, config }, { 'idempotency-key': 'once' })
    const { id } = await json<SessionData>(again(), 201)
    expect((await json<SessionData>(again(), 201)).id).toBe(id)
    expect(await left()).toEqual({ sessions_at_once: 1 })
  })

  test('count a task that is done once more, and a call that keeps no session', async ({ expect }) => {
    const { ask, left } = await narrowKey()
    const set = await stage([
      JSON.stringify({ plan: [{ name: 'llm_tool', description: '查甲' }] }),
      { status: 400, body: { error: { message: 'down' } } },
      JSON.stringify({ plan: [] }),
      '完',
      { hang: true },
      words.finish('直接好'),
      { content: words.finish('流好'), chunks: 3 },
    ])
    const { config } = set
    const planned = { task: words.task, config, orchestrator: 'plan' }
    const { id, plan } = await json<SessionData>(ask('POST', '/v1/sessions', planned), 201)
    const task = plan?.tasks[0]
    expect(task?.status).toBe('failed')
    const busy = await json<{ session_id: string }>(
      ask('POST', '/v1/sessions', { task: words.task, config }, { prefer: 'respond-async' }),
      202,
    )
    await set.model.asked(5)
    const retried = await ask('POST', `/v1/sessions/${id}/tasks/${task?.id}/retry`, {})
    expect(retried.headers.get('retry-after')).toBe('5')
    expect(await problem(retried, 429)).toMatchObject({ code: 'rate_limited' })
    const history = { messages: [{ role: 'user', content: words.task }], config }
    for (const path of ['/v1/agent', '/'])
      expect(await problem(ask('POST', path, history), 429)).toMatchObject({ code: 'rate_limited' })
    await json(ask('POST', `/v1/sessions/${busy.session_id}/cancel`))
    await problem(ask('POST', '/v1/agent', { ...history, messages: [] }), 400)
    expect(await left()).toEqual({ sessions_at_once: 1 })
    for (const accept of ['application/json', 'text/event-stream']) {
      expect(await (await ask('POST', '/v1/agent', history, { accept })).text()).toContain('"completed"')
      expect([accept, await left()]).toEqual([accept, { sessions_at_once: 1 }])
    }
  })

  test('count what a socket runs, which is told there', async ({ expect }) => {
    const { ask, left } = await narrowKey()
    const set = await stage([{ hang: true }, words.finish('又')])
    const { config } = set
    const { id } = await json<SessionData>(ask('POST', '/v1/sessions', { config }), 201)
    const busy = await json<{ session_id: string }>(
      ask('POST', '/v1/sessions', { task: words.task, config }, { prefer: 'respond-async' }),
      202,
    )
    await set.model.asked(1)
    const { webSocket: socket } = await ask('GET', `/v1/sessions/${id}/ws`, undefined, { upgrade: 'websocket' })
    if (!socket) throw new Error('a socket was expected')
    const heard = (type: string) =>
      new Promise<Record<string, unknown>>((resolve) => {
        socket.addEventListener('message', ({ data }: MessageEvent) => {
          const frame = JSON.parse(String(data)) as Record<string, unknown>
          if (frame['type'] === type) resolve(frame)
        })
      })
    const refused = heard('problem')
    socket.accept()
    socket.send(JSON.stringify({ type: 'message', content: words.task }))
    expect(await refused).toMatchObject({ problem: { status: 429, code: 'rate_limited' } })
    await json(ask('POST', `/v1/sessions/${busy.session_id}/cancel`))
    const invalid = heard('problem')
    socket.send(JSON.stringify({ type: 'message', content: '' }))
    expect(await invalid).toMatchObject({ problem: { status: 400 } })
    expect(await left()).toEqual({ sessions_at_once: 1 })
    const ended = heard('run-end')
    socket.send(JSON.stringify({ type: 'message', content: words.task }))
    expect(await ended).toMatchObject({ status: 'completed' })
    expect(await json(ask('POST', `/v1/sessions/${id}/cancel`))).toMatchObject({ status: 'completed' })
    expect(await left()).toEqual({ sessions_at_once: 1 })
    socket.close()
  })
})
