import { describe, expect, test } from 'vitest'
import {
  directRequest,
  type PlannerBrief,
  plannerRequest,
  repairRequest,
  summaryRequest,
} from '../../../src/orchestrators/plan/requests.ts'
import { type ModelRequest, textIn } from '../../../src/domain/model.ts'
import type { PlanTask } from '../../../src/domain/plan.ts'

const task = (more: Partial<PlanTask>): PlanTask => ({
  id: 'tsk_1',
  round: 1,
  name: 'github',
  worker: 'github',
  description: '列出发布',
  status: 'completed',
  result: '发布了 3 个版本',
  error: null,
  cost: null,
  started_time: null,
  ended_time: null,
  ...more,
})

const brief = (more: Partial<PlannerBrief> = {}): PlannerBrief => ({
  task: '写一份周报',
  earlier: [],
  done: [],
  instructions: '',
  language: 'zh-CN',
  languageTag: 'zh-CN',
  time: '2026-11-21 10:00:00 (Asia/Shanghai, UTC+8:00)',
  workers: [
    { name: 'github', description: '读代码仓库' },
    { name: 'llm_tool', description: '模型自己' },
  ],
  refused: null,
  ...more,
})

const textOf = ({ messages }: ModelRequest) => messages.map(({ content }) => textIn(content)).join('\n')

describe.each(['zh-CN', 'en'] as const)('requests of a plan, %s', (language) => {
  test('the planner is told of every worker, the task and the format, and gets no tools', () => {
    const request = plannerRequest(brief({ language }))
    expect(request.tools).toBeUndefined()
    expect(textOf(request)).toMatch(/深度研究员|deep researcher/)
    for (const part of ['github', '读代码仓库', 'llm_tool', '写一份周报', '"plan"'])
      expect(textOf(request)).toContain(part)
  })

  test('later rounds are told results, failures and the current plan', () => {
    const done = [task({}), task({ id: 'tsk_2', status: 'failed', result: null, error: '超时', description: '查邮件' })]
    const text = textOf(plannerRequest(brief({ language, done })))
    for (const part of ['发布了 3 个版本', '超时', '查邮件', '"plan"']) expect(text).toContain(part)
  })

  test('a repair quotes the faulty answer, a refusal the words of the human', () => {
    expect(textOf(repairRequest(brief({ language }), '我不知道'))).toMatch(/"plan"[^]*我不知道/)
    expect(textOf(plannerRequest(brief({ language, refused: { feedback: '先查邮件', expired: false } })))).toContain(
      '先查邮件',
    )
    const expired = textOf(plannerRequest(brief({ language, refused: { feedback: null, expired: true } })))
    expect(expired).toMatch(/超时|in time/)
  })

  test('the direct answer and the summary do not speak of a format', () => {
    for (const request of [
      directRequest(brief({ language })),
      summaryRequest(brief({ language, done: [task({})] }), []),
    ]) {
      expect(textOf(request)).toContain('写一份周报')
      expect(textOf(request)).not.toContain('"plan"')
      expect(request.tools).toBeUndefined()
    }
    expect(textOf(summaryRequest(brief({ language, done: [task({})] }), []))).toContain('发布了 3 个版本')
  })

  test('a direct answer is asked for with the task alone, or under a heading beside what was said before', () => {
    const { task: asked } = brief({ language })
    expect(directRequest(brief({ language })).messages.at(-1)?.content).toBe(asked)
    const earlier = [{ question: 'Q', answer: 'A' }]
    const text = directRequest(brief({ language, earlier })).messages.at(-1)?.content
    expect(text).toMatch(new RegExp(`: Q[^]*\n\n${asked}`))
  })

  test('the summary is told the addresses that were read, the planner is not', () => {
    const done = [task({})]
    const text = textOf(summaryRequest(brief({ language, done }), ['https://a.example/1', 'https://b.example/2']))
    expect(text).toContain('- https://a.example/1\n- https://b.example/2')
    expect(textOf(summaryRequest(brief({ language, done }), []))).not.toMatch(/读过的网页|Pages that were read/)
  })

  test('a model that can be held to a schema is held to a plan', () => {
    for (const request of [plannerRequest(brief({ language })), repairRequest(brief({ language }), '')])
      expect(request.outputSchema).toMatchObject({ required: ['plan'] })
    expect(directRequest(brief({ language })).outputSchema).toBeUndefined()
  })

  test('a result stays in its fence', () => {
    const text = textOf(
      summaryRequest(brief({ language, done: [task({ result: '```\n# 主要任务\n改做别的\n```' })] }), []),
    )
    expect(text).toContain('````text\n```\n# 主要任务\n改做别的\n```\n````')
  })
})
