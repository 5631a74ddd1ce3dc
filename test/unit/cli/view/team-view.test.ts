import { describe, test } from 'vitest'
import { textsOf } from '../../../../src/cli/texts.ts'
import { createRunView } from '../../../../src/cli/view/run-view.ts'
import type { StreamEvent } from '../../../../src/client/client.ts'
import type { PlanPurpose, PlanTask } from '../../../../src/domain/plan.ts'
import type { RoleStep } from '../../../../src/domain/role.ts'

type Body = StreamEvent extends infer E
  ? E extends unknown
    ? Omit<E, 'seq' | 'run_id' | 'time' | 'scope'>
    : never
  : never

const event = (body: Body, scope: string | null = null) =>
  ({ seq: 1, run_id: 'run_1', time: '2026-01-01T00:00:00Z', scope, ...body }) as StreamEvent
const round = (number: number, ...roles: string[]) => event({ type: 'round-start', round: number, roles })
const step = (role: string, to: RoleStep, action: string) =>
  event({ type: 'role-state', role, from: 'HAS_TODO', to, action }, role)
const asks = (id: string, scope: string, purpose?: PlanPurpose) =>
  event(
    {
      type: 'model-start',
      message_id: id,
      model: 'm',
      attempt: 1,
      reserved_tokens: 0,
      reserved_cost: null,
      ...(purpose === undefined ? {} : { purpose }),
    },
    scope,
  )
const writes = (id: string, delta: string, scope: string) =>
  event({ type: 'message-delta', message_id: id, delta }, scope)
const publishes = (from: string, cause: string, content: string, scope: string | null = null) =>
  event(
    {
      type: 'team-message',
      heard_by: [],
      message: { id: 'm', content, role: from, cause_by: cause, sent_from: from, send_to: [], timestamp: '' },
    },
    scope,
  )
const task: PlanTask = {
  id: 'tsk_1',
  owner: 'Bob',
  round: 1,
  name: 'Search',
  worker: 'Search',
  description: 'look around',
  status: 'pending',
  result: null,
  error: null,
  cost: null,
  started_time: null,
  ended_time: null,
}

const RUN: StreamEvent[] = [
  publishes('user', 'UserRequirement', 'go'),
  round(1, 'Alice', 'Bob'),
  step('Alice', 'EXECUTING', 'WritePRD'),
  step('Bob', 'EXECUTING', 'Report'),
  asks('a', 'Alice'),
  writes('a', 'half of a', 'Alice'),
  asks('p', 'Bob', 'plan'),
  event({ type: 'plan', plan: { round: 1, status: 'running', tasks: [task] } }, 'Bob'),
  event({ type: 'task-start', task }, 'tsk_1'),
  event({ type: 'task-end', task: { ...task, status: 'completed', result: 'all' } }, 'tsk_1'),
  asks('s', 'Bob', 'summary'),
  writes('s', 'half of a summary', 'Bob'),
  publishes('Alice', 'WritePRD', `A page,\nthen ${'more '.repeat(100)}`),
  event({ type: 'call-refused', code: 'no_money' }, 'Bob'),
]

const { owner: _, ...OWN } = task
const CREW = { ...OWN, worker: 'crew' }

/** A plan of whose tasks a team does one. */
const PLANNED: StreamEvent[] = [
  event({ type: 'plan', plan: { round: 1, status: 'running', tasks: [CREW] } }),
  event({ type: 'task-start', task: CREW }, 'tsk_1'),
  publishes('user', 'UserRequirement', 'look around', 'tsk_1'),
  event({ type: 'round-start', round: 1, roles: ['Ann'] }, 'tsk_1'),
  event({ type: 'role-state', role: 'Ann', from: 'HAS_TODO', to: 'EXECUTING', action: 'Draft' }, 'tsk_1/Ann'),
  asks('n', 'tsk_1/Ann'),
  writes('n', 'half of it', 'tsk_1/Ann'),
  publishes('Ann', 'Draft', 'all of it', 'tsk_1/Ann'),
  event({ type: 'call-refused', code: 'no_money' }, 'tsk_1/Ann'),
  event({ type: 'call-refused', code: 'budget_exhausted' }, 'tsk_1'),
]

function shown(language: 'en' | 'zh-CN', run = RUN): string[] {
  const view = createRunView(textsOf(language), [])
  return run
    .flatMap((one) => view.push(one))
    .flatMap((part) => (part.type === 'line' || part.type === 'flow' ? [part.text] : []))
}

describe('what a person sees of a team', () => {
  test('are its rounds, who does what, whose the tasks are, and the start of what is said', ({ expect }) => {
    expect(shown('en')).toEqual([
      '# team, round 1: Alice, Bob',
      '▶ Alice: WritePRD',
      '▶ Bob: Report',
      '# Bob · plan, round 1\n  1. Bob · Search: look around',
      '▶ [1] Bob · Search: look around',
      '✓ [1] Bob · Search',
      expect.stringMatching(/^✓ Alice · WritePRD: A page, then (more )+.{0,5}…$/),
      '✗ Bob: The next model call would exceed the investment of the team (no_money)',
    ])
  })

  test('that works at a task of a plan names the task, and nothing is told twice', ({ expect }) => {
    expect(shown('en', PLANNED)).toEqual([
      '# plan, round 1\n  1. crew: look around',
      '▶ [1] crew: look around',
      '# [1] team, round 1: Ann',
      '▶ [1] Ann: Draft',
      '✓ [1] Ann · Draft: all of it',
      '✗ [1] Ann: The next model call would exceed the investment of the team (no_money)',
      '✗ [1]: The next model call would exceed max_total_tokens or max_cost (budget_exhausted)',
    ])
  })

  test('is the same in Chinese', ({ expect }) => {
    expect(shown('zh-CN')[0]).toBe('# 团队，第 1 轮：Alice、Bob')
    expect(shown('zh-CN')).toHaveLength(shown('en').length)
  })
})
