import { describe, test } from 'vitest'
import { DataParts } from '../../../src/doors/ai-sdk/data-parts.ts'
import type { SessionEvent } from '../../../src/domain/event.ts'
import type { PlanTask } from '../../../src/domain/plan.ts'

const OF_RUN = { time: '2026-11-24T00:00:00.000Z', run_id: 'run_1', seq: 5 } as const
const task = (id: string, more: Partial<PlanTask> = {}): PlanTask => ({
  id,
  round: 1,
  name: 'llm_tool',
  worker: 'llm_tool',
  description: id,
  status: 'pending',
  result: null,
  error: null,
  cost: null,
  started_time: null,
  ended_time: null,
  ...more,
})
const planned = (scope: string | null, ...tasks: PlanTask[]): SessionEvent => {
  return { ...OF_RUN, scope, type: 'plan', plan: { round: 1, status: 'running', tasks } }
}
const ended = (scope: string, one: PlanTask): SessionEvent => ({ ...OF_RUN, scope, type: 'task-end', task: one })

describe('plans as data parts', () => {
  test('of roles stand beside each other, each with its own tasks', ({ expect }) => {
    const parts = new DataParts()
    const ofAnn = { owner: 'ann' }
    expect(parts.follow(planned('ann', task('a', ofAnn)))).toMatchObject({ id: 'plan-ann' })
    expect(parts.follow(planned('bob', task('b', { owner: 'bob' })))).toMatchObject({ id: 'plan-bob' })
    const done = ended('a', task('a', { ...ofAnn, status: 'completed', result: 'A' }))
    expect(parts.follow(done)).toMatchObject({
      type: 'data-plan',
      id: 'plan-ann',
      data: { tasks: [{ id: 'a', status: 'completed', result: 'A' }] },
    })
  })

  test('are what came of their run', ({ expect }) => {
    const parts = new DataParts()
    parts.follow(planned(null, task('a')))
    expect(parts.close('failed')).toMatchObject([{ id: 'plan', data: { status: 'failed', tasks: [{ id: 'a' }] } }])
    expect(parts.close('interrupted')).toEqual([])
  })
})
