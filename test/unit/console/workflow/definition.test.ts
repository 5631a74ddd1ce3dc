/* oxlint-disable unicorn/no-thenable -- `then` is a field of the format, and no function */
import { describe, test } from 'vitest'
import {
  broughtBack,
  writtenOf,
  stepKey,
  moved,
  newStep,
  renamed,
  speaking,
  writtenSteps,
  writtenAt,
  withValue,
} from '../../../../src/console/workflow/definition.ts'
import { frozen } from '../../../../src/lib/json.ts'

const flow = frozen({
  name: 'post',
  steps: [
    { id: 'words', type: 'agent', prompt: 'Say {{ inputs.who }}', retry: { times: 2 }, own: { kept: true } },
    {
      id: 'check',
      type: 'if',
      condition: "steps.words.output != '' and steps.words_2.output",
      then: [{ id: 'send', type: 'tool', tool: 'http_request', arguments: { body: '{{ steps.words.output }}' } }],
      else: [{ id: 'stay', type: 'set', depends_on: ['words'], values: { a: ['steps.words.status'] } }],
    },
    { id: 'sort', type: 'switch', value: 'task', cases: [{ matches: 'a', steps: [{ id: 'one', type: 'set' }] }] },
    {
      id: 'both',
      type: 'parallel',
      branches: [[{ id: 'left', type: 'set' }], []],
      rollback: [{ id: 'back', type: 'set' }],
    },
  ],
})

