import { describe } from 'vitest'
import type { Asked } from '../peers.ts'
import { NOTHING_LEFT, plan, setting, task, textOf } from '../planned.ts'
import { responseOf } from '../play.ts'
import { claim, type GetHome } from './claim.ts'

const PLAN = { orchestrator: 'plan' } as const

/** Who looks at a plan before it is done, and who does a whole run. */
export function planReviewClaims(home: GetHome): void {
  describe('a plan', () => reviewClaims(home))
  describe('one worker for the whole run', () => routeClaims(home))
}

function reviewClaims(home: GetHome): void {
  const reviewed = { ...PLAN, config: { plan: { review: true } } }
  const script = setting(
    plan('查甲', { description: '查乙', depends_on: [1] }),
    task('查甲', '甲好'),
    task('查乙', '乙好'),
    NOTHING_LEFT,
    '完',
  )

  claim(home, 'waits for a human where each is reviewed', script, async (play, expect) => {
    await play.create(reviewed)
    const waits = await play.send('你好')
    expect(waits).toMatchObject({
      status: 'interrupted',
      finish_reason: 'interrupted',
      pending: [{ type: 'approval', tool: 'plan' }],
    })
    expect(waits.pending[0]?.arguments).toEqual({
      plan: [
        { name: 'llm_tool', description: '查甲' },
        { name: 'llm_tool', description: '查乙', depends_on: [1] },
      ],
    })
    expect(await play.asked()).toHaveLength(1)
    expect(await play.decide({ decision: 'approve' })).toMatchObject({ status: 'completed', result: '完' })
  })

  claim(
    home,
    'is done as the human edited it',
    setting(plan('查甲'), task('查丙', '丙好'), NOTHING_LEFT, '完'),
    async (play, expect) => {
      await play.create(reviewed)
      await play.send('你好')
      const edited = { plan: [{ name: 'llm_tool', description: '查丙' }] }
      expect(await play.decide({ decision: 'approve', arguments: edited })).toMatchObject({
        status: 'completed',
        result: '完',
      })
      const tasks = (await play.session()).plan?.tasks ?? []
      expect(tasks.map(({ description, status }) => [description, status])).toEqual([
        ['查甲', 'cancelled'],
        ['查丙', 'completed'],
      ])
    },
  )

  claim(
    home,
    'is planned again when the human refuses it',
    setting(plan('查甲'), plan('查丁'), task('查丁', '丁好'), NOTHING_LEFT, '完'),
    async (play, expect) => {
      await play.create(reviewed)
      await play.send('你好')
      const again = await play.decide({ decision: 'reject', feedback: '换一个城市' })
      expect(again).toMatchObject({ status: 'interrupted', pending: [{ tool: 'plan' }] })
      expect(textOf((await play.asked())[1] as Asked)).toContain('换一个城市')
      expect(await play.decide({ decision: 'approve' })).toMatchObject({ status: 'completed' })
    },
  )

  claim(
    home,
    'whose run ended before anybody looked at it is looked at when the run is carried on',
    script,
    async (play, expect) => {
      await play.create(reviewed)
      const [first] = (await play.send('你好')).pending
      expect(await play.carryOn({ limits: { deadline_ms: 1 } })).toMatchObject({
        finish_reason: 'deadline',
        pending: [],
      })
      const again = await play.carryOn({ limits: { deadline_ms: 900_000 } })
      expect(again).toMatchObject({ status: 'interrupted', pending: [{ tool: 'plan', arguments: first?.arguments }] })
      expect(again.pending[0]?.id).not.toBe(first?.id)
      expect(await play.asked()).toHaveLength(1)
      expect(await play.decide({ decision: 'approve' })).toMatchObject({ status: 'completed', result: '完' })
    },
  )

  claim(
    home,
    'that was cancelled before anybody looked at it is looked at when one of its tasks is done once more',
    script,
    async (play, expect) => {
      await play.create(reviewed)
      await play.send('你好')
      await play.cancel()
      const [task1] = (await play.session()).plan?.tasks ?? []
      expect(task1).toMatchObject({ status: 'cancelled' })
      const again = responseOf(await play.api.task(task1?.id ?? '', 'retry', { form: 'wait' }))
      expect(again).toMatchObject({ status: 'interrupted', pending: [{ tool: 'plan' }] })
      expect(await play.asked()).toHaveLength(1)
      expect(await play.decide({ decision: 'approve' })).toMatchObject({ status: 'completed', result: '完' })
    },
  )

  claim(home, 'that is edited into none is answered directly', setting(plan('查甲'), '直接'), async (play, expect) => {
    await play.create(reviewed)
    await play.send('你好')
    expect(await play.decide({ decision: 'approve', arguments: { plan: [] } })).toMatchObject({
      status: 'completed',
      result: '直接',
    })
  })
}

function routeClaims(home: GetHome): void {
  claim(home, 'is picked by one call', setting('{"worker": "llm_tool"}', '四十二'), async (play, expect) => {
    await play.create({ orchestrator: 'route' })
    expect(await play.send('几何')).toMatchObject({ status: 'completed', result: '四十二' })
    const asked = await play.asked()
    expect(asked).toHaveLength(2)
    for (const one of asked) expect(one.body.tools).toBeUndefined()
    expect(await play.event('route')).toMatchObject({ worker: 'llm_tool' })
  })

  claim(home, 'is the model itself when the answer names nobody', setting('张三', '四十二'), async (play, expect) => {
    await play.create({ orchestrator: 'route' })
    expect(await play.send('几何')).toMatchObject({ status: 'completed', result: '四十二' })
    expect(await play.event('error')).toMatchObject({ code: 'unknown_worker' })
  })
}
