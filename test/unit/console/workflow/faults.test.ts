/* oxlint-disable unicorn/no-thenable -- `then` is a field of the format, and no function */
import { describe, test } from 'vitest'
import { faultsOf, isSayable, isStepId } from '../../../../src/console/workflow/faults.ts'

const agent = (id: string, prompt: string, more: object = {}) => ({ id, type: 'agent', prompt, ...more })
const inputs = { type: 'object', properties: { who: { type: 'string' } } }
const of = (step: object, before: object[] = []) => faultsOf({ inputs, steps: [...before, step] })

describe('what would not work in a workflow', () => {
  test.for([
    ['Greet {{ inputs.who }}, {{ task }} and {{ length(inputs.who) > 2 }}.', null],
    ['No braces: inputs.whom', null],
    ['Greet {{ inputs.whom }}.', { kind: 'input', of: 'whom' }],
    ['Say {{ steps.gone.output }}.', { kind: 'step', of: 'gone' }],
    ['Say {{ steps.b.output }}.', { kind: 'later', of: 'b' }],
    ['Say {{ steps.a }}.', { kind: 'member', of: 'a' }],
    ['Say {{ steps.a.result }}.', { kind: 'member', of: 'a' }],
    ['Say {{ steps.a.output.result }}.', null],
    ['Say {{ item }}.', { kind: 'name', of: 'item' }],
    ['Say {{ inputs.who', { kind: 'unclosed', of: '{{ inputs.who' }],
    ['Say {{ inputs who }}.', { kind: 'unreadable', of: 'inputs who' }],
  ] as const)('%s', ([prompt, fault], { expect }) => {
    const found = of(agent('b', prompt), [agent('a', 'x')])
    expect(found).toEqual(fault === null ? {} : { 'steps.1.prompt': fault })
  })

  test('stands at the field of whatever step it is in', ({ expect }) => {
    const found = faultsOf({
      inputs,
      steps: [
        { id: 'a', type: 'set', values: { x: ['{{ inputs.whom }}'] } },
        {
          id: 'b',
          type: 'map',
          over: 'item',
          steps: [agent('c', '{{ item }} {{ steps.a.output }}', { when: 'inputs.size > 1' })],
        },
      ],
      output: { all: '{{ steps.c.output }}' },
    })
    expect(found).toEqual({
      'steps.0.values': { kind: 'input', of: 'whom' },
      'steps.1.over': { kind: 'name', of: 'item' },
      'steps.1.steps.0.when': { kind: 'input', of: 'size' },
      output: { kind: 'later', of: 'c' },
    })
  })

  test('is an input of none, but not of inputs that may have any name', ({ expect }) => {
    const steps = [agent('a', '{{ inputs.who }}')]
    expect(faultsOf({ steps })).toEqual({ 'steps.0.prompt': { kind: 'input', of: 'who' } })
    expect(faultsOf({ inputs: { type: 'object' }, steps })).toEqual({})
  })

  test('names that can be written in an expression, and those of steps', ({ expect }) => {
    expect(['who', '姓名', 'a-b', 'bad name!', '1a', ''].map(isSayable)).toEqual([
      true,
      true,
      true,
      false,
      false,
      false,
    ])
    expect(['a', 'toString', 'x'.repeat(65)].map(isStepId)).toEqual([true, false, false])
  })
})
