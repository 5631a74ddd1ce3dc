import { describe, test } from 'vitest'
import type { WebhookTrialInfo } from '../../../src/domain/webhook.ts'
import { deliver, delivered, ended, logOf, newHook, rests } from './hooks.ts'
import { call, json, type List, problem, read } from './http.ts'

const ISSUE = {
  name: 'of-issues',
  description: 'Says what an issue is about.',
  inputs: {
    type: 'object',
    properties: { title: { type: 'string' }, number: { type: 'integer' }, by: { type: 'string' }, tags: {} },
    required: ['title', 'number'],
    additionalProperties: false,
  },
  steps: [
    {
      id: 'say',
      type: 'set',
      values: { title: '{{ inputs.title }}', n: '{{ inputs.number }}', tags: '{{ inputs.tags }}' },
    },
  ],
}
const GIVEN = {
  title: '{{body.issue.title}}',
  number: '{{body.issue.number}}',
  by: 'from {{body.who}}',
  tags: ['{{body.tags}}'],
}
const keep = async (workflow: object, name: string) => {
  const answer = await call('PUT', `/v1/workflows/${name}`, { body: { ...workflow, name } })
  await json(answer, answer.status === 201 ? 201 : 200)
}
const resultOf = async (id: string) => JSON.parse(String((await read(id)).result)) as unknown

describe('a webhook that names a workflow', () => {
  test('gives it values of the delivery, and each delivery of a key its own', async ({ expect }) => {
    await keep(ISSUE, 'of-issues')
    const hook = await newHook(
      { config: {} },
      { workflow: 'of-issues', inputs: GIVEN, session_key_template: 'k-{{body.key}}' },
    )
    expect(hook).toMatchObject({ workflow: 'of-issues', inputs: GIVEN })
    const body = { issue: { title: 'Broken', number: 7 }, who: 'Ann', tags: ['a', 1], key: 'one' }
    const first = await delivered(hook, body)
    await ended(first.session_id)
    expect(await resultOf(first.session_id)).toEqual({ title: 'Broken', n: 7, tags: [['a', 1]] })
    const second = await delivered(hook, { ...body, issue: { title: 'Again', number: 8 }, tags: null })
    expect(second.session_id).toBe(first.session_id)
    await ended(second.session_id, 2)
    expect(await resultOf(second.session_id)).toEqual({ title: 'Again', n: 8, tags: [null] })
  })

  test('needs no words beside its inputs, and neither does a schedule', async ({ expect }) => {
    await keep(ISSUE, 'of-issues')
    const named = { name: 'no words', workflow: 'of-issues' }
    const bearer = { scheme: 'bearer', secret: 'a-secret-of-the-hook' }
    const hook = await json<{ id: string; task_template: string }>(
      call('POST', '/v1/webhooks', { body: { ...named, ...bearer, inputs: GIVEN } }),
      201,
    )
    expect(hook.task_template).toBe('of-issues')
    const inputs = { title: 'Broken', number: 7 }
    const schedule = await json<{ task: string; id: string }>(
      call('POST', '/v1/schedules', { body: { ...named, inputs, every_ms: 3_600_000 } }),
      201,
    )
    expect(schedule.task).toBe('of-issues')
    const { session_id: id } = await json<{ session_id: string }>(
      call('POST', `/v1/schedules/${schedule.id}/test`, { body: { run: true } }),
    )
    await ended(id)
    expect(await resultOf(id)).toEqual({ title: 'Broken', n: 7, tags: null })
    const wrong = async (path: string, body: object) => (await problem(call('POST', path, { body }), 400)).errors
    const every = { name: 'x', every_ms: 3_600_000 }
    expect(await wrong('/v1/schedules', every)).toMatchObject([{ path: 'task' }])
    expect(await wrong('/v1/webhooks', { name: 'x', ...bearer })).toMatchObject([{ path: 'task_template' }])
    expect(await wrong('/v1/schedules', { ...every, workflow: 'of-issues' })).toMatchObject([
      { path: 'inputs.title' },
      { path: 'inputs.number' },
    ])
  })

  test('says what a delivery would give it, and why one starts nothing', async ({ expect }) => {
    await keep(ISSUE, 'of-issues')
    const hook = await newHook({ config: {} }, { workflow: 'of-issues', inputs: GIVEN })
    const body = { issue: { title: 'Broken', number: '7' }, who: 'Ann' }
    const trial = await json<WebhookTrialInfo>(call('POST', `/v1/webhooks/${hook.id}/test`, { body: { body } }))
    expect(trial.inputs).toEqual({ title: 'Broken', number: '7', by: 'from Ann', tags: [null] })
    expect(trial.missing).toContain('body.tags')
    expect((await problem(deliver(hook, body), 400)).errors).toMatchObject([{ path: 'inputs.number' }])
    expect((await logOf(hook))[0]).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('inputs.number'),
    })
  })

  test('gives one that needs a text the task, in which a JSON body is text between markers', async ({ expect }) => {
    const steps = [{ id: 'say', type: 'set', values: { note: '{{ inputs.note }}', who: '{{ inputs.who }}' } }]
    const inputs = {
      type: 'object',
      properties: { note: { type: 'string' }, who: { type: 'string' } },
      required: ['note'],
    }
    await keep({ description: 'Takes a note.', inputs, steps }, 'of-notes')
    const hook = await newHook({ config: {} }, { workflow: 'of-notes', task_template: '{{body}}' })
    const { session_id: id } = await delivered(hook, { note: 'a field', who: 'Ann' })
    await ended(id)
    const { note, who } = (await resultOf(id)) as { note: string; who: unknown }
    expect(note).toContain('"note":"a field"')
    expect(note).toMatch(/^\[\S+ [0-9a-f]+\]/)
    expect(who).toBeNull()
  })

  test('is refused with the path of what is wrong', async ({ expect }) => {
    await keep(ISSUE, 'of-issues')
    const good = { name: 'n', scheme: 'bearer', task_template: 't', workflow: 'of-issues', inputs: GIVEN }
    const pathsOf = async (more: object) =>
      (await problem(call('POST', '/v1/webhooks', { body: { ...good, ...more } }), 400)).errors?.map(({ path }) => path)
    expect(await pathsOf({ workflow: 'nobody' })).toEqual(['workflow'])
    expect(await pathsOf({ inputs: { title: 'x' } })).toEqual(['inputs.number'])
    expect(await pathsOf({ inputs: undefined })).toEqual(['inputs.title', 'inputs.number'])
    expect(await pathsOf({ inputs: { ...GIVEN, town: 'x' } })).toEqual(['inputs.town'])
    expect(await pathsOf({ inputs: { ...GIVEN, tags: [{ a: '{{nothing}}' }] } })).toEqual(['inputs.tags.0.a'])
    expect(await pathsOf({ workflow: undefined })).toEqual(['inputs'])
    expect(await pathsOf({ orchestrator: 'plan' })).toEqual(['orchestrator'])
  })

  test('asks before it calls an address that the delivery made up, whatever is allowed', async ({ expect }) => {
    await keep(
      {
        description: 'Sends it on.',
        inputs: { type: 'object', properties: { url: { type: 'string' } }, required: ['url'] },
        steps: [
          {
            id: 'send',
            type: 'tool',
            tool: 'http_request',
            arguments: { method: 'POST', url: '{{ inputs.url }}', body: 'x' },
          },
        ],
      },
      'sends-on',
    )
    const config = { tools: { http_request: { permission: 'allow' as const } } }
    const hook = await newHook({ config }, { workflow: 'sends-on', inputs: { url: '{{body.url}}' } })
    const { session_id: id } = await delivered(hook, { url: 'https://example.net/steal' })
    await rests(id)
    expect(await read(id)).toMatchObject({ pending: [{ type: 'approval', tool: 'http_request' }] })
  })
})

