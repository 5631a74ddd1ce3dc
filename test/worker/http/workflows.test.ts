import { describe, test } from 'vitest'
import type { AgentResponseData } from '../../../src/domain/session.ts'
import type { WorkflowInfo } from '../../../src/domain/workflow-view.ts'
import { call, json, type List, problem, read, stage } from './http.ts'

let names = 0
/** A name that no other test of this file has. */
const newName = () => `flow-${++names}`
const ask = (id: string, prompt: string, more: object = {}) => ({ id, type: 'agent', prompt, ...more })
const set = (id: string, values: object, more: object = {}) => ({ id, type: 'set', values, ...more })
const down = { status: 400, body: { error: { message: 'down' } } }

async function kept(name: string, steps: object[], more: object = {}): Promise<WorkflowInfo> {
  return json(call('PUT', `/v1/workflows/${name}`, { body: { description: 'A flow.', steps, ...more } }), 201)
}

async function run(name: string, script: Parameters<typeof stage>[0], body: object = {}): Promise<AgentResponseData> {
  const { config } = await stage(script)
  return json(call('POST', `/v1/workflows/${name}/run`, { body: { config, task: 'go', ...body } }), 201)
}

describe('workflows over HTTP', () => {
  test('are kept by version, listed, and deleted', async ({ expect }) => {
    const name = newName()
    const body = { name, description: 'A flow.', steps: [set('a', { n: 1 })] }
    const made = await call('POST', '/v1/workflows', { body })
    expect(made.headers.get('location')).toBe(`/v1/workflows/${name}`)
    expect(await json(made, 201)).toMatchObject({ object: 'workflow', name, version: 1, source: 'tenant' })
    expect((await problem(call('POST', '/v1/workflows', { body }), 409)).code).toBe('already_exists')
    const steps = [set('a', { n: 2 })]
    expect(await json(call('PUT', `/v1/workflows/${name}`, { body: { description: 'B', steps } }))).toMatchObject({
      version: 2,
    })
    const versions = await json<List<WorkflowInfo>>(call('GET', `/v1/workflows/${name}/versions`))
    expect(versions.data.map(({ version }) => version)).toEqual([2, 1])
    const shipped = await json<List<WorkflowInfo>>(call('GET', '/v1/workflows/page-digest/versions'))
    expect(shipped.data).toMatchObject([{ version: 1, source: 'shipped' }])
    expect(await json(call('GET', `/v1/workflows/${name}?version=1`))).toMatchObject({
      version: 1,
      description: 'A flow.',
      steps: body.steps,
    })
    const listed = await json<List<WorkflowInfo>>(call('GET', '/v1/workflows?limit=100'))
    expect(listed.data.map((one) => one.name)).toEqual(expect.arrayContaining([name, 'page-digest']))
    expect((await call('DELETE', `/v1/workflows/${name}`)).ok).toBe(true)
    await problem(call('GET', `/v1/workflows/${name}`), 404)
    expect((await problem(call('DELETE', '/v1/workflows/page-digest'), 403)).code).toBe('forbidden')
  })

  test('are refused with the step and the field', async ({ expect }) => {
    const steps = [
      { id: 'a', type: 'tool', tool: 'no_such_tool', arguments: {} },
      set('b', {}, { when: 'steps.c.output >' }),
      set('d', {}, { depends_on: ['nobody'] }),
    ]
    const { errors = [] } = await problem(
      call('POST', '/v1/workflows', { body: { name: newName(), description: 'x', steps } }),
      400,
    )
    expect(errors.map(({ path }) => path).toSorted()).toEqual(['steps.0.tool', 'steps.1.when', 'steps.2.depends_on.0'])
  })

  test('may be named by skills, which are refused with the field where they do not fit', async ({ expect }) => {
    const [name, skill] = [newName(), `skill-of-${names}`]
    await kept(name, [set('a', { n: '{{ inputs.n }}' })], { inputs: { properties: { n: {} }, required: ['n'] } })
    const pathsOf = async (more: object) => {
      const body = { name: skill, version: '1', description: 'x', workflow: name, inputs: [{ name: 'n' }], ...more }
      return (await problem(call('POST', '/v1/skills', { body }), 400)).errors?.map(({ path }) => path)
    }
    expect(await pathsOf({ workflow: 'none' })).toEqual(['workflow'])
    expect(await pathsOf({ inputs: [{ name: 'm' }] })).toEqual(['inputs.n'])
    expect(await pathsOf({ team: 'debate', output_schema: {} })).toEqual(['team', 'output_schema'])
    expect(await pathsOf({ workflow: undefined, orchestrator: 'workflow' })).toEqual(['workflow'])
    const body = {
      name: skill,
      version: '1',
      description: 'x',
      workflow: name,
      inputs: [{ name: 'n', type: 'number' }],
    }
    expect(await json(call('POST', '/v1/skills', { body }), 201)).toMatchObject({ workflow: name })
    expect(await json(call('POST', `/v1/skills/${skill}/run`, { body: { input: { n: 7 } } }))).toMatchObject({
      status: 'completed',
      result: '{"n":7}',
    })
    const steps = [ask('a', 'x', { skill })]
    const refused = await problem(call('PUT', `/v1/workflows/${newName()}`, { body: { description: 'x', steps } }), 400)
    expect(refused.errors).toMatchObject([{ path: 'steps.0.skill' }])
  })

  test('run, and their session shows each step', async ({ expect }) => {
    const name = newName()
    await kept(name, [ask('hi', 'Greet {{ inputs.who }}'), set('out', { said: '{{ steps.hi.output }}' })], {
      inputs: { type: 'object', properties: { who: { type: 'string' } }, required: ['who'] },
    })
    const done = await run(name, ['Hello'], { inputs: { who: 'Li' } })
    expect(done).toMatchObject({ status: 'completed', result: '{"said":"Hello"}' })
    const { workflow } = await read(done.id)
    expect(workflow?.steps.map(({ step, status, attempt }) => [step, status, attempt])).toEqual([
      ['hi', 'completed', 1],
      ['out', 'completed', 1],
    ])
    const wrong = await problem(call('POST', `/v1/workflows/${name}/run`, { body: { inputs: {} } }), 400)
    expect(wrong.errors?.[0]?.path).toBe('inputs.who')
  })

  test('have one step retried, once under one key', async ({ expect }) => {
    const name = newName()
    await kept(name, [ask('a', 'First'), ask('b', 'Second'), ask('c', 'Third {{ steps.b.output }}')])
    const { id, ...failed } = await run(name, ['one', down, 'two', 'three'])
    expect(failed).toMatchObject({ status: 'failed', error: { code: 'step_failed' } })
    const path = `/v1/sessions/${id}/workflow/steps`
    const headers = { 'idempotency-key': 'once-more' }
    const again = await call('POST', `${path}/b/retry`, { headers })
    expect(await json(again.clone())).toMatchObject({ status: 'completed', result: 'three' })
    const replayed = await call('POST', `${path}/b/retry`, { headers })
    expect(replayed.headers.get('idempotent-replayed')).toBe('true')
    expect(await json(replayed)).toEqual(await json(again))
    expect((await problem(call('POST', `${path}/nobody/retry`), 404)).detail).toContain('nobody')
    await problem(call('POST', '/v1/sessions/ses_none/workflow/steps/a/retry'), 404)
    expect((await call('GET', `${path}/b/retry`)).status).toBe(405)
    const { paths } = await json<{ paths: Record<string, object> }>(call('GET', '/openapi.json'))
    expect(paths).toHaveProperty(['/v1/sessions/{id}/workflow/steps/{step}/retry', 'post'])
  })

  test('are refused a retry that does not fit, and say what to do', async ({ expect }) => {
    const name = newName()
    await kept(name, [ask('a', 'First'), ask('b', 'Second')])
    const { id } = await run(name, [down])
    const path = `/v1/sessions/${id}/workflow/steps`
    const { code, detail } = await problem(call('POST', `${path}/b/retry`), 409)
    expect({ code, detail }).toEqual({ code: 'nothing_to_continue', detail: expect.stringContaining('continue') })
  })

  test('take items by their number', async ({ expect }) => {
    const name = newName()
    await kept(name, [
      { id: 'each', type: 'map', over: '[1, 2]', on_error: 'collect', steps: [ask('one', 'Item {{ item }}')] },
    ])
    const { id, result } = await run(name, ['first', down, 'second'])
    expect(JSON.parse(result ?? '')).toMatchObject({ results: ['first', null] })
    const step = encodeURIComponent('each[1]')
    const again = await json<AgentResponseData>(call('POST', `/v1/sessions/${id}/workflow/steps/${step}/retry`))
    expect(JSON.parse(again.result ?? '')).toEqual({ results: ['first', 'second'], errors: [] })
  })

  test('have a team do a step, and a plan another', async ({ expect }) => {
    const name = newName()
    const team = {
      roles: [
        {
          name: 'Ann',
          profile: 'Writer',
          goal: 'Write.',
          watch: ['UserRequirement'],
          actions: [{ name: 'Write', instruction: 'Write it.' }],
        },
      ],
      n_round: 2,
    }
    const entry = { name: 'llm_tool', description: 'Look it up' }
    await kept(
      name,
      [ask('team', 'Write about {{ task }}', { team }), ask('plan', 'Look at {{ steps.team.output }}', { plan: true })],
      { output: '{{ steps.team.output }} / {{ steps.plan.output }}' },
    )
    const done = await run(name, ['A text.', JSON.stringify({ plan: [entry] }), 'Found.', '{"plan": []}', 'In all.'])
    expect(done.error).toBeNull()
    expect(done.result).toBe('A text. / In all.')
    const { events } = await json<{ events: { type: string; scope: string | null }[] }>(
      call('GET', `/v1/sessions/${done.id}/export`),
    )
    const types = events.map(({ type }) => type)
    expect(types).toEqual(expect.arrayContaining(['round-start', 'team-message', 'plan', 'task-start', 'task-end']))
    expect(events.filter(({ type, scope }) => type === 'round-start' && scope === null)).toEqual([])
  })
})
