/// <reference types="@cloudflare/vitest-plugin/types" />
import { describe, test } from 'vitest'
import type { SessionEvent } from '../../../src/domain/event.ts'
import { skillDefinition } from '../../../src/domain/skill.ts'
import { type Setting, startPlay } from '../../support/play.ts'
import { role } from '../../support/session-claims/team-stage.ts'
import { expectSound } from '../../support/sound.ts'
import { APPROVED, native } from '../../support/words.ts'
import { dieAfter, logsBetweenMoves, ofQuarter, QUARTERS } from './die.ts'
import { workerHome } from './worker-home.ts'

const CREW = skillDefinition.parse({
  name: 'crew-mortal',
  version: '1',
  description: '一队人',
  worker: true,
  team: {
    roles: [
      role('A', ['UserRequirement'], ['Draft']),
      role('B', ['Draft'], [{ name: 'Check', instruction: '做Check', tools: ['web_access'] }]),
    ],
  },
})
const plan = (...entries: object[]) => JSON.stringify({ plan: entries })

/** A model that answers by what it is asked, however often. */
const PLANNED: Setting = {
  config: { llm: { protocol: 'native' }, ...APPROVED, limits: { max_iterations: 60 } },
  script: (page) => [
    { when: { contains: '请写出最终答复' }, content: '完', repeat: true },
    { when: { contains: '好稿' }, content: plan(), repeat: true },
    { when: { last_contains: 'A lighthouse keeps' }, content: '好稿', repeat: true },
    { when: { contains: '做Check' }, ...native('web_access', { url: page('article') }), repeat: true },
    { when: { contains: '做Draft' }, content: '草稿', repeat: true },
    { when: { contains: '深度研究员' }, content: plan({ name: CREW.name, description: '写灯塔' }), repeat: true },
  ],
}

const saidIn = (log: readonly SessionEvent[]) =>
  log.flatMap((event) => (event.type === 'team-message' ? [event.message.sent_from] : []))

/** Starts and ends of calls, to see from a failure what was done twice. */
const callsIn = (log: readonly SessionEvent[]) =>
  log.flatMap((event) => {
    if (event.type === 'tool-start') return [`${event.seq} start ${event.attempt}`]
    return event.type === 'tool-end' ? [`${event.seq} ${event.ok ? 'ok' : 'failed'}`] : []
  })

describe.for(QUARTERS)('an isolate that dies at places of quarter %i', (quarter) => {
  test('between any two moves of a team that works at a sub-task: only who is not done acts again', async ({
    expect,
  }) => {
    const play = await startPlay(workerHome, PLANNED)
    await play.home.putSkill(CREW)
    await play.create({ orchestrator: 'plan' })
    expect(await play.send('介绍海边')).toMatchObject({ status: 'completed', result: '完' })
    const logs = await logsBetweenMoves(play)
    expect(logs.length).toBeGreaterThan(15)
    for (const log of ofQuarter(logs, quarter)) {
      const visited = (await play.site.visits()).length
      await dieAfter(play, log)
      await play.session()
      const after = `${log.length} ${log.at(-1)?.type}`
      expect(await play.event('run-end', log.length), after).toMatchObject({ status: 'completed', result: '完' })
      const events = await play.events()
      expect(events.slice(0, log.length), after).toEqual(log)
      expect(saidIn(events), after).toEqual(['user', 'A', 'B'])
      const read = log.filter((event) => event.type === 'message' && event.message.tool_name === 'web_access').length
      expect((await play.site.visits()).length - visited, `${after}: ${callsIn(events).join(', ')}`).toBe(1 - read)
      await expectSound(play, expect)
    }
  })
})
