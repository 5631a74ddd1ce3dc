import { afterAll, beforeAll, describe, test } from 'vitest'
import { importInput } from '../../../src/domain/event-input.ts'
import { replay } from '../../../src/run/replay/replay.ts'
import { createEngine } from '../../../src/run/setup/create-engine.ts'
import { type NodeHome, nodeHome } from '../../support/node-home.ts'
import { responseOf, startPlay } from '../../support/play.ts'
import { exported } from '../../support/session-claims/documents.ts'
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
