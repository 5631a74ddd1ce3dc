import { afterAll, beforeAll, describe, test } from 'vitest'
import { importInput } from '../../../src/domain/import-input.ts'
import { replay } from '../../../src/run/replay/replay.ts'
import { createEngine } from '../../../src/run/setup/create-engine.ts'
import { type NodeHome, nodeHome } from '../../support/node-home.ts'
import { createAgent, createSession, withMessage, withResponse, withResult } from '../../../src/library.ts'
import { responseOf, startPlay } from '../../support/play.ts'
import { exported } from '../../support/session-claims/documents.ts'
import { startScriptedModel } from '../../support/scripted-model.ts'
import { native } from '../../support/words.ts'

let home: NodeHome
beforeAll(async () => {
  home = await nodeHome('memory')
})
afterAll(() => home.close())

const TOOL = { name: 'web_access', description: 'Opens a page of mine.', parameters: { type: 'object' } }

describe('a log with calls that the caller made', () => {
  test('is decided the same in a replay, and is read back as it was written', async ({ expect }) => {
    const script = [native('web_access_2', { page: 1 }), { ...native('rethink', { reason: '…' }), hold_after: 0 }]
    const play = await startPlay(home, { script: [...script, native('finish', { reason: 'done' })] })
    await play.create()
    const message = { content: 'Open my page', client_tools: [TOOL] }
    responseOf(await play.api.addMessage(message, { form: 'wait' }))
    const answered = play.decide({ result: { title: 'Mine' } })
    await play.asked(2)
    const steered = play.api.addMessage({ content: 'and be quick' }, { form: 'wait', whenBusy: 'steer' })
    await play.model.release()
    await steered
    expect(await answered).toMatchObject({ status: 'completed', result: 'done' })
    const events = await play.events()
    expect(importInput.parse({ session: {}, events }).events).toEqual(events)
    const { engine } = createEngine(
      {},
      {
        publicFetch: () => Promise.reject(new Error('nothing is reached')),
        privateFetch: null,
        models: { secret: () => undefined, workersAi: false },
        workersAi: null,
        runtime: '',
      },
    )
    const { decisions, differences } = replay(await exported(play), { engine, config: (await play.session()).config })
    expect(differences).toEqual([])
    expect(decisions).toBeGreaterThan(8)
  })
})

test('the library hands a call out, and goes on with its result', async ({ expect }) => {
  const script = [native('look_up', { page: 1 }), native('look_up', { page: 2 }), native('finish', { reason: 'done' })]
  const model = await startScriptedModel({ script })
  const agent = createAgent({
    config: {
      language: 'en',
      models: { m: { api_url: model.url, model: 'm', protocol: 'native' } },
      default_model: 'm',
    },
  })
  const tool = { name: 'look_up', description: 'Looks a page up.', parameters: { type: 'object' } }
  let session = withMessage(createSession({ client_tools: [tool] }), 'Look it up')
  for (const said of [{ result: { title: 'Mine' } }, { error: 'it is torn out' }]) {
    const asked = await agent.run(session)
    expect(asked).toMatchObject({ status: 'interrupted', pending: [{ type: 'tool_call', tool: 'look_up' }] })
    session = withResult(withResponse(session, asked), asked.pending[0]?.id ?? '', said)
  }
  expect(await agent.run(session)).toMatchObject({ status: 'completed', result: 'done' })
  const told = JSON.stringify(model.requests.at(-1)?.body)
  expect(told).toContain('Mine')
  expect(told).toContain('it is torn out')
  await model.close()
})
