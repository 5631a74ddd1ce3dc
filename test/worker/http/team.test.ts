import { describe, test } from 'vitest'
import type { SessionEvent } from '../../../src/domain/event.ts'
import type { AgentResponseData, SessionData } from '../../../src/domain/session.ts'
import { call, json, type List, newSession, problem, read, sent, stage } from './http.ts'

const post = (id: string, body: unknown) => call('POST', `/v1/sessions/${id}/team/messages`, { body })
const pair = (more: Record<string, unknown> = {}) => ({
  roles: [
    { name: 'A', profile: 'Asker', watch: ['UserRequirement'], actions: [{ name: 'Ask', instruction: '提问' }] },
    { name: 'B', profile: 'Answerer', watch: ['Ask'], actions: [{ name: 'Reply', instruction: '回答' }], ...more },
  ],
})
const refused = (team: unknown) => problem(call('POST', '/v1/sessions', { body: { team } }), 400)
const pathsOf = async (team: unknown) => (await refused(team)).errors?.map(({ path }) => path)

describe('a team over HTTP', () => {
  test('is named, given whole, or known with other bounds', async ({ expect }) => {
    for (const team of ['debate', { name: 'debate', n_round: 7 }, { ...pair(), n_round: 7 }]) {
      const session = await newSession(await stage(), { team })
      expect(session.orchestrator).toBe('team')
      expect(session.team).toMatchObject({ n_round: team === 'debate' ? 3 : 7, round: 0, idle: true, history: [] })
    }
    const plain = await newSession(await stage(), { team: { roles: pair({ watch: '*' }).roles } })
    expect(plain.team).toMatchObject({
      name: null,
      n_round: 5,
      roles: [{ state: 'IDLE', react_mode: 'by_order' }, { watch: ['*'] }],
    })
  })

  test('is the default one where only a team is asked for', async ({ expect }) => {
    expect((await newSession(await stage(), { orchestrator: 'team' })).team?.name).toBe('software')
  })

  test('works with the task that comes along', async ({ expect }) => {
    const { config } = await stage(['问题', '答案'])
    const body = { task: '开始', team: pair(), config }
    const made = await json<SessionData>(call('POST', '/v1/sessions', { body }), 201)
    expect(made).toMatchObject({ status: 'completed', team: { stop_reason: 'idle', round: 2 } })
  })

  test('has a role that plans say whose its tasks are', async ({ expect }) => {
    const plan = JSON.stringify({ plan: [{ name: 'Reply', description: '想想' }] })
    const { id } = await newSession(await stage(['问题', plan, '想过了', JSON.stringify({ plan: [] }), '答案']), {
      team: pair({ react_mode: 'plan_and_act' }),
    })
    expect(await sent(id, '开始')).toMatchObject({ status: 'completed', result: '答案' })
    const events = await json<List<SessionEvent>>(
      call('GET', `/v1/sessions/${id}/events?limit=100`, { headers: { accept: 'application/json' } }),
    )
    expect(events.data.find(({ type }) => type === 'task-end')).toMatchObject({ task: { owner: 'B', worker: 'Reply' } })
    expect((await read(id)).plan).toBeUndefined()
  })

  test('takes messages from outside, and lists those that there were by seq', async ({ expect }) => {
    const { id } = await newSession(await stage(['问题', '答案', '又一个答案']), { team: pair() })
    await sent(id, '开始')
    const told = await json<AgentResponseData>(post(id, { content: '再答', send_to: ['B'], cause_by: 'Hint' }))
    expect(told).toMatchObject({ status: 'completed', result: '又一个答案' })
    const first = await json<List<{ seq: number; content: string }>>(
      call('GET', `/v1/sessions/${id}/team/messages?limit=3`),
    )
    expect(first.data.map(({ content }) => content)).toEqual(['开始', '问题', '答案'])
    const rest = await json<List<{ seq: number; content: string }>>(
      call('GET', `/v1/sessions/${id}/team/messages?cursor=${first.next_cursor}`),
    )
    expect(rest.data.map(({ content }) => content)).toEqual(['再答', '又一个答案'])
    expect(rest.next_cursor).toBeNull()
    expect((await read(id)).team?.message_count).toBe(5)
  })

  test('that does not fit is refused with the place', async ({ expect }) => {
    expect(await pathsOf('nobody')).toEqual(['team'])
    expect(await pathsOf({})).toEqual(['team.roles'])
    expect(await pathsOf({ roles: [] })).toEqual(['team.roles'])
    expect(await pathsOf(pair({ watch: ['Nothing'] }))).toEqual(['team.roles.1.watch.0'])
    expect(await pathsOf(pair({ name: 'A' }))).toEqual(['team.roles.1.name'])
    expect(await pathsOf(pair({ name: 'constructor' }))).toEqual(['team.roles.1.name'])
    expect(await pathsOf(pair({ name: 'user' }))).toEqual(['team.roles.1.name'])
    expect(await pathsOf(pair({ nonsense: 1 }))).toEqual(['team.roles.1.nonsense'])
    expect(await pathsOf(pair({ actions: [] }))).toEqual(['team.roles.1.actions'])
    expect(await pathsOf(pair({ react_mode: 'plan_and_pray' }))).toEqual(['team.roles.1.react_mode'])
    expect(await pathsOf({ ...pair(), n_round: 0 })).toEqual(['team.n_round'])
  })

  test('is no orchestrator of another kind, and not for a history that its caller keeps', async ({ expect }) => {
    const mixed = await problem(call('POST', '/v1/sessions', { body: { team: 'debate', orchestrator: 'plan' } }), 400)
    expect(mixed.errors?.map(({ path }) => path)).toEqual(['orchestrator'])
    const body = { messages: [{ role: 'user', content: '你好' }], orchestrator: 'team' }
    expect((await problem(call('POST', '/v1/agent', { body }), 400)).code).toBe('invalid_input')
  })

  test('is needed for its messages, rounds and money', async ({ expect }) => {
    const { id } = await newSession(await stage([{ status: 400 }]))
    expect((await problem(post(id, { content: '你好' }), 404)).code).toBe('not_found')
    await sent(id, '你好')
    const more = await problem(call('POST', `/v1/sessions/${id}/continue`, { body: { n_round: 2 } }), 400)
    expect(more.errors?.map(({ path }) => path)).toEqual(['n_round'])
  })

  test('/v1/teams lists the shipped ones in both languages; each can be given back', async ({ expect }) => {
    const { data } = await json<List<{ name: string; n_round: number; roles: { goal: string }[] }>>(
      call('GET', '/v1/teams'),
    )
    expect(data.map(({ name }) => name)).toEqual(['software', 'research', 'debate'])
    const english = await json<List<{ roles: { goal: string }[] }>>(call('GET', '/v1/teams?language=en'))
    const first = await json<List<{ name: string }>>(call('GET', '/v1/teams?limit=1'))
    const rest = await json<List<{ name: string }>>(call('GET', `/v1/teams?limit=2&cursor=${first.next_cursor}`))
    expect([...first.data, ...rest.data].map(({ name }) => name)).toEqual(['software', 'research', 'debate'])
    expect(rest.next_cursor).toBeNull()
    expect(english.data[0]?.roles[0]?.goal).toMatch(/^[\x20-\x7e]+$/)
    expect(data[0]?.roles[0]?.goal).toMatch(/\p{Script=Han}/u)
    for (const { name, n_round, roles } of data) {
      const made = await newSession(await stage(), { team: { name, n_round, roles } })
      expect(made.team).toMatchObject({ name, warnings: [] })
    }
  })

  test('survives a fork with its state', async ({ expect }) => {
    const { id } = await newSession(await stage(['问题', '答案']), { team: pair() })
    await sent(id, '开始')
    const copy = await json<SessionData>(call('POST', `/v1/sessions/${id}/fork`, { body: {} }), 201)
    expect(copy.team).toEqual((await read(id)).team)
  })
})