test('a schedule gives a workflow its inputs', async ({ expect }) => {
  await keep(ISSUE, 'of-issues')
  const body = {
    name: 's',
    task: 'go',
    every_ms: 3_600_000,
    workflow: 'of-issues',
    inputs: { title: 'Daily', number: 1 },
  }
  const wrong = await problem(call('POST', '/v1/schedules', { body: { ...body, inputs: { title: 'Daily' } } }), 400)
  expect(wrong.errors).toMatchObject([{ path: 'inputs.number' }])
  const made = await json<{ id: string }>(call('POST', '/v1/schedules', { body }), 201)
  expect(made).toMatchObject({ workflow: 'of-issues', inputs: { title: 'Daily', number: 1 } })
  const { session_id: id } = await json<{ session_id: string }>(
    call('POST', `/v1/schedules/${made.id}/test`, { body: { run: true } }),
  )
  await ended(id)
  expect(await resultOf(id)).toMatchObject({ title: 'Daily', n: 1 })
  const back = await json(call('PATCH', `/v1/schedules/${made.id}`, { body: { workflow: null, inputs: null } }))
  expect(back).toMatchObject({ workflow: null, inputs: null })
})

test('a delivery wakes the step that waits for its key, and starts nothing beside', async ({ expect }) => {
  const steps = [{ id: 'paid', type: 'wait', webhook_key: 'paid-{{ inputs.order }}' }]
  await keep({ description: 'Waits to be paid.', inputs: { type: 'object' }, steps }, 'waits-to-be-paid')
  const run = call('POST', '/v1/workflows/waits-to-be-paid/run', { body: { inputs: { order: 'o-7' } } })
  const waits = await json<{ id: string; pending: unknown[] }>(run, 201)
  expect(waits.pending).toMatchObject([{ type: 'question', wait: { webhook_key: 'paid-o-7' } }])
  await expect
    .poll(async () => (await json<List<{ session_id: string }>>(call('GET', '/v1/pending?limit=100'))).data)
    .toContainEqual(expect.objectContaining({ session_id: waits.id }))
  const hook = await newHook(
    { config: {} },
    { session_key_template: 'paid-{{body.order}}', task_template: '{{body.sum}}' },
  )
  expect(await delivered(hook, { order: 'o-7', sum: 12 })).toMatchObject({ session_id: waits.id })
  await ended(waits.id)
  expect(await read(waits.id)).toMatchObject({ status: 'completed', result: '12' })
  expect(await logOf(hook)).toMatchObject([{ status: 'started', session_id: waits.id }])
})
