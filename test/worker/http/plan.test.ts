import { describe, test } from 'vitest'
import type { AgentResponseData } from '../../../src/domain/session.ts'
import { hear } from '../../support/sse.ts'
import { call, json, newSession, problem, read, send, sent, stage } from './http.ts'

const SSE = { accept: 'text/event-stream' }
const PLAN = { orchestrator: 'plan' }
const entry = (description: string) => ({ name: 'llm_tool', description })
const plan = (...descriptions: string[]) => JSON.stringify({ plan: descriptions.map(entry) })
const down = { status: 400, body: { error: { message: 'down' } } }

describe('a plan over HTTP', () => {
  test('is told as it happens: plan, task-start, the task in its scope, task-end, plan, the summary in pieces', async ({
    expect,
  }) => {
    const { id } = await newSession(
      await stage([plan('查甲'), '甲好', plan(), { content: '总之很好', chunks: 2 }]),
      PLAN,
    )
    const heard = await hear((await send(id, '介绍甲', SSE)).body)
    const types = heard.map(({ event }) => event)
    const told = ['plan', 'task-start', 'task-end', 'run-end']
    expect(types.filter((type) => type !== undefined && told.includes(type))).toEqual([
      'plan',
      'task-start',
      'task-end',
      'plan',
      'run-end',
    ])
    const end = heard.find(({ event }) => event === 'task-end')?.data
    expect(end).toMatchObject({ task: { status: 'completed', result: '甲好', worker: 'llm_tool', round: 1 } })
    const scope = end?.['scope']
    expect(scope).toMatch(/^tsk_/)
    const inTask = heard.filter(({ data }) => data['scope'] === scope).map(({ event }) => event)
    expect(inTask.at(0)).toBe('task-start')
    expect(inTask.at(-1)).toBe('task-end')
    expect(inTask).toEqual(expect.arrayContaining(['message', 'message-delta', 'model-start', 'model-end']))
    const lastPlan = types.lastIndexOf('plan')
    const pieces = heard.slice(lastPlan).filter(({ event }) => event === 'message-delta')
    expect(pieces.map(({ data }) => data['delta']).join('')).toBe('总之很好')
    expect(heard.at(-1)).toMatchObject({ event: 'run-end', data: { result: '总之很好' } })
  })

  test('is in the session with every task, its worker, result and cost', async ({ expect }) => {
    const set = await stage([plan('查甲', '查乙'), '一', '二', plan(), '完'])
    const { id } = await newSession({ ...set, config: { ...set.config, model: 'priced' } }, PLAN)
    await sent(id, '介绍')
    const { plan: shown } = await read(id)
    expect(shown).toMatchObject({ round: 2, status: 'completed' })
    expect(shown?.tasks).toHaveLength(2)
    for (const task of shown?.tasks ?? []) {
      expect(Object.keys(task).toSorted()).toEqual([
        'cost',
        'description',
        'ended_time',
        'error',
        'id',
        'name',
        'result',
        'round',
        'started_time',
        'status',
        'worker',
      ])
      expect(task).toMatchObject({ status: 'completed', error: null, cost: { currency: 'CNY' } })
      expect(task.cost?.amount).toBeGreaterThan(0)
    }
  })

  test('has one task done again, or ended, by its id', async ({ expect }) => {
    const { id } = await newSession(await stage([plan('查甲'), down, plan(), '没有', '甲好', '有了']), PLAN)
    expect((await sent(id, '介绍')).result).toBe('没有')
    const [task] = (await read(id)).plan?.tasks ?? []
    expect(task).toMatchObject({ status: 'failed', error: expect.stringContaining('down') })
    const path = `/v1/sessions/${id}/tasks/${task?.id}`
    const headers = { 'idempotency-key': 'once-more' }
    const again = await json<AgentResponseData>(call('POST', `${path}/retry`, { headers }))
    expect(again).toMatchObject({ status: 'completed', result: '有了' })
    const replayed = await call('POST', `${path}/retry`, { headers })
    expect(replayed.headers.get('idempotent-replayed')).toBe('true')
    expect(await json(replayed)).toEqual(again)
    expect((await problem(call('POST', `${path}/retry`), 409)).code).toBe('nothing_to_continue')
    expect((await problem(call('POST', `${path}/cancel`), 409)).code).toBe('nothing_to_continue')
    await problem(call('POST', `/v1/sessions/${id}/tasks/tsk_none/retry`), 404)
    await problem(call('POST', '/v1/sessions/ses_none/tasks/tsk_none/cancel'), 404)
    expect((await call('GET', `${path}/retry`)).status).toBe(405)
  })

  test('waits as a pending approval where it is reviewed, and is taken as it was edited', async ({ expect }) => {
    const set = await stage([plan('查甲'), '丙好', plan(), '完'])
    const { id } = await newSession(set, { ...PLAN, config: { ...set.config, plan: { review: true } } })
    const waits = await sent(id, '介绍')
    const [pending] = waits.pending
    expect(pending).toMatchObject({ type: 'approval', tool: 'plan', arguments: { plan: [entry('查甲')] } })
    const decide = (body: unknown) => call('POST', `/v1/sessions/${id}/pending/${pending?.id}`, { body })
    const { code, errors } = await problem(decide({ decision: 'approve', arguments: { plan: [{ name: 3 }] } }), 400)
    expect(code).toBe('invalid_input')
    expect(errors?.map(({ path }) => path)).toEqual(['arguments.plan.0.name', 'arguments.plan.0.description'])
    expect((await problem(decide({ decision: 'approve', arguments_hash: 'x' }), 409)).code).toBe('stale_decision')
    const edited = { plan: [entry('查丙')] }
    const hash = pending?.arguments_hash
    expect(await json(decide({ decision: 'approve', arguments: edited, arguments_hash: hash }))).toMatchObject({
      status: 'completed',
      result: '完',
    })
  })

  test('is described', async ({ expect }) => {
    const { paths } = await json<{ paths: Record<string, Record<string, unknown>> }>(call('GET', '/openapi.json'))
    for (const act of ['cancel', 'retry'])
      expect(paths[`/v1/sessions/{id}/tasks/{task}/${act}`]?.['post']).toBeDefined()
  })

  test('takes a fork along, with what was done', async ({ expect }) => {
    const { id } = await newSession(await stage([plan('查甲'), '甲好', plan(), '完']), PLAN)
    await sent(id, '介绍')
    const copy = await json<{ id: string }>(call('POST', `/v1/sessions/${id}/fork`, { body: {} }), 201)
    expect((await read(copy.id)).plan).toEqual((await read(id)).plan)
  })
})