describe('a workflow that is written', () => {
  test('has another value at a nested path, and shares all that stays', ({ expect }) => {
    const next = withValue(flow, 'steps.1.then.0.tool', 'web_access')
    expect(writtenAt(next, 'steps.1.then.0')).toEqual({
      id: 'send',
      type: 'tool',
      tool: 'web_access',
      arguments: { body: '{{ steps.words.output }}' },
    })
    expect(writtenAt(flow, 'steps.1.then.0.tool')).toBe('http_request')
    expect(writtenAt(next, 'steps.0')).toBe(writtenAt(flow, 'steps.0'))
    expect(writtenAt(next, 'steps.1.else')).toBe(writtenAt(flow, 'steps.1.else'))
    expect(Object.keys(next)).toEqual(['name', 'steps'])
    expect(withValue(flow, '', { a: 1 })).toEqual({ a: 1 })
  })

  test('knows a step by the same key when all of it is another, as when another way to wait is chosen', ({
    expect,
  }) => {
    const before = stepKey(writtenAt(flow, 'steps.0'))
    const next = withValue(flow, 'steps.0', { id: 'words', type: 'agent', plan: true })
    expect(stepKey(writtenAt(next, 'steps.0'))).toBe(before)
    expect(stepKey(writtenAt(next, 'steps.1'))).not.toBe(before)
  })

  test('loses what is taken away, with what is empty around it, and keeps an object that is given empty', ({
    expect,
  }) => {
    const next = withValue(flow, 'steps.0.retry.times', undefined)
    expect(writtenAt(next, 'steps.0')).toEqual({
      id: 'words',
      type: 'agent',
      prompt: 'Say {{ inputs.who }}',
      own: { kept: true },
    })
    expect(writtenAt(withValue(flow, 'steps.1.then.0.arguments', {}), 'steps.1.then.0.arguments')).toEqual({})
    expect(writtenAt(withValue(flow, 'steps.3.branches.1', [1]), 'steps.3.branches')).toEqual([
      [{ id: 'left', type: 'set' }],
      [1],
    ])
  })

  test('knows a step while it is changed, and all of them wherever they stand', ({ expect }) => {
    const key = stepKey(writtenAt(flow, 'steps.1.then.0'))
    const next = withValue(withValue(flow, 'steps.1.then.0.tool', 'x'), 'steps.1.then.0.id', 'y')
    expect(stepKey(writtenAt(next, 'steps.1.then.0'))).toBe(key)
    expect(stepKey(writtenAt(next, 'steps.1.else.0'))).not.toBe(key)
    expect(writtenSteps(flow.steps).map(({ path }) => path)).toEqual([
      'steps.0',
      'steps.1',
      'steps.1.then.0',
      'steps.1.else.0',
      'steps.2',
      'steps.2.cases.0.steps.0',
      'steps.3',
      'steps.3.branches.0.0',
      'steps.3.rollback.0',
    ])
    expect(writtenSteps('none')).toEqual([])
  })

  test('gives a new step an id that none has, and moves one', ({ expect }) => {
    expect(newStep('agent', { steps: [{ id: 'agent_1' }, { type: 'map', steps: [{ id: 'agent_2' }] }] })).toEqual({
      id: 'agent_3',
      type: 'agent',
      prompt: '',
    })
    expect(moved(['a', 'b', 'c'], 0, 2)).toEqual(['b', 'c', 'a'])
    expect(moved(['a', 'b', 'c'], 2, 1)).toEqual(['a', 'c', 'b'])
  })

  test('speaks of a step by the id that it is given, and of no other', ({ expect }) => {
    const next = renamed(flow, 'steps.0', 'text')
    expect(writtenAt(next, 'steps.0.id')).toBe('text')
    expect(writtenAt(next, 'steps.1.condition')).toBe("steps.text.output != '' and steps.words_2.output")
    expect(writtenAt(next, 'steps.1.then.0.arguments.body')).toBe('{{ steps.text.output }}')
    expect(writtenAt(next, 'steps.1.else.0')).toMatchObject({
      depends_on: ['text'],
      values: { a: ['steps.text.status'] },
    })
    expect(stepKey(writtenAt(next, 'steps.1'))).toBe(stepKey(writtenAt(flow, 'steps.1')))
    const taken = renamed(flow, 'steps.0', 'send')
    expect(writtenAt(taken, 'steps.0.id')).toBe('send')
    expect(writtenAt(taken, 'steps.1.condition')).toBe(flow.steps[1]?.condition)
  })

  test('speaks of an input by the name that it is given, in either spelling, and of no other', ({ expect }) => {
    const values = {
      a: '{{ inputs.who }} {{ inputs.whole }} {{ inputs.who-2 }} {{ steps.x.output.inputs.who }}',
      b: ['{{ inputs["who"] }}', "{{ inputs['who'].name }}", '{{ inputs["whole"] }}'],
      who: 'inputs.who.name == inputs.who',
    }
    const next = speaking({ steps: [{ id: 'a', type: 'set', values }] }, 'inputs', 'who', 'person')
    expect(writtenAt(next, 'steps.0.values')).toEqual({
      a: '{{ inputs.person }} {{ inputs.whole }} {{ inputs.who-2 }} {{ steps.x.output.inputs.who }}',
      b: ['{{ inputs["person"] }}', "{{ inputs['person'].name }}", '{{ inputs["whole"] }}'],
      who: 'inputs.person.name == inputs.person',
    })
    expect(stepKey(writtenAt(next, 'steps.0'))).not.toBe(0)
    expect(speaking(flow, 'inputs', 'nobody', 'x')).toBe(flow)
    expect(writtenAt(speaking(flow, 'steps.words.output', 'text', 'said'), 'steps.0')).toBe(flow.steps[0])
  })

  test('is what its author wrote, without what the server tells of it', ({ expect }) => {
    const told = { object: 'workflow', version: 3, source: 'tenant', created_time: '2026-01-01T00:00:00Z' }
    expect(writtenOf({ ...told, ...flow, output: null })).toEqual({ ...flow, output: null })
  })

  test('has what was taken away back in its place, with what was changed since', ({ expect }) => {
    const before = [{ id: 'a' }, { id: 'b' }, { id: 'c' }]
    const after = [before[0], before[2]]
    expect(broughtBack(before, after, [{ id: 'x' }, before[2]])).toEqual([{ id: 'x' }, { id: 'b' }, { id: 'c' }])
    expect(broughtBack([before[0]], undefined, undefined)).toEqual([before[0]])
    expect(broughtBack({ x: 1, y: 2 }, { x: 1 }, { x: 3 })).toEqual({ x: 1, y: 2 })
  })
})
