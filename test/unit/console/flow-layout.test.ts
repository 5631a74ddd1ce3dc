import { describe, test } from 'vitest'
import { layoutOf, NODE } from '../../../src/console/flow/layout.ts'
import type { StepView } from '../../../src/domain/workflow.ts'

const step = (path: string, more: Partial<StepView> = {}): StepView => ({
  step: path,
  type: 'set',
  status: 'pending',
  attempt: 0,
  depends_on: [],
  parent: null,
  scope: null,
  start_seq: null,
  end_seq: null,
  started_time: null,
  ended_time: null,
  error: null,
  ...more,
})

describe('the graph of a workflow', () => {
  test('has each step below those that it goes by, and an edge from each', ({ expect }) => {
    const { boxes, edges } = layoutOf(
      [
        step('d', { depends_on: ['b', 'c'] }),
        step('a'),
        step('b', { depends_on: ['a'] }),
        step('c', { depends_on: ['a'] }),
      ],
      1_000,
    )
    const y = (path: string) => boxes.find((box) => box.step.step === path)?.y ?? NaN
    expect([y('a') < y('b'), y('b') === y('c'), y('c') < y('d')]).toEqual([true, true, true])
    expect(edges.map(({ from, to }) => `${from} ${to}`).toSorted()).toEqual(['a b', 'a c', 'b d', 'c d'])
  })

  test('is no wider than there is room, where a step has it', ({ expect }) => {
    const many = Array.from({ length: 9 }, (_, index) => step(`s${index}`))
    const { width, boxes } = layoutOf(many, 2 * NODE.width + 40)
    expect(width).toBeLessThanOrEqual(2 * NODE.width + 40)
    expect(new Set(boxes.map(({ x, y }) => `${x} ${y}`)).size).toBe(9)
  })

  test('has what stands within a step in its box, and a list as one node', ({ expect }) => {
    const { boxes } = layoutOf(
      [
        step('both', { type: 'parallel' }),
        step('l', { parent: 'both' }),
        step('r', { parent: 'both' }),
        step('each', { type: 'map', depends_on: ['both'] }),
        step('each[0].one', { parent: 'each' }),
      ],
      1_000,
    )
    const box = (path: string) => boxes.find((one) => one.step.step === path)
    expect(box('each[0].one')).toBeUndefined()
    const [around, left] = [box('both'), box('l')]
    if (!around || !left) throw new Error('a box is missing')
    expect(around.isGroup && left.x > around.x && left.x + left.width < around.x + around.width).toBe(true)
    expect(left.y > around.y && left.y + left.height < around.y + around.height).toBe(true)
  })
})
