import { describe, test } from 'vitest'
import { callbackFrom } from '../../../src/callbacks/callback.ts'
import { LIMITS } from '../../../src/domain/limits.ts'
import type { CallbackEvent } from '../../../src/domain/callback.ts'
import { nodeHome, type NodeHome } from '../../support/node-home.ts'
import { plan, reads } from '../../support/planned.ts'
import { startPlay } from '../../support/play.ts'
import { Waiting } from '../../support/waiting.ts'
import { native } from '../../support/words.ts'
import type { ReceivedBody } from '../../support/receivers.ts'

const RECEIVER = 'https://receiver.example/in'
const finish = (reason: string) => native('finish', { reason })

interface Told {
  id: string
  body: ReceivedBody
}

interface Opened {
  home: NodeHome
  /** What came, once it is so much. */
  readonly told: (count: number) => Promise<Told[]>
}

/** A home with a callback, and what its receiver was told. */
async function opened(events: CallbackEvent[]): Promise<Opened> {
  const came = new Waiting<Told>()
  const home = await nodeHome('sqlite', [], { language: 'en' }, async (url, init) => {
    if (url !== RECEIVER) return fetch(url, init)
    const body = JSON.parse(typeof init?.body === 'string' ? init.body : '') as ReceivedBody
    came.add('all', { id: new Headers(init?.headers).get('webhook-id') ?? '', body })
    return new Response('ok')
  })
  const input = { url: RECEIVER, events }
  const callback = callbackFrom(input, { tenant: 'default', origin: 'https://yaa.example' }, Date.now())
  await home.outbox.create(callback, null)
  return { home, told: (count) => new Promise((resolve) => came.when('all', count, resolve)) }
}

/** Once the outbox could not be reached: no answer waits for it. */
async function failed(home: NodeHome): Promise<void> {
  while (home.bugs().length === 0) await new Promise((resolve) => setImmediate(resolve))
}

const config = { llm: { protocol: 'native' as const } }
const resultsOf = (told: Told[]) => told.map(({ body }) => body.data['result'])

