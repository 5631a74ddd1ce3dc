import { afterAll, beforeAll, describe, test } from 'vitest'
import { type CallerTools, createClient, type Client } from '../../src/client/index.ts'
import { ADMIN_KEY } from '../support/admin-key.ts'
import { says } from '../support/scripted-model.ts'
import { type Served, startServed } from '../support/served.ts'

let served: Served
beforeAll(async () => {
  served = await startServed({ html: '<p>Water boils at 100 °C.</p>' })
})
afterAll(() => served.close())

const schema = { type: 'object', properties: { kettle: { type: 'string' } }, required: ['kettle'] }
const kettles = (execute: CallerTools[string]['execute']): CallerTools => ({
  read_kettle: { parameters: schema, execute },
})
const asks = (...names: string[]) => ({
  tool_calls: names.map((kettle) => ({ name: 'read_kettle', arguments: { kettle } })),
})

/** What the model was told of the calls of a session. */
async function told(client: Client, id: string): Promise<string[]> {
  const { messages } = await client.sessions.get(id)
  return messages.flatMap(({ role, content }) => (role === 'tool' ? [JSON.stringify(content)] : []))
}

/** A fetch whose first requests for a path fail: unsent, or with their answer lost. */
function losing(path: RegExp, ...lost: ('request' | 'answer')[]): typeof fetch {
  return async (input, init) => {
    const url = input instanceof Request ? input.url : input.toString()
    const fault = path.test(new URL(url).pathname) ? lost.shift() : undefined
    if (fault === 'request') throw new TypeError('connection refused')
    const answer = await fetch(input, init)
    if (fault !== 'answer') return answer
    await answer.body?.cancel()
    throw new TypeError('connection reset')
  }
}

describe('functions that are tools of a run', () => {
  test('are called once, and their result is given, though connections break', async ({ expect }) => {
    await served.script([asks('blue'), says('It boils.')])
    const client = createClient({
      server: served.url,
      key: ADMIN_KEY,
      fetch: losing(/\/pending\//, 'request', 'answer'),
    })
    const called: unknown[] = []
    const tools = kettles(({ kettle }) => called.push(kettle))
    const { id, result } = await client.sessions.create({ task: 'Look', tools })
    expect([result, called]).toEqual(['It boils.', ['blue']])
    await served.script([asks('red'), says('That, too.')])
    const again = createClient({
      server: served.url,
      key: ADMIN_KEY,
      fetch: losing(/\/pending\//, 'answer', 'request'),
    })
    await Array.fromAsync(again.sessions.stream(id, { type: 'message', content: 'And red?', tools }))
    expect([(await client.sessions.get(id)).result, called]).toEqual(['That, too.', ['blue', 'red']])
  })

  test('of two who look at a session: one answers, and both come to its end', async ({ expect }) => {
    await served.script([asks('blue'), says('It boils.')])
    const { client } = served
    const { id } = await client.sessions.create({
      task: 'Look',
      client_tools: [{ name: 'read_kettle', parameters: schema }],
    })
    const both = Promise.withResolvers<void>()
    let number = 0
    const tools = kettles(async () => {
      const own = ++number
      if (own === 2) both.resolve()
      await both.promise
      return { own }
    })
    const ends = await Promise.all([client.sessions.runTools(id, tools), client.sessions.runTools(id, tools)])
    expect([number, ends.map(({ result }) => result)]).toEqual([2, ['It boils.', 'It boils.']])
    expect(await told(client, id)).toHaveLength(1)
  })

  test('that give more than a result may have: the model is told', async ({ expect }) => {
    await served.script([asks('blue'), says('Too long.'), asks('red'), says('Too long again.')])
    const { client } = served
    const tools = kettles(() => 'x'.repeat(2_000_000))
    const made = await client.sessions.create({ task: 'Look', tools })
    await Array.fromAsync(client.sessions.stream(made.id, { type: 'message', content: 'Red?', tools }))
    const { result } = await client.sessions.get(made.id)
    expect([made.result, result]).toEqual(['Too long.', 'Too long again.'])
    for (const text of await told(client, made.id)) expect(text).toMatch(/could not be given/)
  })

  test('that run while the caller goes: nothing is left over that nobody awaits', async ({ expect }) => {
    await served.script([asks('blue', 'red')])
    const leftOver: unknown[] = []
    const hear = (error: unknown) => leftOver.push(error)
    process.on('unhandledRejection', hear)
    const stop = new AbortController()
    let running = 0
    const tools = kettles(async (_, { signal }) => {
      if (++running === 2) stop.abort(new Error('gone'))
      return new Promise((_resolve, reject) => {
        if (signal?.aborted) reject(new Error('stopped'))
        signal?.addEventListener('abort', () => reject(new Error('stopped')))
      })
    })
    await expect(served.client.sessions.create({ task: 'Look', tools }, stop.signal)).rejects.toThrow('gone')
    await new Promise((resolve) => setImmediate(resolve))
    process.off('unhandledRejection', hear)
    expect(leftOver).toEqual([])
  })
})
