import { describe, test } from 'vitest'
import { layoutOf, NODE } from '../../../src/console/flow/layout.ts'
import type { StepView } from '../../../src/domain/workflow-view.ts'

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

  test('has what undoes a step in the box of that, and of a list nothing else', ({ expect }) => {
    const { boxes } = layoutOf(
      [
        step('each', { type: 'map' }),
        step('each[0].in', { parent: 'each' }),
        step('undo', { parent: 'each', undoes: 'each' }),
      ],
      1_000,
    )
    expect(boxes.map((box) => [box.step.step, box.isGroup])).toEqual([
      ['each', true],
      ['undo', false],
    ])
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

  test('has the branches of a step beside each other, or one below the other, and none in the other', ({ expect }) => {
    const steps = [
      step('both', { type: 'parallel' }),
      step('l1', { parent: 'both' }),
      step('l2', { parent: 'both', depends_on: ['l1'] }),
      step('r1', { parent: 'both' }),
      step('r2', { parent: 'both', depends_on: ['r1'] }),
    ]
    const at = (width: number) => {
      const { boxes } = layoutOf(steps, width)
      return (path: string) => boxes.find((box) => box.step.step === path) ?? { x: NaN, y: NaN }
    }
    const wide = at(1_000)
    expect([wide('l1').x, wide('r1').x]).toEqual([wide('l2').x, wide('r2').x])
    expect(wide('r1').y).toBe(wide('l1').y)
    const narrow = at(NODE.width + 40)
    expect(narrow('r1').y).toBeGreaterThan(narrow('l2').y)
  })

  test('leads a line past what stands between two steps', ({ expect }) => {
    const steps = [
      step('a'),
      step('b', { depends_on: ['a'] }),
      step('c', { depends_on: ['a'] }),
      step('d', { depends_on: ['b', 'c'] }),
    ]
    const { boxes, edges } = layoutOf(steps, NODE.width)
    const [left] = boxes.map(({ x }) => x).toSorted((one, other) => one - other)
    const past = edges.filter(({ path }) => path.includes(' L '))
    expect(past.map(({ from, to }) => `${from} ${to}`)).toEqual(['a c', 'b d'])
    for (const { path } of past) {
      const [, lane = NaN] = / L (\S+) /.exec(path)?.map(Number) ?? []
      expect(lane).toBeLessThan(left ?? NaN)
      expect(lane).toBeGreaterThanOrEqual(0)
    }
  })
})
