import { describe, test } from 'vitest'
import type { NewSession } from '../../../src/domain/session-input.ts'
import { claim, type GetHome } from '../session-claims/claim.ts'
import { errorOf, type Play, startPlay } from '../play.ts'
import { calls } from '../scripted-model.ts'
import { expectSound } from '../sound.ts'
import { createEngine } from '../../../src/run/setup/create-engine.ts'
import { replay } from '../../../src/run/replay/replay.ts'
import { exported } from '../session-claims/documents.ts'
import { WITH_CHECKLIST } from './registry.ts'

const { engine: ENGINE } = createEngine(
  {},
  {
    publicFetch: () => Promise.reject(new Error('a replay reaches nothing')),
    privateFetch: null,
    models: { secret: () => undefined, workersAi: false },
    workersAi: null,
    runtime: '',
    orchestrators: WITH_CHECKLIST,
  },
)
const LIST: NewSession = {
  orchestrator: 'checklist',
  config: { language: 'en', instructions: 'Name it\nPrice it\nSell it' },
}
/** What the model was asked for each point. */
const wordsIn = async (play: Play) => (await play.asked()).map(({ body }) => body.messages.at(-1)?.content ?? '')
const pointsIn = async (play: Play) => (await wordsIn(play)).map((words) => words.split('\n').at(-1))

