import { describe } from 'vitest'
import { NOTHING_LEFT, plan, setting, task } from '../planned.ts'
import { native } from '../words.ts'
import { claim, type GetHome } from './claim.ts'

const PLAN = { orchestrator: 'plan' } as const

/** Replies without a word to requests that offer nothing to call. */
export function silentPlanClaims(home: GetHome): void {
  describe('a plan', () => silentClaims(home))
}

function silentClaims(home: GetHome): void {
  claim(
    home,
    'is read from a function that the planner calls, though it was offered none',
    setting(
      native('plan', { plan: [{ name: 'llm_tool', description: '查人口' }] }),
      task('查人口', '八百万'),
      NOTHING_LEFT,
      native('finish', { reason: '完' }),
    ),
    async (play, expect) => {
      await play.create(PLAN)
      expect(await play.send('介绍这座城市')).toMatchObject({ status: 'completed', result: '完' })
    },
  )

  for (const [name, nothing] of Object.entries({ text: '<think>嗯</think>', call: native('fly', { to: '北' }) }))
    claim(
      home,
      `is an empty one where the planner says nothing twice, and an answer that says nothing is none (${name})`,
      setting(nothing, nothing, nothing),
      async (play, expect) => {
        await play.create(PLAN)
        const error = { code: 'model_bad_answer' }
        expect(await play.send('你好')).toMatchObject({ status: 'failed', result: null, error })
        expect(await play.asked()).toHaveLength(3)
        await play.model.script(['直接回答'])
        expect(await play.carryOn()).toMatchObject({ status: 'completed', result: '直接回答' })
      },
    )

  claim(
    home,
    'whose summary says nothing fails with what its tasks gave, and is carried on from there',
    setting(plan('查人口'), task('查人口', '八百万'), NOTHING_LEFT, ''),
    async (play, expect) => {
      await play.create(PLAN)
      const failed = await play.send('介绍这座城市')
      expect(failed).toMatchObject({ status: 'failed', error: { code: 'model_bad_answer' } })
      expect(failed.result).toContain('八百万')
      await play.model.script(['完'])
      expect(await play.carryOn()).toMatchObject({ status: 'completed', result: '完' })
    },
  )
}
