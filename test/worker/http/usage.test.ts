import { describe, test } from 'vitest'
import { sha256Hex } from '../../../src/lib/hash.ts'
import type { AgentResponseData, SessionData } from '../../../src/domain/session.ts'
import type { UsageSum } from '../../../src/domain/usage.ts'
import { hearUntil } from '../../support/sse.ts'
import { WORDS } from '../../support/words.ts'
import { env } from '../session/worker-home.ts'
import { call, type CallOptions, json, type List, newSession, problem, read, sent, stage } from './http.ts'

const words = WORDS.en
const USAGE = { prompt_tokens: 8_000, completion_tokens: 1_000, prompt_tokens_details: { cached_tokens: 500 } }
const PRICE = (8_000 * 4 + 1_000 * 12) / 1e6
const thinks = { content: words.rethink('…'), usage: USAGE }
const finishes = { content: words.finish('good'), usage: USAGE }

const usage = (query: string, headers: Record<string, string> = {}) =>
  json<List<UsageSum>>(call('GET', `/v1/usage?${query}`, { headers }))
/** Sessions of other tests are in the sums too: what is looked for is a key. */
const sumOf = async (query: string, key: string | null) => (await sums(query)).find((sum) => sum.key === key)

/** From a cursor on. */
async function sums(query: string, from = ''): Promise<UsageSum[]> {
  const { data, next_cursor: next } = await usage(`limit=100&${query}${from}`)
  return next === null ? data : [...data, ...(await sums(query, `&cursor=${next}`))]
}

/** With a key of another tenant. */
async function inTenant(tenant: string): Promise<Pick<CallOptions, 'env' | 'headers'>> {
  const config = JSON.parse(env.YAA_CONFIG ?? '{}') as Record<string, unknown>
  const keys = [{ id: tenant, sha256: await sha256Hex(`k-${tenant}`), scopes: ['read', 'run'], tenant }]
  const headers = { authorization: `Bearer k-${tenant}` }
  return { env: { YAA_CONFIG: JSON.stringify({ ...config, auth: { keys } }) }, headers }
}

const DAY_MS = 24 * 60 * 60_000
const day = (offset: number) => new Date(Date.now() + offset * DAY_MS).toISOString().slice(0, 10)

/** A session of a user of its own that ran once, in two rounds. */
async function spent(): Promise<{ user: string; id: string; answer: AgentResponseData }> {
  const set = await stage([thinks, finishes])
  const user = `u-${crypto.randomUUID()}`
  const config = { ...set.config, language: 'en', model: 'priced' }
  const { id } = await newSession(set, { user, config })
  return { user, id, answer: await sent(id, words.task) }
}

