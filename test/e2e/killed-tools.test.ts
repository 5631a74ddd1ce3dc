import { afterAll, beforeAll, describe, test } from 'vitest'
import type { SessionData } from '../../src/domain/session.ts'
import { calls, says } from '../support/scripted-model.ts'
import { type Served, startServed } from '../support/served.ts'

let served: Served
beforeAll(async () => {
  served = await startServed({ html: '<p>Water boils at 100 °C.</p>' })
})
afterAll(() => served.close())

const ORDER = { name: 'find_order', description: 'Looks up an order.', parameters: { type: 'object' } }
const asked = () => served.model.requests.length
const lastAsked = () => JSON.stringify(served.model.requests.at(-1)?.body)

/** A run that rests with calls of the caller. */
const calling = (config: Record<string, unknown> = {}) =>
  served.client.sessions.create({ task: 'Where are my orders?', client_tools: [ORDER], config })

const texts = ({ messages }: SessionData) => messages.map(({ content }) => JSON.stringify(content))
const timesSaid = (session: SessionData, words: string) => texts(session).filter((text) => text.includes(words)).length
const resultsIn = ({ messages }: SessionData) => messages.filter(({ role }) => role === 'tool').length

describe('a server that is killed', () => {
  test('between the results of a turn makes the call of its own once and waits for the other result', async ({
    expect,
  }) => {
    const { client, site } = served
    const order = (number: number) => ({ name: 'find_order', arguments: { number } })
    const visit = { name: 'web_access', arguments: { url: `${site.url}/beside` } }
    await served.script([{ tool_calls: [order(1), visit, order(2)] }, says('Both are here.')])
    const begun = await calling({ tools: { web_access: { auto_approve: true } } })
    const [first, second] = begun.pending
    expect(begun.pending.map(({ type }) => type)).toEqual(['tool_call', 'tool_call'])
    await served.restart()
    const still = await client.sessions.decide(begun.id, second?.id ?? '', { result: 'the second' })
    expect(still).toMatchObject({ status: 'interrupted', pending: [{ id: first?.id }] })
    await served.restart()
    const ended = await client.sessions.decide(begun.id, first?.id ?? '', { result: 'the first' })
    expect(ended).toMatchObject({ status: 'completed', result: 'Both are here.' })
    expect(site.hits.filter((hit) => hit === '/beside')).toHaveLength(1)
    expect(lastAsked()).toMatch(/the first[^]*100 °C[^]*the second/)
    expect(resultsIn(await client.sessions.get(begun.id))).toBe(3)
  })

  test('while the time of a call runs out lets it expire by itself, and goes on', async ({ expect }) => {
    const { client } = served
    await served.script([calls('find_order', {}), says('Nobody knows.')])
    const { id, pending } = await calling({ limits: { approval_ttl_ms: 1_500 } })
    await served.restart()
    // The list wakes no session: its alarm has to.
    const status = async () => (await client.sessions.list({ limit: 100 })).data.find((one) => one.id === id)?.status
    await expect.poll(status).toBe('completed')
    const session = await client.sessions.get(id)
    expect(session).toMatchObject({ result: 'Nobody knows.', pending: [] })
    expect(lastAsked()).toContain('the caller gave no result')
    const late = client.sessions.decide(id, pending[0]?.id ?? '', { result: 'too late for Köln' })
    await expect(late).rejects.toMatchObject({ status: 409, code: 'stale_decision' })
  })

  test('after a call was given up by cancel takes no result for it, and another task', async ({ expect }) => {
    const { client } = served
    await served.script([calls('find_order', {}), says('Another answer.')])
    const { id, pending } = await calling()
    expect(await client.sessions.cancel(id)).toMatchObject({ status: 'cancelled', pending: [] })
    await served.restart()
    const late = client.sessions.decide(id, pending[0]?.id ?? '', { result: 'too late for Köln' })
    await expect(late).rejects.toMatchObject({ status: 409, code: 'stale_decision' })
    expect(await client.sessions.send(id, { content: 'Another task' })).toMatchObject({ result: 'Another answer.' })
    expect(timesSaid(await client.sessions.get(id), 'too late for Köln')).toBe(0)
  })

  test('while a task stands in line behind a call keeps both', async ({ expect }) => {
    const { client } = served
    await served.script([{ ...calls('find_order', {}), hold_after: 0 }, says('The first.'), says('The second.')])
    const before = asked()
    const { id } = await client.sessions.begin({ task: 'Where are my orders?', client_tools: [ORDER] })
    await expect.poll(asked).toBe(before + 1)
    const queued = await client.sessions.start(id, { type: 'message', content: 'And then?' }, { whenBusy: 'queue' })
    await served.release()
    const { pending } = await client.sessions.wait(id)
    await served.restart()
    const first = await client.sessions.decide(id, pending[0]?.id ?? '', { result: 'Köln' })
    expect(first.result).toBe('The first.')
    const session = await client.sessions.wait(id)
    expect(session).toMatchObject({ status: 'completed', result: 'The second.' })
    expect(session.messages.at(-1)?.run_id).toBe(queued.run_id)
    expect(session.messages.filter(({ kind }) => kind === 'task').map(({ content }) => content)).toEqual([
      'Where are my orders?',
      'And then?',
    ])
  })

  test('right after a result came by a WebSocket keeps it, and the socket tells the rest', async ({ expect }) => {
    const { client } = served
    await served.script([calls('find_order', {}), { hang: true }, says('It is in Köln.')])
    const { id, pending, last_seq: after } = await calling()
    const before = asked()
    const socket = client.sessions.connect(id, { after })
    socket.send({ type: 'decide', pending_id: pending[0]?.id ?? '', result: 'Köln' })
    const told: number[] = []
    let isKilled = false
    for await (const event of socket) {
      if ('seq' in event && !event.type.endsWith('-delta')) told.push(event.seq)
      if (event.type === 'model-start' && !isKilled) {
        isKilled = true
        await expect.poll(asked).toBe(before + 1)
        await served.restart()
      }
      if (event.type !== 'run-end') continue
      expect(event).toMatchObject({ status: 'completed', result: 'It is in Köln.' })
      break
    }
    expect(told).toEqual(told.map((_, index) => after + 1 + index))
    expect(resultsIn(await client.sessions.get(id))).toBe(1)
  })

  test('at the moment in which a run ends, and is steered, loses neither', async ({ expect }) => {
    const { client } = served
    const end = calls('finish', { reason: 'About tea.' })
    await served.script([{ ...end, hold_after: 0 }, says('About tea and coffee.'), says('About tea and coffee.')])
    const before = asked()
    const { id } = await client.sessions.begin({ task: 'Tell me about tea' })
    await expect.poll(asked).toBe(before + 1)
    const steer = { type: 'message', content: 'and about coffee' } as const
    await client.sessions.start(id, steer, { whenBusy: 'steer' })
    await Promise.all([served.release(), served.restart()])
    const session = await client.sessions.wait(id)
    expect(session).toMatchObject({ status: 'completed', result: 'About tea and coffee.' })
    expect(timesSaid(session, 'and about coffee')).toBe(1)
    expect(lastAsked()).toContain('and about coffee')
    expect(session.messages.filter(({ kind }) => kind === 'task')).toHaveLength(1)
  })
})
