/* oxlint-disable unicorn/no-thenable -- `then` is a field of the format, and no function */
import { describe, test } from 'vitest'
import {
  isToldWithin,
  unsavableOf,
  placeOfRefusal,
  withoutTold,
  workflowRefusal,
} from '../../../../src/console/workflow/refusals.ts'
import type { FieldBounds } from '../../../../src/console/forms/field.ts'
import { clausesIn, toldIn } from '../../../../src/lib/in-language.ts'

const words = {
  needed: 'needed',
  badName: 'bad name',
  badStepName: 'bad step name',
  nameTaken: (name: string) => `taken: ${name}`,
  noNumber: 'no number',
  noWhole: 'no whole number',
  beyond: (value: number, field: FieldBounds) =>
    value < (field.least ?? value)
      ? `at least ${field.least}`
      : value > (field.most ?? value)
        ? `at most ${field.most}`
        : null,
}

/** As a page in Chinese says it. */
const said = {
  inWords: (message: string) => message,
  labelled: (what: string, words: string) => toldIn('zh-CN', what, words),
  joined: (clauses: readonly string[]) => clausesIn('zh-CN', clauses),
}

const flow = {
  name: 'post',
  description: 'Posts.',
  steps: [
    { id: 'words', type: 'agent', prompt: 'x', skill: 'translate' },
    {
      id: 'check',
      type: 'if',
      condition: 'true',
      then: [{ id: 'send', type: 'tool', tool: 'http_request', arguments: { url: 'x' } }],
    },
    {
      id: 'sort',
      type: 'switch',
      value: 'task',
      cases: [{ matches: 'a', steps: [{ id: 'one', type: 'set', values: { a: 1 } }] }],
    },
    { id: 'both', type: 'parallel', branches: [[{ id: 'left', type: 'wait', approval: 'ok' }], []] },
    { id: 'odd', type: 'unheard', of: 1 },
  ],
}

