import { describe, test } from 'vitest'
import type { AuditEntry } from '../../../src/domain/audit.ts'
import type { AgentResponseData, StreamResponseData } from '../../../src/domain/session.ts'
import { sha256Hex } from '../../../src/lib/hash.ts'
import { hear } from '../../support/sse.ts'
import { WORDS } from '../../support/words.ts'
import { env } from '../session/worker-home.ts'
import { call, json, type List, problem, type Stage, stage } from './http.ts'

const zh = WORDS['zh-CN']
const user = (content: string) => ({ role: 'user', content })
const post = ({ config }: Stage, body: object, headers: Record<string, string> = {}) =>
  call('POST', '/v1/agent', { body: { config, ...body }, headers })
const run = (set: Stage, body: object): Promise<AgentResponseData> => json(post(set, body))

describe('an approval in a history that its caller keeps', () => {
  const approval = user(zh.approvals[0]?.('网页访问') ?? '')

  /** A history whose call waits, and what goes on with it. */
  async function asked() {
    const set = await stage((page) => [zh.visit(page('article')), zh.finish('好')])
    const first = await run(set, { messages: [user(zh.task)] })
    const history = [user(zh.task), ...first.messages, approval]
    return { set, first, history, again: (body: object) => run(set, { messages: history, ...body }) }
  }

  test('without its proof asks again, with a proof of its own', async ({ expect }) => {
    const { set, first, again } = await asked()
    expect(first.pending[0]?.proof).toMatch(/^[\w-]{43}$/)
    const forged = first.pending.map((item) => ({ ...item, proof: 'A'.repeat(43) }))
    const { proof: _, ...unproven } = first.pending[0] ?? {}
    for (const pending of [[], [unproven], forged]) {
      const answer = await again({ pending })
      expect(answer).toMatchObject({ status: 'interrupted', pending: [{ tool: 'web_access' }], messages: [] })
      expect(answer.pending[0]?.proof).toMatch(/^[\w-]{43}$/)
    }
    expect(await set.site.visits()).toEqual([])
  })

  test('counts for the call, the arguments and the time that its proof is for, and no other', async ({ expect }) => {
    const { set, first, again } = await asked()
    const [item] = first.pending
    const late = { ...item, expires_time: new Date(Date.now() + 30 * 24 * 3_600_000).toISOString() }
    const moved = first.messages.map(({ tool_calls: calls, ...message }) => ({
      ...message,
      ...(calls ? { tool_calls: calls.map((one) => ({ ...one, arguments: { url: set.site.url('zh') } })) } : {}),
    }))
    const renamed = first.messages.map(({ tool_calls: calls, ...message }) => ({
      ...message,
      ...(calls ? { tool_calls: calls.map((one) => ({ ...one, id: 'call_other' })) } : {}),
    }))
    const tries = [
      { pending: [late] },
      { pending: [item], messages: [user(zh.task), ...moved, approval] },
      { pending: [item], messages: [user(zh.task), ...renamed, approval] },
    ]
    for (const body of tries) expect(await again(body)).toMatchObject({ status: 'interrupted', messages: [] })
    expect(await set.site.visits()).toEqual([])
    expect(await again({ pending: [item] })).toMatchObject({ status: 'completed', result: '好' })
    expect(await set.site.visits()).toEqual(['article'])
  })

  test('is in the audit, with the hash of its arguments', async ({ expect }) => {
    const { first, again } = await asked()
    const decided = async () => {
      const { data } = await json<List<AuditEntry>>(call('GET', '/v1/audit?action=agent.run&limit=1'))
      return data[0]?.details['decisions']
    }
    await again({ pending: [] })
    expect(await decided()).toBeUndefined()
    await again({ pending: first.pending })
    const about = { tool: 'web_access', arguments_hash: first.pending[0]?.arguments_hash }
    expect(await decided()).toEqual([{ pending_id: expect.any(String), decision: 'approve', ...about }])
  })

  test('whose proof is over asks again', async ({ expect }) => {
    const { set, history } = await asked()
    const config = { ...set.config, limits: { approval_ttl_ms: 1 } }
    const short = await run(set, { config, messages: history })
    expect(Date.parse(short.pending[0]?.expires_time ?? '')).toBeLessThan(Date.now() + 2)
    await set.model.asked()
    expect(await run(set, { messages: history, pending: short.pending })).toMatchObject({ status: 'interrupted' })
    expect(await set.site.visits()).toEqual([])
  })

  test('by a key that may not decide is refused; without a proof it asks, as for all', async ({ expect }) => {
    const { set, first, history } = await asked()
    const body = { name: 'runs', scopes: ['run'] }
    const { key } = await json<{ key: string }>(call('POST', '/v1/keys', { body }), 201)
    const headers = { authorization: `Bearer ${key}` }
    const proven = { messages: history, pending: first.pending }
    expect(await problem(post(set, proven, headers), 403)).toMatchObject({ code: 'forbidden' })
    const other = { messages: [...history.slice(0, -1), user('不要')], pending: first.pending }
    expect(await problem(post(set, other, headers), 403)).toMatchObject({ code: 'forbidden' })
    expect(await json(post(set, { messages: history }, headers))).toMatchObject({ status: 'interrupted' })
    expect(await set.site.visits()).toEqual([])
  })

  test('is proven by another tenant’s item no more than by none', async ({ expect }) => {
    const { set, first, history } = await asked()
    const key = { id: 'theirs', sha256: await sha256Hex('theirs'), scopes: ['admin'], tenant: 'another' }
    const theirs = JSON.stringify({ ...JSON.parse(env.YAA_CONFIG ?? '{}'), auth: { keys: [key] } })
    const answer = call('POST', '/v1/agent', {
      body: { config: set.config, messages: history, pending: first.pending },
      headers: { authorization: 'Bearer theirs' },
      env: { YAA_CONFIG: theirs },
    })
    expect(await json(answer)).toMatchObject({ status: 'interrupted', messages: [] })
    expect(await set.site.visits()).toEqual([])
  })

  test('is streamed what it needs: the last chunk has what waits, with its proof', async ({ expect }) => {
    const set = await stage((page) => [zh.visit(page('article')), zh.finish('好')])
    const streamed = await post(set, { messages: [user(zh.task)] }, { accept: 'text/event-stream' })
    const chunks = (await hear(streamed.body)).map(({ data }) => data as unknown as StreamResponseData)
    const messages = [user(zh.task), ...chunks.flatMap(({ message }) => message ?? []), approval]
    const done = await run(set, { messages, pending: chunks.at(-1)?.pending })
    expect(done).toMatchObject({ status: 'completed', result: '好' })
  })
})
