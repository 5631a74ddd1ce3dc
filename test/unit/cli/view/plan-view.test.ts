import { describe, test } from 'vitest'
import { textsOf } from '../../../../src/cli/texts.ts'
import { createRunView, pendingText } from '../../../../src/cli/view/run-view.ts'
import type { ViewPart } from '../../../../src/cli/view/screen.ts'
import type { StreamEvent } from '../../../../src/client/client.ts'
import type { PlanPurpose, PlanTask } from '../../../../src/domain/plan.ts'

type Body = StreamEvent extends infer E
  ? E extends unknown
    ? Omit<E, 'seq' | 'run_id' | 'time' | 'scope'>
    : never
  : never

const event = (body: Body, scope: string | null = null) =>
  ({ seq: 1, run_id: 'run_1', time: '2026-01-01T00:00:00Z', scope, ...body }) as StreamEvent

const task = (id: string, more: Partial<PlanTask> = {}): PlanTask => ({
  id,
  round: 1,
  name: 'reader',
  worker: 'reader',
  description: `look at ${id}`,
  status: 'pending',
  result: null,
  error: null,
  cost: null,
  started_time: null,
  ended_time: null,
  ...more,
})

const asks = (id: string, purpose: PlanPurpose | null, scope: string | null = null) =>
  event(
    {
      type: 'model-start',
      message_id: id,
      model: 'm',
      attempt: 1,
      reserved_tokens: 0,
      reserved_cost: null,
      ...(purpose === null ? {} : { purpose }),
    },
    scope,
  )
const writes = (id: string, delta: string, scope: string | null = null) =>
  event({ type: 'message-delta', message_id: id, delta }, scope)
const says = (id: string, content: string, scope: string | null = null) =>
  event(
    {
      type: 'message',
      message: { id, seq: 1, run_id: 'run_1', role: 'assistant', kind: 'reply', content, created_time: '', scope },
    },
    scope,
  )

const RUN: StreamEvent[] = [
  asks('p', 'plan'),
  writes('p', '{"plan": ['),
  says('p', '{"plan": []}'),
  event({ type: 'plan', plan: { round: 1, status: 'running', tasks: [task('a'), task('b', { status: 'skipped' })] } }),
  event({ type: 'task-start', task: task('a', { status: 'running' }) }, 'a'),
  asks('t', null, 'a'),
  writes('t', 'words of the task', 'a'),
  says('t', 'words of the task', 'a'),
  event({ type: 'task-end', task: task('a', { status: 'failed', error: 'the page is gone' }) }, 'a'),
  asks('s', 'summary'),
  writes('s', 'All in '),
  writes('s', 'all.'),
  says('s', 'All in all.'),
]

const shown = (parts: ViewPart[]) =>
  parts.flatMap((part) => (part.type === 'line' || part.type === 'flow' ? [part.text] : []))

describe('a plan in the terminal', () => {
  test('is told by its tasks; what the planner and the tasks write is not', ({ expect }) => {
    const view = createRunView(textsOf('en'), [])
    const parts = RUN.flatMap((one) => view.push(one))
    expect(shown(parts)).toEqual([
      '# plan, round 1\n  1. reader: look at a',
      '▶ [1] reader: look at a',
      '✗ [1] reader: the page is gone',
      'All in ',
      'all.',
    ])
    expect(parts.filter((part) => part.type === 'flow').map(({ kind }) => kind)).toEqual(['answer', 'answer'])
  })

  test('that waits is shown a task a line', ({ expect }) => {
    const pending = {
      id: 'pnd_1',
      type: 'approval',
      tool: 'plan',
      arguments: { plan: [{ name: 'reader', description: 'look\u001b[2J at it' }] },
      created_time: '',
      expires_time: '',
      scope: null,
    } as const
    const text = pendingText(pending, textsOf('zh-CN'))
    expect(text.split('\n')).toEqual(['? 请求按此计划执行：', expect.stringMatching(/^ {2}1\. reader：look.* at it$/)])
    expect(text).not.toContain('\u001b')
  })

  test('or a step of a workflow in the words of its author', ({ expect }) => {
    const pending = {
      id: 'pnd_1',
      type: 'approval',
      tool: 'workflow',
      arguments: { step: 'agree', approval: 'Send it?\nTo: all' },
      created_time: '',
      expires_time: '',
      scope: 'stp_01m000000000000000000000aa',
    } as const
    expect(pendingText(pending, textsOf('en'))).toBe('? Send it?\nTo: all')
  })
})