describe('what a session tells its tenant’s callbacks', () => {
  test('is not lost while the outbox cannot be reached: the alarm tells it', async ({ expect }) => {
    const { home, told } = await opened(['run.completed'])
    const play = await startPlay(home, { script: [finish('one')], config })
    home.outboxIsDown = true
    await play.create({ task: 'Do it' })
    await failed(home)
    expect(await told(0)).toEqual([])
    home.outboxIsDown = false
    home.advance(LIMITS.run.watchdogMs)
    expect(resultsOf(await told(1))).toEqual(['one'])
    expect(home.bugs()).toHaveLength(1)
    await home.close()
  })

  test('is not lost when the process dies between the end of a run and the outbox, and told once', async ({
    expect,
  }) => {
    const { home, told } = await opened(['run.completed'])
    const play = await startPlay(home, { script: [finish('one'), finish('two'), finish('three')], config })
    home.outboxIsDown = true
    await play.create({ task: 'Do it' })
    await failed(home)
    home.kill(play.id)
    home.outboxIsDown = false
    await play.send('Again')
    expect(resultsOf(await told(2))).toEqual(['one', 'two'])
    home.kill(play.id)
    await play.send('Once more')
    const all = await told(3)
    expect(resultsOf(all)).toEqual(['one', 'two', 'three'])
    expect(new Set(all.map(({ id }) => id)).size).toBe(3)
    await home.close()
  })

  test('holds a long result as far as it fits, and says where the rest is', async ({ expect }) => {
    const { home, told } = await opened(['run.completed'])
    const long = '长'.repeat(LIMITS.callback.resultCharsMax + 10)
    const play = await startPlay(home, { script: [finish(long)], config })
    await play.create({ task: 'Do it' })
    const [{ body }] = (await told(1)) as [Told]
    expect(body.data['truncated']).toEqual({
      original_length: long.length,
      kept_length: LIMITS.callback.resultCharsMax + 1,
      rest: `/v1/sessions/${play.id}?messages=last_run`,
    })
    await home.close()
  })

  test('names all that waits, in every rest, under a link each', async ({ expect }) => {
    const { home, told } = await opened(['run.interrupted', 'approval.requested'])
    const two = {
      tool_calls: ['a', 'b'].map((page) => ({ name: 'web_access', arguments: { url: `https://a.example/${page}` } })),
    }
    const play = await startPlay(home, { script: [two, finish('done')], config })
    const { pending } = await play.create({ task: 'Look' })
    const first = await told(3)
    expect(first.map(({ body }) => body.type)).toEqual(['approval.requested', 'approval.requested', 'run.interrupted'])
    const links = pending.map(({ id }) => `https://yaa.example/links/default.${play.id}.${id}`)
    expect(first.map(({ body }) => body.data.pending?.map((item) => item.decide_url))).toEqual([
      [links[0]],
      [links[1]],
      links,
    ])
    await play.decide({ decision: 'reject' }, pending[0]?.id)
    const last = (await told(4)).at(-1)
    expect(last?.body).toMatchObject({ type: 'run.interrupted', data: { pending: [{ id: pending[1]?.id }] } })
    await home.close()
  })

  test('says nothing of a rest in which nobody is asked', async ({ expect }) => {
    const { home, told } = await opened(['run.interrupted', 'run.completed'])
    const script = [
      native('wait', { seconds: 3_600 }),
      native('web_access', { url: 'https://a.example/' }),
      finish('done'),
    ]
    const tools = { wait: { enabled: true } }
    const play = await startPlay(home, { script, config: { ...config, tools } })
    expect(await play.create({ task: 'Look later' })).toMatchObject({ status: 'interrupted' })
    home.advance(3_600_000)
    const [{ body }] = (await told(1)) as [Told]
    expect(body).toMatchObject({ type: 'run.interrupted', data: { pending: [{ tool: 'web_access' }] } })
    await play.decide({ decision: 'reject' })
    expect((await told(2)).map((news) => news.body.type)).toEqual(['run.interrupted', 'run.completed'])
    await home.close()
  })

  test('tells of a call that waits for its caller by a name of its own, with its arguments and no link', async ({
    expect,
  }) => {
    const { home, told } = await opened(['approval.requested', 'tool_call.requested', 'run.interrupted'])
    const play = await startPlay(home, { script: [native('find_order', { number: 7 }), finish('done')], config })
    const tool = { name: 'find_order', description: 'Looks up an order.', parameters: { type: 'object' } }
    await play.create({ task: 'Where is it?', client_tools: [tool] })
    const news = await told(2)
    expect(news.map(({ body }) => body.type)).toEqual(['tool_call.requested', 'run.interrupted'])
    for (const { body } of news) {
      const [item] = body.data.pending ?? []
      expect(item).toMatchObject({ type: 'tool_call', tool: 'find_order', arguments: { number: 7 } })
      expect(item).not.toHaveProperty('decide_url')
      expect(item).not.toHaveProperty('touches')
    }
    await home.close()
  })

  test('tells of an approval at once, while other sub-tasks of the plan are at work', async ({ expect }) => {
    const { home, told } = await opened(['approval.requested', 'run.interrupted'])
    const asks = { when: { last_contains: 'look' }, ...native('web_access', { url: 'https://a.example/' }) }
    const hangs = { when: { last_contains: 'think' }, hang: true }
    const script = [plan(reads('look'), 'think'), asks, hangs]
    const play = await startPlay(home, { script, config })
    await play.create({ task: 'Do it', orchestrator: 'plan' }, { form: 'background' })
    const [{ body }] = (await told(1)) as [Told]
    expect(body).toMatchObject({ type: 'approval.requested', data: { pending: [{ tool: 'web_access' }] } })
    const { status, plan: known } = await play.session()
    expect(status).toBe('in_progress')
    expect(known?.tasks.map((task) => task.status)).toEqual(['waiting', 'running'])
    await play.cancel()
    await home.close()
  })

  test('costs a session nothing where nobody wants to be told', async ({ expect }) => {
    const home = await nodeHome('sqlite')
    home.outboxIsDown = true
    const play = await startPlay(home, { script: [finish('one')], config })
    await play.create({ task: 'Do it' })
    expect(home.bugs()).toEqual([])
    await home.close()
  })
})
