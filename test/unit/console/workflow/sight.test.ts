/* oxlint-disable unicorn/no-thenable -- `then` is a field of the format, and no function */
import { describe, test } from 'vitest'
import { drawnOf } from '../../../../src/console/workflow/drawn.ts'
import { sightAt } from '../../../../src/console/workflow/sight.ts'

const flow = {
  inputs: { type: 'object', properties: { who: {} } },
  steps: [
    { id: 'a', type: 'set' },
    {
      id: 'b',
      type: 'if',
      then: [
        { id: 'c', type: 'set' },
        { id: 'd', type: 'set' },
      ],
    },
    {
      id: 'e',
      type: 'map',
      steps: [
        { id: 'f', type: 'set' },
        { id: 'g', type: 'set' },
      ],
      rollback: [{ id: 'h', type: 'set' }],
    },
    { id: 'i', type: 'set', depends_on: [] },
    { id: 'j', type: 'set', depends_on: ['b', 'i'] },
  ],
}

describe('what a step may speak of', () => {
  test.for([
    ['steps.0', ['inputs.who']],
    ['steps.1.then.1', ['inputs.who', 'steps.a.output', 'steps.c.output']],
    ['steps.2', ['inputs.who', ...['a', 'b', 'c', 'd'].map((id) => `steps.${id}.output`)]],
    [
      'steps.2.steps.1',
      ['item', 'index', 'inputs.who', ...['a', 'b', 'c', 'd', 'f'].map((id) => `steps.${id}.output`)],
    ],
    ['steps.2.rollback.0', ['error', 'inputs.who', ...['a', 'b', 'c', 'd', 'e'].map((id) => `steps.${id}.output`)]],
    ['steps.3', ['inputs.who']],
    ['steps.4', ['inputs.who', ...['a', 'b', 'c', 'd', 'i'].map((id) => `steps.${id}.output`)]],
    ['', ['inputs.who', ...['b', 'c', 'd', 'e', 'i', 'j'].map((id) => `steps.${id}.output`)]],
  ] as const)('at %s', ([path, names], { expect }) => {
    expect(sightAt(flow, path)).toEqual(names)
  })

  test('is drawn as it would be done', ({ expect }) => {
    const steps = drawnOf(flow).map(({ step, parent, depends_on, undoes }) => [step, parent, depends_on, undoes])
    expect(steps).toEqual([
      ['a', null, [], undefined],
      ['b', null, ['a'], undefined],
      ['b.c', 'b', [], undefined],
      ['b.d', 'b', ['b.c'], undefined],
      ['e', null, ['b'], undefined],
      ['e.f', 'e', [], undefined],
      ['e.g', 'e', ['e.f'], undefined],
      ['e.h', 'e', [], 'e'],
      ['i', null, [], undefined],
      ['j', null, ['b', 'i'], undefined],
    ])
  })
})
