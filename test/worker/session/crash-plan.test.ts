/// <reference types="@cloudflare/vitest-plugin/types" />
import { describe, test } from 'vitest'
import type { SessionEvent } from '../../../src/domain/event.ts'
import type { NewSession } from '../../../src/domain/session-input.ts'
import { type Setting, startPlay } from '../../support/play.ts'
import { expectSound } from '../../support/sound.ts'
import { APPROVED, native } from '../../support/words.ts'
import { dieAfter, logsBetweenMoves, ofQuarter, QUARTERS } from './die.ts'
import { workerHome } from './worker-home.ts'

const READER = 'web-research'
type Entry = { name: string; description: string; depends_on?: number[] }
const plan = (...entries: Entry[]) => JSON.stringify({ plan: entries })

const FIRST = plan(
  { name: READER, description: '读灯塔' },
  { name: READER, description: '读海港' },
  { name: 'llm_tool', description: '合起来', depends_on: [1, 2] },
)
const SECOND = plan({ name: 'llm_tool', description: '再想一想' })

/** A model that answers by what it is asked, however often: a planner by what is done, a task by what it has read. */
const PLANNED: Setting = {
  config: { llm: { protocol: 'native' }, ...APPROVED, limits: { max_iterations: 60 } },
  script: (page) => [
    { when: { contains: '请写出最终答复' }, content: '完', repeat: true },
    { when: { contains: '想好了' }, content: plan(), repeat: true },
    { when: { contains: '都读过了' }, content: SECOND, repeat: true },
    { when: { contains: '灯塔有四章' }, content: '都读过了', repeat: true },
    { when: { last_contains: 'A lighthouse keeps' }, content: '灯塔有四章', repeat: true },
    { when: { last_contains: 'A harbour keeps' }, content: '海港有一段', repeat: true },
    { when: { last_contains: '读灯塔' }, ...native('web_access', { url: page('article') }), repeat: true },
    { when: { last_contains: '读海港' }, ...native('web_access', { url: page('other') }), repeat: true },
    { when: { last_contains: '再想一想' }, content: '想好了', repeat: true },
    { when: { contains: '深度研究员' }, content: FIRST, repeat: true },
  ],
}

const PLANNER = {
  name: 'P',
  profile: 'Planner',
  watch: ['UserRequirement'],
  actions: [{ name: 'Report', instruction: '写报告' }],
  react_mode: 'plan_and_act' as const,
}
/** Who plans: a run, or a role in its turn. */
const PLANNERS: [string, NewSession][] = [
  ['a plan', { orchestrator: 'plan' }],
  ["a role's plan", { team: { roles: [PLANNER] } }],
]

const settledIn = (log: readonly SessionEvent[]) =>
  new Set(log.flatMap((event) => (event.type === 'task-end' ? [event.task.id] : [])))

describe.for(QUARTERS)('an isolate that dies at places of quarter %i', (quarter) => {
  test.for(PLANNERS)(
    'between any two moves of %s: it goes on to its answer, and no sub-task that is done is done again',
    async ([, input], { expect }) => {
      const play = await startPlay(workerHome, PLANNED)
      await play.create(input)
      expect(await play.send('介绍海边')).toMatchObject({ status: 'completed', result: '完' })
      const logs = await logsBetweenMoves(play)
      expect(logs.length).toBeGreaterThan(25)
      for (const log of ofQuarter(logs, quarter)) {
        const visited = (await play.site.visits()).length
        await dieAfter(play, log)
        await play.session()
        const after = `${log.length} ${log.at(-1)?.type}`
        const end = await play.event('run-end', log.length)
        expect(end, after).toMatchObject({ status: 'completed', result: '完' })
        const events = await play.events()
        expect(events.slice(0, log.length), after).toEqual(log)
        const done = settledIn(log)
        expect(
          events.slice(log.length).filter(({ scope }) => scope !== null && done.has(scope)),
          after,
        ).toEqual([])
        expect(settledIn(events).size, after).toBe(4)
        const read = log.filter((event) => event.type === 'message' && event.message.tool_name === 'web_access').length
        expect((await play.site.visits()).length - visited, after).toBe(2 - read)
        await expectSound(play, expect)
      }
    },
  )
})
