import { abortAllDurableObjects, evictDurableObject, runDurableObjectAlarm } from 'cloudflare:test'
import { describe, test } from 'vitest'
import type { SessionConfig } from '../../../src/domain/config.ts'
import type { ListedPending, Pending } from '../../../src/domain/pending.ts'
import type { AgentResponseData, SessionData } from '../../../src/domain/session.ts'
import { LIMITS } from '../../../src/domain/limits.ts'
import { newId } from '../../../src/lib/id.ts'
import { hear } from '../../support/sse.ts'
import { native } from '../../support/words.ts'
import { flushCounters } from '../../../src/objects/counters.ts'
import { metricsObject } from '../../../src/objects/env.ts'
import { env, stubOf, within } from '../session/worker-home.ts'
import { call, json, type List, problem, read, stage } from './http.ts'

const TOOL = {
  name: 'find_order',
  description: 'Looks up an order of the shop.',
  parameters: { type: 'object', properties: { number: { type: 'integer' } }, required: ['number'] },
}
const END = native('finish', { reason: 'done' })
const SCRIPT = [native('find_order', { number: 7 }), END]

async function setting(script: Parameters<typeof stage>[0] = SCRIPT) {
  const { config, ...set } = await stage(script)
  const { protocol: _, ...llm } = config.llm ?? {}
  return { ...set, config: { ...config, llm } }
}

/** A session whose run waits for its caller. */
async function waiting(script?: Parameters<typeof stage>[0]) {
  const { config, model } = await setting(script)
  const body = { task: 'Where is order 7?', config, client_tools: [TOOL] }
  const session = await json<SessionData>(call('POST', '/v1/sessions', { body }), 201)
  const [item] = session.pending
  if (item?.type !== 'tool_call') throw new Error('a call was to wait for its caller')
  const path = `/v1/sessions/${session.id}/pending/${item.id}`
  const give = (said: unknown, headers = {}) => call('POST', path, { body: said, headers })
  return { id: session.id, item, path, give, model }
}

async function keyWith(scopes: string[]) {
  const { key } = await json<{ key: string }>(call('POST', '/v1/keys', { body: { name: 'k', scopes } }), 201)
  return { authorization: `Bearer ${key}` }
}

describe('tools of a caller', () => {
  test('come with a new session, with a message and with a skill', async ({ expect }) => {
    const { config } = await setting(Array.from({ length: 2 }, () => native('find_order', { number: 7 })))
    const created = await json<SessionData>(call('POST', '/v1/sessions', { body: { config } }), 201)
    const said = { content: 'Where is order 7?', client_tools: [TOOL] }
    const asked = await json<AgentResponseData>(call('POST', `/v1/sessions/${created.id}/messages`, { body: said }))
    expect(asked.pending).toMatchObject([{ type: 'tool_call', tool: 'find_order' }])
    const name = `orders-${newId('run', Date.now()).slice(-8)}`
    const skill = {
      name,
      version: '1',
      description: 'Orders',
      prompt: 'You look up orders.',
      tools: [],
      finish: 'no_call',
    }
    await json(call('POST', '/v1/skills', { body: skill }), 201)
    const body = { input: 'Where is order 7?', config, client_tools: [TOOL] }
    const ran = await json<AgentResponseData>(call('POST', `/v1/skills/${name}/run`, { body }))
    expect(ran.pending).toMatchObject([{ type: 'tool_call', tool: 'find_order' }])
  })

  test('are counted as one although their session rested meanwhile', async ({ expect }) => {
    const { id, give } = await waiting()
    await flushCounters(env, 'default')
    const counted = async (tool: string) => {
      const rows = await metricsObject(env, 'default').read()
      const calls = rows.filter(({ name, labels }) => name === 'yaa_tool_calls_total' && labels['tool'] === tool)
      return calls.reduce((sum, { value }) => sum + value, 0)
    }
    const before = [await counted('client'), await counted('')]
    await evictDurableObject(stubOf(id))
    await json(give({ result: 'sent' }))
    await flushCounters(env, 'default')
    expect([await counted('client'), await counted('')]).toEqual([(before[0] ?? 0) + 1, before[1]])
  })

  test('are waited for as long as they may take although the alarm rings before', async ({ expect }) => {
    const { id, item } = await waiting()
    const alarm = () => within(id, (_object, { storage }) => storage.getAlarm())
    const due = Date.parse(item.expires_time)
    await expect.poll(alarm, { timeout: 5_000 }).toBe(due)
    expect(await runDurableObjectAlarm(stubOf(id))).toBe(true)
    expect(await alarm()).toBe(due)
  })

  const WRONG: [string, unknown, string][] = [
    ['no list', { name: 'x' }, 'client_tools'],
    ['a name with a space', [{ ...TOOL, name: 'a b' }], 'client_tools.0.name'],
    ['a name of 65 characters', [{ ...TOOL, name: 'x'.repeat(65) }], 'client_tools.0.name'],
    ['the same name twice', [TOOL, TOOL], 'client_tools.1.name'],
    ['an unknown field', [{ ...TOOL, run: 'x' }], 'client_tools.0.run'],
    ['parameters that are no object', [{ ...TOOL, parameters: { type: 'string' } }], 'client_tools.0.parameters.type'],
    [
      'no schema',
      [{ ...TOOL, parameters: { properties: { a: { type: 'text' } } } }],
      'client_tools.0.parameters.properties.a.type',
    ],
    [
      'a schema that is too long',
      [{ ...TOOL, parameters: { description: 'x'.repeat(LIMITS.clientTool.schemaBytesMax) } }],
      'client_tools.0.parameters',
    ],
    [
      'too many',
      Array.from({ length: LIMITS.clientTool.toolsMax + 1 }, (_, index) => ({ ...TOOL, name: `t${index}` })),
      'client_tools',
    ],
  ]
  test.for(WRONG)('that are wrong are refused with the place: %s', async ([, tools, path], { expect }) => {
    const { config } = await setting()
    const body = { task: 'x', config, client_tools: tools }
    for (const [to, sent] of [
      ['/v1/sessions', body],
      ['/v1/agent', { config, client_tools: tools, messages: [{ role: 'user', content: 'x' }] }],
    ] as const) {
      const told = await problem(call('POST', to, { body: sent }), 400)
      expect(told.errors?.map((one) => one.path)).toContain(path)
    }
  })

  test('without a task are refused: they are of a run', async ({ expect }) => {
    const told = await problem(call('POST', '/v1/sessions', { body: { client_tools: [TOOL] } }), 400)
    expect(told.errors).toMatchObject([{ path: 'client_tools' }])
  })
})

