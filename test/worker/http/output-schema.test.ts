import { describe, test } from 'vitest'
import type { AgentResponseData, SessionData } from '../../../src/domain/session.ts'
import { WORDS } from '../../support/words.ts'
import { call, json, newSession, problem, read, stage } from './http.ts'

const words = WORDS['zh-CN']
const CITY = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const PARIS = '{"city":"巴黎"}'

describe('output_schema over HTTP', () => {
  test('stands in a session, is shown, exported, copied and imported', async ({ expect }) => {
    const { config } = await stage([words.finish('巴黎'), words.finish(PARIS)])
    const body = { task: '法国最大的城市？', config, output_schema: CITY }
    const made = await json<SessionData>(call('POST', '/v1/sessions', { body }), 201)
    expect(made).toMatchObject({ status: 'completed', result: PARIS, output_schema: CITY })
    const copy = await json<SessionData>(call('POST', `/v1/sessions/${made.id}/fork`, { body: {} }), 201)
    expect(copy.output_schema).toEqual(CITY)
    const document = await json(call('GET', `/v1/sessions/${made.id}/export`))
    const imported = await json<SessionData>(call('POST', '/v1/sessions/import', { body: document }), 201)
    expect(imported.output_schema).toEqual(CITY)
  })

  test('stands beside the content of a message, and holds for its run', async ({ expect }) => {
    const playing = await stage([words.finish(PARIS), words.finish('好')])
    const { id } = await newSession(playing)
    const send = (body: object) => json<AgentResponseData>(call('POST', `/v1/sessions/${id}/messages`, { body }))
    expect(await send({ content: '哪里？', output_schema: CITY })).toMatchObject({ result: PARIS })
    expect(await send({ content: '好吗？' })).toMatchObject({ result: '好' })
    expect(await read(id)).not.toHaveProperty('output_schema')
  })

  test('holds for a session that its caller keeps', async ({ expect }) => {
    const { config } = await stage([words.finish('巴黎'), words.finish(PARIS)])
    const body = { messages: [{ role: 'user', content: '哪里？' }], config, output_schema: CITY }
    expect(await json(call('POST', '/v1/agent', { body }))).toMatchObject({ status: 'completed', result: PARIS })
  })

  test('is a 400 with its path where it cannot be used, or its orchestrator cannot be held to it', async ({
    expect,
  }) => {
    const playing = await stage([])
    const { id } = await newSession(playing)
    const paths = async (path: string, body: object) =>
      (await problem(call('POST', path, { body }), 400)).errors?.map((one) => one.path)
    const message = { role: 'user', content: '哪里？' }
    for (const output_schema of [{ $ref: '#/nowhere' }, { type: 'nope' }, { pattern: '(a+)+$' }, 'a text', []]) {
      expect(await paths('/v1/sessions', { output_schema })).toEqual(['output_schema'])
      expect(await paths(`/v1/sessions/${id}/messages`, { content: '哪里？', output_schema })).toEqual([
        'output_schema',
      ])
      expect(await paths('/v1/agent', { messages: [message], output_schema })).toEqual(['output_schema'])
    }
    expect(await paths('/v1/sessions', { orchestrator: 'plan', output_schema: CITY })).toEqual(['output_schema'])
    expect((await read(id)).messages).toEqual([])
  })

  test('of a document is checked like any other, wherever it stands', async ({ expect }) => {
    const playing = await stage([words.finish(PARIS)])
    const { id } = await newSession(playing)
    await json(call('POST', `/v1/sessions/${id}/messages`, { body: { content: '哪里？', output_schema: CITY } }))
    const document = await json<{ session: object; events: { type: string }[] }>(
      call('GET', `/v1/sessions/${id}/export`),
    )
    const bad = { pattern: '(a+)+$' }
    const events = document.events.map((one) => (one.type === 'run-start' ? { ...one, output_schema: bad } : one))
    const refused = async (body: object) =>
      (await problem(call('POST', '/v1/sessions/import', { body }), 400)).errors?.map(({ path }) => path)
    expect(await refused({ ...document, events })).toEqual([expect.stringMatching(/^events\.\d+\.output_schema$/)])
    expect(await refused({ ...document, session: { ...document.session, output_schema: bad } })).toEqual([
      'session.output_schema',
    ])
  })
})
