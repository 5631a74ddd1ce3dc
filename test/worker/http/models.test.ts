import { describe, test } from 'vitest'
import type { SessionData } from '../../../src/domain/session.ts'
import { WORDS } from '../../support/words.ts'
import { call, json, newSession, problem, read, sent, stage } from './http.ts'

const words = WORDS.en

describe('what a session changes of its model', () => {
  test('reaches the service, and its headers are shown to nobody', async ({ expect }) => {
    const set = await stage([words.finish('one'), words.finish('two')])
    const extras = { reasoning_effort: 'low', extra_headers: { 'x-team': 'team-secret-1' } }
    const llm = { ...set.config.llm, ...extras, extra_body: { ...set.config.llm?.extra_body, top_k: 7 } }
    const { id, config } = await newSession(set, { config: { ...set.config, language: 'en', llm } })
    await sent(id, words.task)
    const [asked] = await set.model.asked(1)
    expect(asked?.body).toMatchObject({ reasoning_effort: 'low', top_k: 7 })
    expect(asked?.headers['x-team']).toBe('team-secret-1')
    expect(config.llm).toMatchObject({ reasoning_effort: 'low', extra_headers: { 'x-team': '***' } })
    const back = { config: { llm: { ...config.llm, temperature: 0 } } }
    expect(JSON.stringify(await json(call('PATCH', `/v1/sessions/${id}`, { body: back })))).not.toContain('team-secret')
    await sent(id, 'Again')
    expect((await set.model.asked(2))[1]?.headers['x-team']).toBe('team-secret-1')
    const document = await (await call('GET', `/v1/sessions/${id}/export`)).text()
    expect(document).not.toContain('team-secret')
  })

  test('is refused where the alias does not let it be changed, with the field', async ({ expect }) => {
    const llm = { temperature: 1, model: 'dearer', extra_headers: { 'x-a': 'b' } }
    const asked = (own: object) => call('POST', '/v1/sessions', { body: { config: { model: 'fixed', llm: own } } })
    const { errors = [] } = await problem(asked(llm), 400)
    expect(errors.map(({ path }) => path)).toEqual(['config.llm.model', 'config.llm.extra_headers'])
    expect(errors[0]?.message).toContain('models.fixed.allow_override')
    await json<SessionData>(asked({ temperature: 1 }), 201)
  })

  test('is refused in the limits of a role, too', async ({ expect }) => {
    const act = { name: 'Act', instruction: 'x' }
    const role = { profile: 'P', watch: ['UserRequirement'], actions: [act], limits: { max_tokens: 9_000 } }
    const made = (roles: object[]) =>
      call('POST', '/v1/sessions', { body: { team: { roles }, config: { model: 'scripted' } } })
    const [fixed, free] = [
      { ...role, name: 'Fixed', model: 'fixed' },
      { ...role, name: 'Free' },
    ]
    const { errors = [] } = await problem(made([free, fixed]), 400)
    expect(errors).toEqual([
      { path: 'team.roles.1.limits.max_tokens', message: expect.stringContaining('models.fixed.allow_override') },
    ])
    await json<SessionData>(
      made([free, { ...fixed, limits: { max_tool_calls: 2 } }, { ...fixed, name: 'Eve', human: true }]),
      201,
    )
  })

  test.for(['authorization', 'Host', 'x-forwarded-for'])('is no header of ours: %s', async (name, { expect }) => {
    const body = { config: { llm: { extra_headers: { [name]: 'x' } } } }
    const { errors = [] } = await problem(call('POST', '/v1/sessions', { body }), 400)
    expect(errors[0]?.path).toContain('config.llm.extra_headers')
  })
})

describe('money', () => {
  const bound = { limits: { max_cost: { amount: 1, currency: 'CNY' } } }

  test('is not bound with another model of an alias: its price is not known', async ({ expect }) => {
    const body = (llm: object) => ({ config: { ...bound, model: 'priced', llm } })
    const told = await problem(call('POST', '/v1/sessions', { body: body({ model: 'dearer' }) }), 400)
    expect(told).toMatchObject({ code: 'unpriced_model', errors: [{ path: 'config.limits.max_cost' }] })
    const { id } = await json<SessionData>(call('POST', '/v1/sessions', { body: body({ temperature: 0 }) }), 201)
    const patch = { config: { llm: { model: 'dearer' } } }
    expect(await problem(call('PATCH', `/v1/sessions/${id}`, { body: patch }), 400)).toMatchObject({
      code: 'unpriced_model',
    })
    expect((await read(id)).config.llm?.model).toBeUndefined()
  })

  test('without a price is told which field to set', async ({ expect }) => {
    const { errors } = await problem(call('POST', '/v1/sessions', { body: { config: bound } }), 400)
    expect(errors?.[0]?.message).toContain('models.scripted.price')
  })
})