/** What a session promises that goes on by an orchestrator which the product does not know. `kill`: its process dies. */
export function checklistClaims(home: GetHome, kill: (play: Play) => Promise<void> | void): void {
  describe('an orchestrator that was added', () => {
    claim(
      home,
      'asks the model once for each point, in order, and its last word is the result',
      { script: ['Lamp', '10', 'Sold'] },
      async (play, expect) => {
        await play.create(LIST)
        const answer = await play.send('A lamp')
        expect(answer).toMatchObject({ status: 'completed', result: 'Sold', ended_by: null, error: null })
        expect(await pointsIn(play)).toEqual(['Name it', 'Price it', 'Sell it'])
        expect((await wordsIn(play)).at(-1)).toContain('Lamp')
        expect(await play.session()).toMatchObject({ orchestrator: 'checklist', result: 'Sold', status: 'completed' })
        expect(await play.kinds()).toEqual(['task', 'reply', 'reply', 'reply'])
        expect(answer.usage.iterations).toBe(3)
      },
    )

    claim(home, 'begins anew with each task', { script: ['a', 'b', 'c', 'd', 'e', 'f'] }, async (play, expect) => {
      await play.create(LIST)
      expect((await play.send('One')).result).toBe('c')
      expect((await play.send('Two')).result).toBe('f')
      expect((await wordsIn(play))[3]).toBe('Two\n\nName it')
    })

    claim(
      home,
      'rests at the bound of a request and goes on where it was',
      { script: ['a', 'b', 'c'], config: { limits: { max_iterations: 2 } } },
      async (play, expect) => {
        await play.create(LIST)
        expect(await play.send('One')).toMatchObject({ status: 'in_progress', result: null })
        expect(await play.asked()).toHaveLength(2)
        expect(await play.carryOn()).toMatchObject({ status: 'completed', result: 'c' })
        expect(await play.asked()).toHaveLength(3)
      },
    )

    claim(
      home,
      'ends by the bound of its run, and goes on with a larger one',
      { script: ['a', 'b', 'c'], config: { limits: { max_iterations_total: 1 } } },
      async (play, expect) => {
        await play.create(LIST)
        expect(await play.send('One')).toMatchObject({ status: 'failed', finish_reason: 'iteration_limit' })
        const { config } = LIST
        const limits = { max_iterations_total: 9 }
        expect(await play.carryOn({ ...config, limits })).toMatchObject({ status: 'completed', result: 'c' })
        expect(await pointsIn(play)).toEqual(['Name it', 'Price it', 'Sell it'])
      },
    )

    claim(
      home,
      'fails with its model, and asks again for the same point when it is carried on',
      { script: ['a', { status: 400 }, 'b', 'c'] },
      async (play, expect) => {
        await play.create(LIST)
        expect(await play.send('One')).toMatchObject({ status: 'failed', finish_reason: 'failed' })
        expect(await play.carryOn()).toMatchObject({ status: 'completed', result: 'c' })
        expect(await pointsIn(play)).toEqual(['Name it', 'Price it', 'Price it', 'Sell it'])
      },
    )

    claim(
      home,
      'is cancelled at work, and takes the next task',
      { script: ['a', { hang: true }, 'x', 'y', 'z'] },
      async (play, expect) => {
        await play.create(LIST)
        await play.api.addMessage({ content: 'One' }, { form: 'background' })
        await play.asked(2)
        expect(await play.cancel()).toMatchObject({ status: 'cancelled', result: null })
        expect(await play.send('Two')).toMatchObject({ status: 'completed', result: 'z' })
      },
    )

    claim(
      home,
      'goes on after its process died, and does no point twice that was done',
      { script: ['a', { hang: true }, 'b', 'c'] },
      async (play, expect) => {
        await play.create(LIST)
        await play.api.addMessage({ content: 'One' }, { form: 'background' })
        await play.asked(2)
        await kill(play)
        await play.session()
        expect(await play.event('run-end')).toMatchObject({ status: 'completed', result: 'c' })
        expect(await pointsIn(play)).toEqual(['Name it', 'Price it', 'Price it', 'Sell it'])
      },
    )

    claim(
      home,
      'decides again as its log says, after its process died too',
      { script: ['a', { hang: true }, 'b', { status: 400 }, 'c'] },
      async (play, expect) => {
        await play.create(LIST)
        await play.api.addMessage({ content: 'One' }, { form: 'background' })
        await play.asked(2)
        await kill(play)
        await play.session()
        expect(await play.event('run-end')).toMatchObject({ status: 'failed' })
        expect(await play.carryOn()).toMatchObject({ status: 'completed', result: 'c' })
        const log = await exported(play)
        const { config } = await play.session()
        const { decisions, unrecorded, differences } = replay(log, { engine: ENGINE, config })
        expect({ unrecorded, differences }).toEqual({ unrecorded: 0, differences: [] })
        expect(decisions).toBeGreaterThan(5)
        const first = log.records.find(({ move }) => move?.type === 'do-point')
        const last = { type: 'do-point', scope: null, key: first?.move?.['key'], attempt: 1, point: 2 }
        const forged = log.records.map((one) => (one === first ? { ...one, move: last } : one))
        expect(replay({ ...log, records: forged }, { engine: ENGINE, config }).differences).toHaveLength(1)
      },
    )

    test('checks what it is made with', async ({ expect }) => {
      const play = await startPlay(home(), {})
      const made = play.api.create(play.id, 'default', { orchestrator: 'checklist' }, { form: 'wait' })
      expect(await errorOf(made)).toMatchObject({
        code: 'invalid_input',
        issues: [{ path: 'config.instructions', message: 'one point a line' }],
      })
    })

    test('is there where its registry is: a name that is in none is refused', async ({ expect }) => {
      const play = await startPlay(home(), {})
      const made = play.api.create(play.id, 'default', { orchestrator: 'chess' }, { form: 'wait' })
      expect(await errorOf(made)).toMatchObject({
        code: 'invalid_input',
        issues: [{ path: 'orchestrator', message: 'one of agent, plan, team, route, workflow, checklist' }],
      })
      const other = await startPlay(home(), {
        script: [calls('finish', { reason: 'ok' })],
        config: { llm: { protocol: 'native' } },
      })
      await other.create()
      expect(await other.send('go')).toMatchObject({ status: 'completed', result: 'ok' })
      await expectSound(other, expect)
    })
  })
}