describe('a call that its caller makes', () => {
  test('is listed with what waits, and is gone with its result', async ({ expect }) => {
    const { id, item, give } = await waiting()
    const listed = async () => {
      const { data } = await json<List<ListedPending>>(call('GET', '/v1/pending?type=tool_call&limit=100'))
      return data.filter(({ session_id: session }) => session === id)
    }
    expect(await listed()).toMatchObject([{ id: item.id, tool: 'find_order', arguments: { number: 7 } }])
    expect(await json(give({ result: ['on', 'its', 'way'] }))).toMatchObject({ status: 'completed', result: 'done' })
    expect(await listed()).toEqual([])
    expect((await read(id)).pending).toEqual([])
  })

  test('takes its result from who may run, and from nobody who only decides', async ({ expect }) => {
    const { id, give } = await waiting()
    const decides = await keyWith(['decide', 'read'])
    expect(await problem(give({ result: 1 }, decides), 403)).toMatchObject({ code: 'forbidden' })
    expect((await read(id)).pending).toHaveLength(1)
    const runs = await keyWith(['run'])
    expect(await problem(give({ decision: 'reject' }, runs), 403)).toMatchObject({ code: 'forbidden' })
    expect(await json(give({ result: 1 }, runs))).toMatchObject({ status: 'completed' })
  })

  test('is given up by who may run and says something else', async ({ expect }) => {
    const { id } = await waiting()
    const runs = await keyWith(['run'])
    const said = call('POST', `/v1/sessions/${id}/messages`, { body: { content: 'never mind' }, headers: runs })
    expect(await json(said)).toMatchObject({ status: 'completed' })
  })

  const WRONG: [unknown, string][] = [
    [{}, 'decision'],
    [{ result: 1, error: 'x' }, 'decision'],
    [{ decision: 'answer', answer: 'x', result: 1 }, 'decision'],
    [{ result: 1, feedback: 'x' }, 'decision'],
    [{ error: '' }, 'error'],
    [{ error: 5 }, 'error'],
    [{ result: 'x'.repeat(LIMITS.clientTool.resultBytesMax) }, 'result'],
  ]
  test('refuses what is no result, with the place, and still waits', async ({ expect }) => {
    const { id, give } = await waiting()
    for (const [said, path] of WRONG) {
      const told = await problem(give(said), 400)
      expect(told.errors?.map((one) => one.path)).toContain(path)
    }
    expect((await read(id)).pending).toHaveLength(1)
  })

  test('is answered once: the same again by its key, another is stale', async ({ expect }) => {
    const { give } = await waiting()
    const keyed = { 'idempotency-key': newId('run', Date.now()) }
    const first = await json(give({ result: null }, keyed))
    const again = await give({ result: null }, keyed)
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(await again.json()).toEqual(first)
    expect(await problem(give({ result: 2 }, keyed), 422)).toMatchObject({ code: 'idempotency_key_reused' })
    expect(await problem(give({ result: 2 }), 409)).toMatchObject({ code: 'stale_decision' })
  })

  test('goes on as a stream, and in the background', async ({ expect }) => {
    const one = await waiting()
    const heard = await hear(
      (await one.give({ result: 1 }, { accept: 'text/event-stream' })).body ?? new ReadableStream(),
    )
    expect(heard.map(({ event }) => event)).toEqual(expect.arrayContaining(['pending-end', 'tool-end', 'run-end']))
    const two = await waiting()
    await json(two.give({ result: 1 }, { prefer: 'respond-async' }), 202)
  })

  test('has no decide link', async ({ expect }) => {
    const { id, item } = await waiting()
    const body = { scope: 'decide', pending_id: item.id }
    expect(await problem(call('POST', `/v1/sessions/${id}/links`, { body }), 400)).toMatchObject({
      errors: [{ path: 'pending_id' }],
    })
  })

  test('is on record in the audit', async ({ expect }) => {
    const { id, item, give } = await waiting()
    await json(give({ error: 'closed' }))
    const { data } = await json<List<{ action: string; details: object }>>(
      call('GET', `/v1/audit?target=${id}&limit=100`),
    )
    const decided = data.find(({ action }) => action === 'session.decide')
    expect(decided?.details).toMatchObject({
      pending_id: item.id,
      answered: 'error',
      decisions: [{ tool: 'find_order' }],
    })
  })
})