describe('GET /v1/usage', () => {
  test('shows what a run spent, by session and by user, every field', async ({ expect }) => {
    const { user, id, answer } = await spent()
    const sum = await sumOf('by=session', id)
    expect(sum).toEqual({
      key: id,
      prompt_tokens: 16_000,
      completion_tokens: 2_000,
      total_tokens: 18_000,
      cached_tokens: 1_000,
      reasoning_tokens: 0,
      model_calls: 2,
      tool_calls: 2,
      iterations: 2,
      cost: { amount: expect.closeTo(2 * PRICE, 9), amount_decimal: '0.088', currency: 'CNY' },
    })
    const { key: _, ...fields } = sum ?? { key: null }
    expect(fields).toEqual(answer.usage)
    expect(await sumOf('by=user', user)).toEqual({ ...sum, key: user })
  })

  test('is decimal text beside the number wherever money is shown', async ({ expect }) => {
    const { id, answer } = await spent()
    const shown = { amount: expect.closeTo(0.088, 9), amount_decimal: '0.088', currency: 'CNY' }
    expect([answer.usage.cost, (await read(id)).usage.cost]).toEqual([shown, shown])
    const events = await json<List<Record<string, unknown>>>(call('GET', `/v1/sessions/${id}/events?limit=100`))
    const { body } = await call('GET', `/v1/sessions/${id}/events`, { headers: { accept: 'text/event-stream' } })
    const told = await hearUntil(body, ({ event }) => event === 'run-end')
    expect(told.filter(({ id: one }) => !one?.includes('.')).map(({ data }) => data)).toEqual(events.data)
    const costs = JSON.stringify(events.data).match(/"amount":[^}]*/g) ?? []
    expect(costs.length).toBeGreaterThan(4)
    expect(
      costs.filter((cost) => !/^"amount":[\d.e-]+,"currency":"CNY","amount_decimal":"\d+(?:\.\d*[1-9])?"$/.test(cost)),
    ).toEqual([])
  })

  test('is decimal text beside the investment that a team goes on with', async ({ expect }) => {
    const role = (name: string, watch: string) => ({
      name,
      profile: name,
      watch: [watch],
      actions: [{ name: `${name} speaks`, instruction: 'Speak.' }],
    })
    const team = { roles: [role('A', 'UserRequirement'), role('B', 'A speaks')], n_round: 1 }
    const set = await stage(['first', 'second'])
    const { id } = await newSession(set, { team, config: { ...set.config, language: 'en', model: 'priced' } })
    expect(await sent(id, 'Begin')).toMatchObject({ finish_reason: 'max_rounds' })
    const more = { n_round: 1, investment: { amount: 2.5, currency: 'CNY' } }
    await json(call('POST', `/v1/sessions/${id}/continue`, { body: more }))
    const { data } = await json<List<{ type: string; investment?: unknown }>>(
      call('GET', `/v1/sessions/${id}/events?limit=100`),
    )
    const told = data.filter(({ type, investment }) => type.startsWith('run-') && investment)
    expect(told.map(({ investment }) => investment)).toEqual([{ ...more.investment, amount_decimal: '2.5' }])
  })

  test('is by skill too: what its sessions spent', async ({ expect }) => {
    const set = await stage([finishes])
    const name = `skill-${crypto.randomUUID()}`
    const skill = { name, version: '1', description: 'd', prompt: 'Answer.' }
    expect((await call('POST', '/v1/skills', { body: skill })).status).toBe(201)
    const { id } = await newSession(set, { skill: name, config: { ...set.config, language: 'en', model: 'priced' } })
    await sent(id, words.task)
    expect(await sumOf('by=skill', name)).toMatchObject({ model_calls: 1, cost: { currency: 'CNY' } })
    await spent()
    expect((await sumOf('by=skill', null))?.model_calls).toBeGreaterThan(0)
  })

  test('is by day without more said, and adds up by model and by day to the same', async ({ expect }) => {
    const own = await inTenant('sums')
    const { config } = await stage([{ ...finishes, repeat: true }])
    for (const named of [{ model: 'priced' }, {}]) {
      const body = { task: words.task, config: { ...config, language: 'en', ...named } }
      await json(call('POST', '/v1/sessions', { body, ...own }), 201)
    }
    const list = (query: string) => json<List<UsageSum>>(call('GET', `/v1/usage${query}`, own))
    const days = await list('')
    expect(days).toMatchObject({ object: 'list', next_cursor: null })
    expect(days.data.map(({ key }) => key)).toContain(day(0))
    const models = (await list('?by=model')).data
    expect(new Set(models.map(({ key }) => key))).toEqual(new Set(['priced', 'scripted']))
    expect(models.find(({ key }) => key === 'priced')).toMatchObject({ cost: { currency: 'CNY' } })
    const total = (each: UsageSum[]) => each.reduce((all, { total_tokens: tokens }) => all + tokens, 0)
    expect(total(models)).toBe(18_000)
    expect(total(days.data)).toBe(18_000)
  })

  test('begins with `from` and ends before `to`, dates or times', async ({ expect }) => {
    const before = new Date().toISOString()
    const { id } = await spent()
    const after = new Date(Date.now() + 1).toISOString()
    for (const within of [
      `from=${day(0)}&to=${day(1)}`,
      `from=${before}&to=${after}`,
      `from=${day(-1)}`,
      `to=${day(1)}`,
      `from=${encodeURIComponent('2020-01-01T00:00:00+08:00')}`,
    ])
      expect([within, (await sumOf(`by=session&${within}`, id))?.model_calls]).toEqual([within, 2])
    for (const without of [`from=${day(1)}`, `to=${day(0)}`, `to=${before}`, `from=${after}`])
      expect([without, await sumOf(`by=session&${without}`, id)]).toEqual([without, undefined])
  })

  test('comes by pages', async ({ expect }) => {
    const mine = [(await spent()).user, (await spent()).user].toSorted()
    const seen: (string | null)[] = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const query: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
      const page: List<UsageSum> = await usage(`by=user&limit=1${query}`)
      seen.push(...page.data.map(({ key }) => key))
      cursor = page.next_cursor
    }
    expect(seen.filter((key) => key !== null && mine.includes(key))).toEqual(mine)
    expect(new Set(seen).size).toBe(seen.length)
  })

  test('keeps its sums when a session is deleted, and when it is read again', async ({ expect }) => {
    const { id } = await spent()
    const sum = await sumOf('by=session', id)
    await read(id)
    await call('DELETE', `/v1/sessions/${id}`)
    expect(await sumOf('by=session', id)).toEqual(sum)
  })

  test('has what a session had spent that is deleted while it runs', async ({ expect }) => {
    const set = await stage([thinks, { hang: true }])
    const { id } = await newSession(set, { config: { ...set.config, language: 'en', model: 'priced' } })
    const headers = { prefer: 'respond-async' }
    await call('POST', `/v1/sessions/${id}/messages`, { body: { content: words.task }, headers })
    await set.model.asked(2)
    await call('DELETE', `/v1/sessions/${id}`)
    expect(await sumOf('by=session', id)).toMatchObject({ model_calls: 1, tool_calls: 1, iterations: 2 })
  })

  test('counts a copy only for what it spends itself', async ({ expect }) => {
    const { id } = await spent()
    const fork = await json<SessionData>(call('POST', `/v1/sessions/${id}/fork`, { body: {} }), 201)
    expect(fork.usage.model_calls).toBe(2)
    expect(await sumOf('by=session', fork.id)).toBeUndefined()
    const set = await stage([finishes])
    await call('PATCH', `/v1/sessions/${fork.id}`, { body: { config: { llm: set.config.llm } } })
    await sent(fork.id, 'Once more')
    expect(await sumOf('by=session', fork.id)).toMatchObject({ model_calls: 1, tool_calls: 1, total_tokens: 9_000 })
    const document = await (await call('GET', `/v1/sessions/${fork.id}/export`)).text()
    const copy = await json<SessionData>(call('POST', '/v1/sessions/import', { body: document }), 201)
    expect(await sumOf('by=session', copy.id)).toBeUndefined()
  })

  test('counts the calls of sessions that their callers keep', async ({ expect }) => {
    const set = await stage([finishes])
    const [id, user] = [`mine-${crypto.randomUUID()}`, `u-${crypto.randomUUID()}`]
    const config = { ...set.config, language: 'en', model: 'priced' }
    const body = { id, user, config, messages: [{ role: 'user', content: words.task }] }
    await json(call('POST', '/v1/agent', { body }))
    expect(await sumOf('by=session', id)).toMatchObject({ model_calls: 1, tool_calls: 1, total_tokens: 9_000 })
    await set.model.script([finishes])
    await json(call('POST', '/v1/agent', { body }))
    expect(await sumOf('by=user', user)).toMatchObject({
      model_calls: 2,
      cost: { amount: expect.closeTo(2 * PRICE, 9) },
    })
  })

  test('names what has no price', async ({ expect }) => {
    const set = await stage([{ content: words.finish('good'), usage: null }])
    const { id } = await newSession(set, { config: { ...set.config, language: 'en' } })
    await sent(id, words.task)
    expect(await sumOf('by=session', id)).toMatchObject({
      cost: null,
      unpriced_models: ['scripted'],
      estimated_calls: 1,
    })
  })

  test('is of the tenant whose key is shown', async ({ expect }) => {
    const { id } = await spent()
    const answer = call('GET', '/v1/usage?by=session', await inTenant('other'))
    expect((await json<List<UsageSum>>(answer)).data.map(({ key }) => key)).not.toContain(id)
  })

  test.for([
    ['by=week', 'by'],
    ['from=yesterday', 'from'],
    ['from=2026-02-30', 'from'],
    ['to=2026-01-01T25:00:00Z', 'to'],
    ['to=2026-01-01T10:00:00', 'to'],
    ['limit=101', 'limit'],
    ['since=2026-01-01', 'since'],
  ])('refuses %s', async ([query, path], { expect }) => {
    const refused = await problem(call('GET', `/v1/usage?${query}`), 400)
    expect(refused).toMatchObject({ code: 'invalid_input', errors: [{ path }] })
  })
})
