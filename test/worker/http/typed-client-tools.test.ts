import { describe, test } from 'vitest'
import { type CallerTools, createClient } from '../../../src/client/client.ts'
import { newId } from '../../../src/lib/id.ts'
import { ADMIN_KEY } from '../../support/admin-key.ts'
import { native } from '../../support/words.ts'
import { call, json, stage } from './http.ts'

const END = native('finish', { reason: 'done' })
const orders = (...numbers: number[]) => ({
  content: null,
  tool_calls: numbers.map((number) => ({ name: 'find_order', arguments: { number } })),
})

const client = createClient({
  server: 'http://localhost',
  key: ADMIN_KEY,
  fetch: async (url, init) => {
    const { pathname, search } = new URL(url)
    const headers = Object.fromEntries(new Headers(init?.headers))
    return call(init?.method ?? 'GET', pathname + search, { body: init?.body ?? undefined, headers })
  },
})

/** The tools of a page, and the orders that it was asked for. */
function shop(): { tools: CallerTools; asked: unknown[] } {
  const asked: unknown[] = []
  const find: CallerTools['find_order'] = {
    description: 'Looks up an order.',
    parameters: { type: 'object', properties: { number: { type: 'integer' } }, required: ['number'] },
    execute: async ({ number }) => {
      asked.push(number)
      if (number === 13) throw new Error('no such order')
      return { number, place: 'Köln' }
    },
  }
  return { tools: { find_order: find }, asked }
}

async function setting(script: Parameters<typeof stage>[0]) {
  const { config, model } = await stage(script)
  const { protocol: _, ...llm } = config.llm ?? {}
  const told = async (index: number) => JSON.stringify((await model.asked())[index]?.body.messages)
  return { config: { ...config, llm }, model, told }
}

describe('the typed client with functions for tools', () => {
  test('makes the calls of a new session until its run ends', async ({ expect }) => {
    const { config, told } = await setting([orders(1, 2), orders(3), END])
    const { tools, asked } = shop()
    const session = await client.sessions.create({ task: 'Where are they?', config, tools })
    expect(session).toMatchObject({ object: 'session', status: 'completed', result: 'done', pending: [] })
    expect(asked).toEqual([1, 2, 3])
    expect(await told(1)).toContain('Köln')
  })

  test('makes those of a message, and tells the model what a function throws', async ({ expect }) => {
    const { config, told } = await setting([orders(13), END])
    const { tools } = shop()
    const { id } = await client.sessions.create({ config })
    const answer = await client.sessions.send(id, { content: 'Where is it?', tools })
    expect(answer).toMatchObject({ object: 'agent.response', status: 'completed', result: 'done' })
    expect(await told(1)).toContain('no such order')
  })

  test('makes those of a skill', async ({ expect }) => {
    const { config } = await setting([orders(1), END])
    const { tools, asked } = shop()
    const name = `orders-${newId('run', Date.now()).slice(-8)}`
    await client.createSkill({ name, version: '1', description: 'Orders', prompt: 'You look up orders.' })
    expect(await client.runSkill(name, { input: 'Where is it?', config, tools })).toMatchObject({ status: 'completed' })
    expect(asked).toEqual([1])
  })

  test('makes them while a stream is read, which goes on to the end of the run', async ({ expect }) => {
    const { config } = await setting([orders(1, 2), END])
    const { tools, asked } = shop()
    const { id } = await client.sessions.create({ config })
    const seqs: number[] = []
    const types: string[] = []
    for await (const event of client.sessions.stream(id, { type: 'message', content: 'Where are they?', tools })) {
      types.push(event.type)
      if (!('delta' in event)) seqs.push(event.seq)
    }
    expect(types.at(-1)).toBe('run-end')
    expect(asked).toEqual([1, 2])
    expect(seqs, 'no event is missing, and none comes twice').toEqual(seqs.map((_, index) => (seqs[0] ?? 0) + index))
  })

  test('goes on with calls that waited before it came', async ({ expect }) => {
    const { config } = await setting([orders(1, 2), orders(3), END])
    const { tools, asked } = shop()
    const body = { task: 'Where are they?', config, client_tools: [{ name: 'find_order' }] }
    const { id } = await json<{ id: string }>(call('POST', '/v1/sessions', { body }), 201)
    expect(await client.sessions.runTools(id, tools)).toMatchObject({ status: 'completed', result: 'done' })
    expect(asked).toEqual([1, 2, 3])
  })

  test('leaves what it has no function for to others', async ({ expect }) => {
    const { config } = await setting([native('web_access', { url: 'https://example.com/' })])
    const { tools } = shop()
    const session = await client.sessions.create({ task: 'Read it', config, tools })
    expect(session).toMatchObject({ status: 'interrupted', pending: [{ type: 'approval' }] })
    expect(await client.sessions.runTools(session.id, tools)).toMatchObject({ status: 'interrupted' })
  })

  test('steers a run that is going', async ({ expect }) => {
    const { config, model, told } = await setting([{ ...native('rethink', { reason: '…' }), hold_after: 0 }, END])
    const { id } = await client.sessions.begin({ task: 'Tell me about tea', config })
    await model.asked(1)
    const steered = client.sessions.start(id, { type: 'message', content: 'in one line' }, { whenBusy: 'steer' })
    await steered
    await model.release()
    expect(await client.sessions.wait(id)).toMatchObject({ status: 'completed', result: 'done' })
    expect(await told(1)).toContain('in one line')
  })
})