describe('a call of a session that its caller keeps', () => {
  const user = { role: 'user', content: 'Where is order 7?' }

  async function asked(more: Partial<SessionConfig> = {}) {
    const { config: set, model } = await setting()
    const config = { ...set, ...more }
    const run = (body: object, headers = {}) =>
      json<AgentResponseData>(call('POST', '/v1/agent', { body: { config, client_tools: [TOOL], ...body }, headers }))
    const first = await run({ messages: [user] })
    const [item] = first.pending
    if (!item) throw new Error('a call was to wait')
    return {
      first,
      item,
      model,
      again: (pending: unknown[], headers = {}) =>
        run({ ...first, messages: [user, ...first.messages], pending }, headers),
    }
  }

  test('comes back with its result beside the item and its proof', async ({ expect }) => {
    const { first, item, model, again } = await asked()
    expect(first).toMatchObject({ status: 'interrupted', pending: [{ type: 'tool_call', proof: expect.any(String) }] })
    const runs = await keyWith(['run'])
    expect(await again([{ ...item, result: 'on its way' }], runs)).toMatchObject({
      status: 'completed',
      result: 'done',
    })
    expect(JSON.stringify((await model.asked())[1]?.body.messages)).toContain('on its way')
  })

  test('is handed out again without a result, or where the proof is of another call', async ({ expect }) => {
    const { item, again } = await asked()
    const other: Pending = { ...item, arguments_hash: '0'.repeat(64) }
    for (const pending of [[], [item], [{ ...item, proof: 'A'.repeat(43), result: 1 }], [{ ...other, result: 1 }]])
      expect(await again(pending)).toMatchObject({ status: 'interrupted', pending: [{ call_id: item.call_id }] })
  })

  test('is over with its time: a late result does not count, and nothing is handed out twice', async ({ expect }) => {
    const limits = { approval_ttl_ms: 1 }
    for (const late of [{}, { result: 'too late for Köln' }]) {
      const { item, model, again } = await asked({ limits })
      await expect.poll(() => Date.now() > Date.parse(item.expires_time)).toBe(true)
      expect(await again([{ ...item, ...late }])).toMatchObject({ status: 'completed', result: 'done', pending: [] })
      const told = JSON.stringify((await model.asked())[1]?.body.messages)
      expect(told).toContain('the caller gave no result')
      expect(told).not.toContain('Köln')
    }
  })

  test('takes its result from another process, and once under its key', async ({ expect }) => {
    const { item, model, again } = await asked()
    await abortAllDurableObjects()
    const headers = { 'idempotency-key': newId('call', Date.now()) }
    const answered = [{ ...item, result: 'on its way' }]
    const first = await again(answered, headers)
    expect(first).toMatchObject({ status: 'completed', result: 'done' })
    expect(await again(answered, headers)).toEqual(first)
    expect(await model.asked()).toHaveLength(2)
  })

  test('takes a result as a message of the history, too', async ({ expect }) => {
    const { config, model } = await setting()
    const calls = [{ id: 'call_1', name: 'find_order', arguments: { number: 7 } }]
    await model.script([END])
    const messages = [
      user,
      { role: 'assistant', content: '', tool_calls: calls },
      { role: 'tool', tool_call_id: 'call_1', content: 'on its way' },
    ]
    const answer = await json(call('POST', '/v1/agent', { body: { config, client_tools: [TOOL], messages } }))
    expect(answer).toMatchObject({ status: 'completed', result: 'done' })
  })
})
