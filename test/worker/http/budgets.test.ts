import { describe, test } from 'vitest'
import type { ServerConfig } from '../../../src/domain/server-config.ts'
import type { AgentResponseData, SessionData } from '../../../src/domain/session.ts'
import { sha256Hex } from '../../../src/lib/hash.ts'
import { hearUntil } from '../../support/sse.ts'
import { WORDS } from '../../support/words.ts'
import { env } from '../session/worker-home.ts'
import { call, json, type List, stage } from './http.ts'

const words = WORDS['zh-CN']

/** An administrator of a tenant. What tenants and users may spend here is in `suiteConfig`. */
async function adminOf(tenant: string) {
  const key = { id: `admin-of-${tenant}`, sha256: await sha256Hex(`k-${tenant}`), scopes: ['admin'], tenant }
  const config: ServerConfig = JSON.parse(env.YAA_CONFIG ?? '{}')
  const YAA_CONFIG = JSON.stringify({ ...config, auth: { keys: [key] } })
  return (method: string, path: string, body?: unknown, shown = `k-${tenant}`, headers: Record<string, string> = {}) =>
    call(method, path, { env: { YAA_CONFIG }, body, headers: { authorization: `Bearer ${shown}`, ...headers } })
}
type Ask = Awaited<ReturnType<typeof adminOf>>

/** Ten sessions that begin at the same time, each with a run of one call, of some 3,000 tokens. */
async function tenRuns(ask: Ask, { config: own = {}, ...more }: { config?: object; user?: string } = {}) {
  const set = await stage(Array.from({ length: 10 }, () => ({ content: words.finish('好'), delay_ms: 30 })))
  const config = { ...set.config, ...own, llm: { ...set.config.llm, max_tokens: 50 } }
  const sessions = await Promise.all(
    Array.from({ length: 10 }, () =>
      json<SessionData>(ask('POST', '/v1/sessions', { task: words.task, config, ...more }), 201),
    ),
  )
  return { sessions, asked: await set.model.asked() }
}

const totals = (sessions: readonly SessionData[]) => sessions.reduce((sum, { usage }) => sum + usage.total_tokens, 0)

