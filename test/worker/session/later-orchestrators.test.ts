/// <reference types="@cloudflare/vitest-plugin/types" />
import { runDurableObjectAlarm } from 'cloudflare:test'
import { beforeEach, describe, test } from 'vitest'
import type { NewSession } from '../../../src/domain/session-input.ts'
import { engineOf } from '../../../src/objects/engine.ts'
import { agent } from '../../../src/orchestrators/agent/index.ts'
import { createGrowingRegistry } from '../../../src/orchestrators/growing.ts'
import { startPlay } from '../../support/play.ts'
import { expectSound } from '../../support/sound.ts'
import { APPROVED, native } from '../../support/words.ts'
import { die, dieAfter, logsBetweenMoves } from './die.ts'
import { env, stubOf, within, workerHome } from './worker-home.ts'

/** As an isolate that has just begun has it. */
const loadedAnew = () => {
  engineOf(env).orchestrators = createGrowingRegistry(
    [agent],
    async () => (await import('../../../src/orchestrators/all.ts')).WHOLE,
  )
}
const isWhole = () => !engineOf(env).orchestrators.isLater('plan')
beforeEach(loadedAnew)

/** The isolate of a session dies, and its alarm stands. */
async function dieWithAlarm(id: string): Promise<void> {
  await within(id, async (_object, { storage }) => {
    await storage.setAlarm(Date.now() + 3_600_000)
    await storage.sync()
  })
  await die({ id })
}

const PLAN = JSON.stringify({ plan: [{ name: 'llm_tool', description: '想一想' }] })
const PLANNED = {
  config: { llm: { protocol: 'native' as const } },
  script: [
    { when: { contains: '请写出最终答复' }, content: '完', repeat: true },
    { when: { contains: '想好了' }, content: '{"plan": []}', repeat: true },
    { when: { last_contains: '想一想' }, content: '想好了', repeat: true },
    { when: { contains: '深度研究员' }, content: PLAN, repeat: true },
  ],
}

describe('orchestrators that an isolate has not loaded', () => {
  test('stay so for all that an agent does', async ({ expect }) => {
    const play = await startPlay(workerHome, {
      config: { llm: { protocol: 'native' }, ...APPROVED },
      script: (page) => [native('web_access', { url: page('article') }), 'Read', 'Again'],
    })
    await play.create()
    expect(await play.send('Read it')).toMatchObject({ status: 'completed', result: 'Read' })
    await die(play)
    expect(await play.send('Once more')).toMatchObject({ status: 'completed', result: 'Again' })
    expect(await play.home.session(play.id).task('nothing', 'cancel', { form: 'wait' })).toMatchObject({ ok: false })
    expect(isWhole()).toBe(false)
  })

  test.for<[string, NewSession]>([
    ['that it names', { orchestrator: 'plan' }],
    ['whose team it has', { team: { name: 'debate' } }],
    ['that picks one worker', { orchestrator: 'route' }],
  ])('are loaded for a new session %s', async ([, input], { expect }) => {
    const play = await startPlay(workerHome, PLANNED)
    await play.create(input)
    expect(isWhole()).toBe(true)
    expect(await play.session()).toMatchObject({ orchestrator: input.orchestrator ?? 'team' })
  })

  test.for(['a read', 'an alarm'])(
    'are loaded before a plan is woken by %s, at any of its moves',
    async (by, { expect }) => {
      const play = await startPlay(workerHome, PLANNED)
      await play.create({ orchestrator: 'plan' })
      expect(await play.send('想')).toMatchObject({ status: 'completed', result: '完' })
      const logs = await logsBetweenMoves(play)
      expect(logs.length).toBeGreaterThan(5)
      for (const log of logs) {
        await dieAfter(play, log)
        if (by === 'an alarm') await dieWithAlarm(play.id)
        loadedAnew()
        if (by === 'a read') await play.session()
        else expect(await runDurableObjectAlarm(stubOf(play.id))).toBe(true)
        expect(isWhole()).toBe(true)
        expect(await play.event('run-end', log.length)).toMatchObject({ status: 'completed', result: '完' })
        await expectSound(play, expect)
      }
    },
  )
})
