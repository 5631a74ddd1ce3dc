import { afterAll, afterEach, beforeAll, describe, test } from 'vitest'
import type { ModelConfig } from '../../../src/domain/model-config.ts'
import type { Spending } from '../../../src/domain/usage.ts'
import { createEngine } from '../../../src/run/setup/create-engine.ts'
import { NATIVE } from '../../../src/http/projections.ts'
import { Session } from '../../../src/session/session.ts'
import { memoryLog } from '../../../src/store/memory-log.ts'
import { nodeHome, type NodeHome } from '../../support/node-home.ts'
import { responseOf, startPlay } from '../../support/play.ts'
import { startScriptedModel, type MockModel } from '../../support/scripted-model.ts'
import { WORDS } from '../../support/words.ts'

const words = WORDS.en
const WAIT = { form: 'wait' } as const
const USAGE = { prompt_tokens: 90, completion_tokens: 10 }
const thinks = { content: words.rethink('…'), usage: USAGE }
const finishes = { content: words.finish('good'), usage: USAGE }
const config = { language: 'en' as const, llm: { protocol: 'xml' as const } }

describe('what a tenant is told of spending', () => {
  let home: NodeHome
  beforeAll(async () => {
    home = await nodeHome('sqlite')
  })
  afterAll(() => home.close())
  const sumOf = (id: string) => home.usage('session').find(({ key }) => key === id)

  test('is the same as the session counts, though its process died in the middle, twice', async ({ expect }) => {
    const script = [thinks, { hang: true }, thinks, { hang: true }, finishes]
    const play = await startPlay(home, { config, script })
    await play.create({}, WAIT)
    void play.api.addMessage({ content: words.task }, { form: 'background' })
    for (const asked of [2, 4]) {
      await play.asked(asked)
      home.kill(play.id)
      void play.session()
    }
    await play.event('run-end')
    const { usage } = await play.session()
    expect(usage).toMatchObject({ model_calls: 3, tool_calls: 3, total_tokens: 300, iterations: 3 })
    await play.send('Once more, in vain')
    expect(sumOf(play.id)).toMatchObject({ model_calls: 3, tool_calls: 3, total_tokens: 300 })
  })

  test('is told at the deletion of a session whose process died before it rested', async ({ expect }) => {
    const play = await startPlay(home, { config, script: [thinks, { hang: true }] })
    await play.create({}, WAIT)
    void play.api.addMessage({ content: words.task }, WAIT)
    await play.asked(2)
    home.kill(play.id)
    expect(sumOf(play.id)).toBeUndefined()
    await play.api.remove()
    expect(sumOf(play.id)).toMatchObject({ model_calls: 1, tool_calls: 1, total_tokens: 100, iterations: 2 })
  })
})

describe('a session that outlives the config of its server', () => {
  const started: MockModel[] = []
  afterEach(async () => {
    for (const model of started.splice(0)) await model.close()
  })

  /** Sessions on one log in memory, each on a server with another model `m`. */
  async function servers() {
    const model = await startScriptedModel({ script: [thinks, thinks, thinks, finishes] })
    started.push(model)
    const log = memoryLog()
    const told: Spending[] = []
    const open = (more: Partial<ModelConfig>, now = Date.now) => {
      const m = { api_url: model.url, model: 'm', protocol: 'xml' as const, max_tokens: 100, ...more }
      const world = { publicFetch: fetch, privateFetch: null, workersAi: null, runtime: 'Node.js' }
      const models = { secret: () => undefined, workersAi: false }
      const { engine } = createEngine({ models: { m }, default_model: 'm', language: 'en' }, { ...world, models })
      return new Session(
        {
          log,
          now,
          engine,
          compacts: true,
          alarm: { set: () => {}, clear: () => {} },
          directory: {
            put: async (_tenant, { spent: { rows } }) => {
              told.splice(0, told.length, ...rows)
              return null
            },
            remove: async () => null,
          },
          outbox: null,
          keepAlive: (work) => void work,
          destroy: async () => {},
          report: (error) => console.error(error),
        },
        NATIVE,
      )
    }
    return { model, told, open }
  }
  const price = (perMtok: number, currency = 'CNY') => ({
    price: { prompt_per_mtok: perMtok, completion_per_mtok: perMtok, currency },
  })
  const limits = (amount: number, currency = 'CNY') => ({ max_iterations: 1, max_cost: { amount, currency } })

  test('does not go on under a money limit once its model has no price, and says why', async ({ expect }) => {
    const { model, open } = await servers()
    const session = open(price(1))
    await session.create('ses_1', 'default', { config: { limits: limits(1) } }, WAIT)
    await session.addMessage({ content: words.task }, WAIT)
    for (const more of [{}, price(1, 'USD')]) {
      const response = responseOf(await open(more).continue({}, WAIT))
      expect(response).toMatchObject({ status: 'failed', finish_reason: 'failed', error: { code: 'unpriced_model' } })
      expect(response.error?.detail).toContain('max_cost')
    }
    expect(model.requests).toHaveLength(1)
    expect(responseOf(await open(price(1)).continue({}, WAIT))).toMatchObject({ status: 'in_progress' })
  })

  test('counts against a limit what was spent in its currency', async ({ expect }) => {
    const { told, open } = await servers()
    const dollars = open(price(1_000, 'USD'))
    await dollars.create('ses_1', 'default', { config: { limits: { max_iterations: 1 } } }, WAIT)
    await dollars.addMessage({ content: words.task }, WAIT)
    const yuan = open(price(1_000))
    const response = responseOf(await yuan.continue({ config: { limits: limits(3) } }, WAIT))
    expect(response.usage).toMatchObject({
      cost: { amount: 0.1, currency: 'USD' },
      unpriced_models: ['m'],
      model_calls: 2,
    })
    expect(told.map(({ n, usage }) => [n, usage.cost])).toEqual([
      [0, { amount: 0.1, currency: 'USD' }],
      [1, { amount: 0.1, currency: 'CNY' }],
    ])
  })

  test('tells of each day what was spent in it, by UTC', async ({ expect }) => {
    const { told, open } = await servers()
    let now = Date.parse('2026-05-01T23:59:59.000Z')
    const session = open({}, () => now)
    await session.create('ses_1', 'default', { config: { limits: { max_iterations: 1 } } }, WAIT)
    await session.addMessage({ content: words.task }, WAIT)
    now += 2_000
    await session.continue({}, WAIT)
    expect(told.map(({ day, usage }) => [day, usage.iterations, usage.model_calls, usage.tool_calls])).toEqual([
      ['2026-05-01', 1, 1, 1],
      ['2026-05-02', 1, 1, 1],
    ])
  })
})
