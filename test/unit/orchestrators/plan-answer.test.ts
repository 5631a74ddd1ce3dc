import { describe, expect, test } from 'vitest'
import { PLAN_PROMPTS } from '../../../configs/prompts/plan.ts'
import { planIn } from '../../../src/orchestrators/plan/parse.ts'

const entry = (name: string, description: string, more: object = {}) => ({ name, description, ...more })
const written = (...plan: object[]) => JSON.stringify({ plan })
const dependsOn = (...needs: unknown[]) =>
  planIn(
    written(...needs.map((depends_on, index) => entry(`w${index}`, 'd', depends_on ? { depends_on } : {}))),
  )?.tasks.map((task) => task.dependsOn)

describe('a plan in a planner’s answer', () => {
  const one = { name: 'github', description: '列出发布' }

  test.each([
    ['alone', written(one)],
    ['in a fence', `好的：\n\`\`\`json\n${written(one)}\n\`\`\`\n以上。`],
    ['between prose with braces', `用 {x} 表示 {"a": 1}。${written(one)} 完 {`],
    ['behind an earlier one, which does not count', `${written(entry('old', 'x'))}\n不，改成：${written(one)}`],
    ['before one that is broken', `${written(one)}\n{"plan":[{"name":"x"}]}`],
    ['with a quote in it that is not closed before', `say "${'x'.repeat(3)}\n ${written(one)}`],
  ])('%s', (_, text) => {
    expect(planIn(text)).toEqual({ tasks: [{ ...one, dependsOn: [] }], hasCycle: false })
  })

  test('is empty when the list is', () => {
    expect(planIn('{"plan": []}')).toEqual({ tasks: [], hasCycle: false })
  })

  test.each(['en', 'zh-CN'] as const)('is empty with the example that the prompt gives, %s', (language) => {
    const { planner } = PLAN_PROMPTS[language]
    const [description = ''] = /(?<="description": ")[^"]+/.exec(planner) ?? []
    const example = entry('github', description)
    expect(description).not.toBe('')
    expect(planIn(written(example, example))).toEqual({ tasks: [], hasCycle: false })
    expect(planIn(written(example, one))).toEqual({ tasks: [], hasCycle: false })
  })

  test.each([
    ['prose', '我直接回答：灯塔很高。'],
    ['broken JSON', '{"plan":[{"name":"a","description":"b"}'],
    ['an entry without a description', '{"plan":[{"name":"a","description":"b"},{"name":"c"}]}'],
    ['an entry whose name is a number', '{"plan":[{"name":1,"description":"b"}]}'],
    ['another object', '{"tasks":[]}'],
    ['nothing', ''],
  ])('is not in %s', (_, text) => {
    expect(planIn(text)).toBeNull()
  })

  test('says what a task needs, counted from one, from zero, or by name', () => {
    expect(dependsOn(undefined, [1], [1, 2])).toEqual([[], [0], [0, 1]])
    expect(dependsOn(undefined, [0], [0, 1])).toEqual([[], [0], [0, 1]])
    expect(dependsOn(undefined, ['w0'], ['1', 'w1'])).toEqual([[], [0], [0, 1]])
    expect(dependsOn([7], ['nobody'])).toEqual([[], []])
  })

  test('counts although what a task needs is not a list, or holds what is no name and no number', () => {
    expect(dependsOn(undefined, 1, 'w0')).toEqual([[], [0], [0]])
    expect(dependsOn(undefined, [1.5, null, {}, 'w0'], { on: 1 })).toEqual([[], [0], []])
  })

  test('loses what is needed in a circle, and nothing else', () => {
    expect(
      planIn(
        written(
          entry('a', 'x', { depends_on: [2] }),
          entry('b', 'y', { depends_on: [1] }),
          entry('c', 'z', { depends_on: [1] }),
        ),
      ),
    ).toEqual({
      hasCycle: true,
      tasks: [
        entry('a', 'x', { dependsOn: [] }),
        entry('b', 'y', { dependsOn: [] }),
        entry('c', 'z', { dependsOn: [0] }),
      ],
    })
  })

  test('is found in time linear in a hostile answer', () => {
    expect(planIn('{'.repeat(200_000))).toBeNull()
    expect(planIn('{"plan":['.repeat(50_000))).toBeNull()
  })
})