describe('a budget of tokens', () => {
  test('of a tenant is not overspent by ten runs at the same time, and says whose it is', async ({ expect }) => {
    const ask = await adminOf('ten-thousand-a-day')
    const { sessions, asked } = await tenRuns(ask)
    const made = sessions.filter(({ status }) => status === 'completed')
    const refused = sessions.filter(({ finish_reason: reason }) => reason === 'budget_exhausted')
    expect([made.length > 0, refused.length > 0, made.length + refused.length]).toEqual([true, true, 10])
    expect(asked).toHaveLength(made.length)
    expect(totals(sessions)).toBeLessThanOrEqual(10_000)
    const { error } = await json<AgentResponseData>(ask('POST', `/v1/sessions/${refused[0]?.id}/continue`, {}))
    const detail: unknown = expect.stringMatching(/本租户.*日预算.*max_total_tokens 10000/)
    expect(error).toEqual({
      code: 'budget_exhausted',
      detail,
      message: error?.detail,
      hint: expect.stringContaining('管理员'),
    })
    expect(refused[0]?.error).toMatchObject({ code: 'budget_exhausted', detail })
    const { budgets } = await json<{ budgets: unknown[] }>(ask('GET', '/v1/usage'))
    const left = 10_000 - totals(sessions)
    expect(budgets).toEqual([
      {
        of: 'tenant',
        limits: { day: { max_total_tokens: 10_000 } },
        remaining: { day: { max_total_tokens: left } },
      },
    ])
  })

  test('of a user holds for that user', async ({ expect }) => {
    const ask = await adminOf('with-users')
    const { config } = await stage([])
    const llm = { ...config.llm, max_tokens: 1_000_000 }
    const run = { task: words.task, config: { ...config, model: 'wide', language: 'en', llm } }
    const ana = await json<SessionData>(ask('POST', '/v1/sessions', { ...run, user: 'ana' }), 201)
    expect(ana).toMatchObject({ finish_reason: 'budget_exhausted', usage: { model_calls: 0 } })
    const { error } = await json<AgentResponseData>(ask('POST', `/v1/sessions/${ana.id}/continue`, {}))
    expect(error?.detail).toMatch(/day budget of user ana \(max_total_tokens 900000;/)
  })

  test('of a key holds for the runs that it begins, until another key goes on with them', async ({ expect }) => {
    const ask = await adminOf('of-keys')
    const limits = { day: { max_total_tokens: 1 } }
    const key = await json<{ id: string; key: string }>(
      ask('POST', '/v1/keys', { name: 'x', scopes: ['run', 'read'], limits }),
      201,
    )
    const set = await stage([words.finish('好'), words.finish('又')])
    const body = { task: words.task, config: set.config }
    const session = await json<SessionData>(ask('POST', '/v1/sessions', body, key.key), 201)
    expect(session).toMatchObject({ finish_reason: 'budget_exhausted' })
    expect(await json(ask('GET', `/v1/keys/${key.id}`))).toMatchObject({ limits, remaining: limits })
    expect(await json(ask('GET', '/v1/usage', undefined, key.key))).toMatchObject({
      budgets: [{ of: 'key', id: key.id, limits, remaining: limits }],
    })
    const goOn = (shown?: string) => json(ask('POST', `/v1/sessions/${session.id}/continue`, {}, shown))
    expect(await goOn(key.key)).toMatchObject({ error: { detail: expect.stringContaining(key.id) } })
    expect(await goOn()).toMatchObject({ status: 'completed' })
    const stateless = { messages: [{ role: 'user', content: words.task }], config: set.config }
    expect(await json(ask('POST', '/v1/agent', stateless, key.key))).toMatchObject({
      finish_reason: 'budget_exhausted',
    })
    expect(await json(ask('POST', '/v1/agent', stateless))).toMatchObject({ status: 'completed' })
  })

  test('of a key that is nearly spent ends no run for want of a title', async ({ expect }) => {
    const ask = await adminOf('of-titles')
    const set = await stage([words.finish('好'), { content: words.finish('标题'), repeat: true }])
    const config = { ...set.config, llm: { ...set.config.llm, max_tokens: 50 } }
    const eventsOf = async ({ id }: SessionData) =>
      (await json<List<Record<string, unknown>>>(ask('GET', `/v1/sessions/${id}/events?limit=100`))).data
    const first = await json<SessionData>(ask('POST', '/v1/sessions', { task: words.task, config }), 201)
    const reserved = (await eventsOf(first)).find(({ type }) => type === 'model-start')?.['reserved_tokens']
    const limits = { day: { max_total_tokens: Number(reserved) + 20 } }
    const body = { name: 'x', scopes: ['run', 'read'], limits }
    const { key } = await json<{ key: string }>(ask('POST', '/v1/keys', body), 201)
    const named = { task: words.task, config: { ...config, titles: 'model' } }
    const session = await json<SessionData>(ask('POST', '/v1/sessions', named, key), 201)
    expect(session).toMatchObject({ status: 'completed', result: '标题', title: first.title })
    expect(await eventsOf(session)).toContainEqual(
      expect.objectContaining({ type: 'call-refused', scope: 'title', code: 'budget_exhausted' }),
    )
  })

  test('of a key holds in the background and in the queue too, and when it was revoked', async ({ expect }) => {
    const ask = await adminOf('of-keys')
    const limits = { month: { max_total_tokens: 1 } }
    const key = await json<{ id: string; key: string }>(
      ask('POST', '/v1/keys', { name: 'x', scopes: ['run', 'read'], limits }),
      201,
    )
    const set = await stage([{ content: words.finish('好'), hold_after: 0 }, words.finish('又')])
    const { id } = await json<SessionData>(ask('POST', '/v1/sessions', { config: set.config }), 201)
    const first = ask('POST', `/v1/sessions/${id}/messages`, { content: words.task })
    await set.model.asked(1)
    const path = `/v1/sessions/${id}/messages?when_busy=queue`
    const prefer = { prefer: 'respond-async' }
    await json(ask('POST', path, { content: words.task }, key.key, prefer), 202)
    expect((await ask('DELETE', `/v1/keys/${key.id}`)).status).toBe(204)
    const events = await ask('GET', `/v1/sessions/${id}/events`, undefined, undefined, { accept: 'text/event-stream' })
    await set.model.release()
    const ends: unknown[] = []
    await hearUntil(events.body, ({ event, data }) => {
      if (event === 'run-end') ends.push(data)
      return ends.length === 2
    })
    expect(await json(first)).toMatchObject({ status: 'completed' })
    expect(ends).toMatchObject([{ status: 'completed' }, { finish_reason: 'budget_exhausted' }])
    expect(await set.model.asked()).toHaveLength(1)
  })
})

describe('a budget of money', () => {
  test('is not overspent either, and refuses a model without a price', async ({ expect }) => {
    const ask = await adminOf('four-fen-a-day')
    const { sessions, asked } = await tenRuns(ask, { config: { model: 'priced' } })
    const costs = sessions.map(({ usage }) => usage.cost?.amount ?? 0)
    expect([asked.length > 0, asked.length < 10]).toEqual([true, true])
    expect(costs.reduce((sum, cost) => sum + cost, 0)).toBeLessThanOrEqual(0.04)
    const unpriced = await tenRuns(ask)
    expect(unpriced.asked).toEqual([])
    const { error } = await json<AgentResponseData>(
      ask('POST', `/v1/sessions/${unpriced.sessions[0]?.id}/continue`, {}),
    )
    expect(error).toMatchObject({ code: 'unpriced_model', detail: expect.stringContaining('max_cost 0.04 CNY') })
  })
})