describe('refusals of a workflow', () => {
  test.for([
    ['name', 'name'],
    ['inputs.properties.a', 'inputs'],
    ['output.a.0', 'output'],
    ['steps', 'steps'],
    ['steps.9.prompt', 'steps'],
    ['steps.0.prompt', 'steps.0.prompt'],
    ['steps.0.tools.2', 'steps.0.tools'],
    ['steps.0.team.roles.1', 'steps.0.worker'],
    ['steps.0.permissions.x', 'steps.0.permissions'],
    ['steps.0.unheard', 'steps.0'],
    ['steps.0.retry.times', 'steps.0.retry.times'],
    ['steps.1.id', 'steps.1.id'],
    ['steps.1.then', 'steps.1.then'],
    ['steps.1.else', 'steps.1.else'],
    ['steps.1.then.0.arguments.method', 'steps.1.then.0.arguments'],
    ['steps.1.then.0', 'steps.1.then.0'],
    ['steps.2.cases.0.matches', 'steps.2.cases.0'],
    ['steps.2.cases.0.steps', 'steps.2.cases.0.steps'],
    ['steps.2.cases.0.steps.0.values.a', 'steps.2.cases.0.steps.0.values'],
    ['steps.3.branches', 'steps.3.branches'],
    ['steps.3.branches.1', 'steps.3.branches.1'],
    ['steps.3.branches.0.0.approval', 'steps.3.branches.0.0.approval'],
    ['steps.3.branches.0.0.for_ms', 'steps.3.branches.0.0.wait'],
    ['steps.4.of', 'steps.4'],
  ] as const)('of %s stand at %s', ([path, place], { expect }) => {
    expect(placeOfRefusal(path, flow)).toBe(place)
  })

  test('say no more which step it is, and name the value that they are about', ({ expect }) => {
    const errors = [
      { path: 'steps.1.then.0.arguments.method', message: 'step send: http_request needs it' },
      { path: 'steps.1.then.0.arguments.body', message: 'step send: http_request needs it' },
      { path: 'steps.0.prompt', message: 'line 7: step words: unknown input how' },
      { path: 'steps.1.condition', message: '步骤 check：未知步骤 x' },
      { path: 'version', message: 'Unrecognized key' },
      { path: '', message: 'at most 9' },
    ]
    expect(workflowRefusal({ errors }, flow, said)).toEqual({
      fields: {
        'steps.1.then.0.arguments': 'method：http_request needs it；body：http_request needs it',
        'steps.0.prompt': 'unknown input how',
        'steps.1.condition': '未知步骤 x',
      },
      rest: ['version：Unrecognized key', 'at most 9'],
    })
  })

  test('are told before anything is sent where a field is empty', ({ expect }) => {
    expect(Object.keys(unsavableOf({ steps: [] }, words).fields)).toEqual(['name', 'description', 'steps'])
    const steps = [
      { id: 'a', type: 'agent', prompt: ' ' },
      { id: 'b', type: 'agent', prompt: '', skill: '', inputs: { x: 1 } },
      { id: 'c', type: 'if', condition: '', then: [{ id: 'd', type: 'tool', tool: '', arguments: {} }] },
      { id: 'e', type: 'parallel', branches: [[{ id: 'f', type: 'wait', question: { text: '' } }], []] },
      { id: 'g', type: 'switch', value: 'x', cases: [{ matches: '', steps: [] }] },
    ]
    expect(Object.keys(unsavableOf({ ...flow, steps }, words).fields)).toEqual([
      'steps.0.prompt',
      'steps.1.skill',
      'steps.2.condition',
      'steps.2.then.0.tool',
      'steps.3.branches.1',
      'steps.3.branches.0.0.question.text',
      'steps.4.cases.0',
      'steps.4.cases.0.steps',
    ])
    expect(unsavableOf(flow, words).fields).toEqual({ 'steps.3.branches.1': 'needed' })
  })

  test('are told of numbers that are none or beyond their bounds, at once with what is empty', ({ expect }) => {
    const steps = [
      { id: 'a', type: 'agent', prompt: '', retry: { times: 21, backoff: 0.5, delay_ms: 'soon' }, timeout_ms: 1 },
      { id: 'b', type: 'map', over: 'x', concurrency: 1.5, steps: [{ id: 'c', type: 'wait', for_ms: -1 }] },
    ]
    expect(unsavableOf({ ...flow, steps }, words).fields).toEqual({
      'steps.0.prompt': 'needed',
      'steps.0.retry.times': 'at most 20',
      'steps.0.retry.backoff': 'at least 1',
      'steps.0.retry.delay_ms': 'no number',
      'steps.1.concurrency': 'no whole number',
      'steps.1.steps.0.for_ms': 'at least 0',
    })
  })

  test('are told of names that cannot be, all at once with what is empty', ({ expect }) => {
    const steps = [
      { id: 'a', type: 'set', values: { x: 1 } },
      { id: '1 b', type: 'set', values: {} },
      { id: 'c', type: 'if', condition: 'a', then: [{ id: 'a', type: 'set', values: { x: 1 } }] },
    ]
    expect(unsavableOf({ ...flow, name: 'bad name!', description: '', steps }, words).fields).toEqual({
      name: 'bad name',
      description: 'needed',
      'steps.1.id': 'bad step name',
      'steps.1.values': 'needed',
      'steps.2.then.0.id': 'taken: a',
    })
  })

  test('go with the field that is changed, and with what is in it or around it', ({ expect }) => {
    const refusal = { fields: { 'steps.1': 'a', 'steps.1.then.0.tool': 'b', 'steps.10.prompt': 'c' }, rest: [] }
    expect(withoutTold(refusal, 'steps.1.then').fields).toEqual({ 'steps.10.prompt': 'c' })
    expect(withoutTold(refusal, 'steps.1.then.0.tool').fields).toEqual({ 'steps.10.prompt': 'c' })
    expect([isToldWithin(refusal, 'steps.1'), isToldWithin(refusal, 'steps.0')]).toEqual([true, false])
  })
})
