import { runInDurableObject } from 'cloudflare:test'
import { describe, type ExpectStatic, test } from 'vitest'
import type { Preference, RememberedTask, Round } from '../../../src/domain/memory.ts'
import { LIMITS } from '../../../src/domain/limits.ts'
import { sha256Hex } from '../../../src/lib/hash.ts'
import { preferenceKey } from '../../../src/domain/memory.ts'
import { WORDS } from '../../support/words.ts'
import { env } from '../session/worker-home.ts'
import { call, json, type List, newSession, problem, sent, stage } from './http.ts'

const words = WORDS['zh-CN']
const newUser = () => `u-${crypto.randomUUID()}`
const pathOf = (user: string, rest = '') => `/v1/users/${encodeURIComponent(user)}/memory${rest}`

async function tables(user: string, tenant = 'default'): Promise<string[]> {
  return runInDurableObject(env.MEMORY.getByName(`${tenant}:${user}`), (_object, { storage: { sql } }) =>
    sql
      .exec<{ name: string }>("SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\'")
      .toArray()
      .map(({ name }) => name),
  )
}

describe('preferences over HTTP', () => {
  test('are set, read, listed newest first, changed and deleted', async ({ expect }) => {
    const user = newUser()
    const put = (key: string, value: unknown) =>
      call('PUT', pathOf(user, `/preferences/${encodeURIComponent(key)}`), { body: { value } })
    const at = (key: string) => pathOf(user, `/preferences/${encodeURIComponent(key)}`)
    expect(await json(put('语言', '中文'))).toEqual({ key: '语言', value: '中文' })
    await json(put('tone', 'brief'))
    await json(put('语言', 'English'))
    expect(await json(call('GET', at('语言')))).toEqual({ key: '语言', value: 'English' })
    const first = await json<List<Preference>>(call('GET', pathOf(user, '/preferences?limit=1')))
    expect(first).toMatchObject({ object: 'list', data: [{ key: '语言', value: 'English' }] })
    const second = await json<List<Preference>>(
      call('GET', pathOf(user, `/preferences?limit=1&cursor=${first.next_cursor}`)),
    )
    expect(second).toEqual({ object: 'list', data: [{ key: 'tone', value: 'brief' }], next_cursor: null })
    expect((await call('DELETE', at('tone'))).status).toBe(204)
    expect((await problem(call('DELETE', at('tone')), 404)).code).toBe('not_found')
    await problem(call('GET', at('tone')), 404)
  })

  test('are refused with the path of what is wrong', async ({ expect }) => {
    const user = newUser()
    const { keyCharsMax, valueCharsMax } = LIMITS.memory
    const put = (key: string, body: unknown) => call('PUT', pathOf(user, `/preferences/${key}`), { body })
    const cases: [Promise<Response>, string][] = [
      [put('k', {}), 'value'],
      [put('k', { value: 7 }), 'value'],
      [put('k', { value: '' }), 'value'],
      [put('k', { value: 'x'.repeat(valueCharsMax + 1) }), 'value'],
      [put('k', { value: 'x', more: 1 }), 'more'],
      [put('x'.repeat(keyCharsMax + 1), { value: 'x' }), 'key'],
      [put('%20', { value: 'x' }), 'key'],
      [call('GET', pathOf('u'.repeat(LIMITS.text.nameCharsMax + 1), '/preferences')), 'user'],
      [call('GET', pathOf(user, '/preferences?limit=0')), 'limit'],
      [call('GET', pathOf(user, '/conversations?cursor=x')), 'cursor'],
      [call('GET', pathOf(user, '/tasks?nothing=1')), 'nothing'],
    ]
    for (const [answer, path] of cases) {
      expect((await problem(answer, 400)).errors?.map((error) => error.path)).toEqual([path])
    }
    const method = await call('POST', pathOf(user, '/preferences/k'), { body: {} })
    expect([method.status, method.headers.get('allow')]).toEqual([405, expect.stringMatching(/PUT/)])
  })

  test.for(['.', '..'])('nobody is called %s, which no path can have', async (user, { expect }) => {
    const refused = async (path: string, body: object) =>
      (await problem(call('POST', path, { body }), 400)).errors?.map((error) => error.path)
    expect(await refused('/v1/sessions', { user })).toEqual(['user'])
    expect(await refused('/v1/schedules', { name: 'a', task: 'b', every_ms: 3_600_000, user })).toEqual(['user'])
    expect(await refused('/v1/connections', { name: user, origin: 'https://a.example', secret: 's' })).toEqual(['name'])
    expect(await refused('/v1/sessions/import', { session: { user, messages: [] } })).toEqual(['session.user'])
    expect(preferenceKey.safeParse(user).success).toBe(false)
  })

  test('reach the next run of the user', async ({ expect }) => {
    const user = newUser()
    await json(call('PUT', pathOf(user, '/preferences/称呼'), { body: { value: '叫我船长' } }))
    const { id } = await newSession(await stage([words.finish('好')]), { user })
    const { messages } = await sent(id, words.task)
    expect(messages.find(({ kind }) => kind === 'prompt')?.content).toContain('- 称呼: 叫我船长')
  })
})

describe('conversations and tasks over HTTP', () => {
  test('are listed newest first with what was said, searched, and paged', async ({ expect }) => {
    const user = newUser()
    const { id } = await newSession(await stage(['一', '二', '三'].map((answer) => words.finish(answer))), { user })
    for (const task of ['灯塔在哪里', '天气如何', '又见灯塔']) await sent(id, task)
    const rounds = (query = '') => json<List<Round>>(call('GET', pathOf(user, `/conversations${query}`)))
    const { data } = await rounds()
    expect(data.map((round) => [round.user_message, round.ai_response])).toEqual([
      ['又见灯塔', '三'],
      ['天气如何', '二'],
      ['灯塔在哪里', '一'],
    ])
    expect(data[0]).toMatchObject({ session_id: id, timestamp: expect.stringMatching(/Z$/), untrusted: false })
    const q = `q=${encodeURIComponent('灯塔')}`
    expect((await rounds(`?${q}`)).data.map(({ ai_response: answer }) => answer)).toEqual(['三', '一'])
    const first = await rounds(`?${q}&limit=1`)
    expect((await rounds(`?${q}&limit=1&cursor=${first.next_cursor}`)).data[0]?.ai_response).toBe('一')
    expect((await rounds(`?q=${encodeURIComponent('量子')}`)).data).toEqual([])
    const tasks = await json<List<RememberedTask>>(call('GET', pathOf(user, `/tasks?${q}`)))
    expect(tasks.data.map((task) => [task.user_id, task.task_data])).toEqual([
      [user, { task: '又见灯塔', result: '三', status: 'completed' }],
      [user, { task: '灯塔在哪里', result: '一', status: 'completed' }],
    ])
  })
})

describe('the memory of a user', () => {
  test('is forgotten as a whole with 204, tables too, and can be used again', async ({ expect }) => {
    const user = newUser()
    const { id } = await newSession(await stage([words.finish('好'), words.finish('又')]), { user })
    await sent(id, '一')
    await json(call('PUT', pathOf(user, '/preferences/a'), { body: { value: 'b' } }))
    expect(await tables(user)).toContain('conversations')
    const cleared = await call('DELETE', pathOf(user))
    expect([cleared.status, await cleared.text()]).toEqual([204, ''])
    expect(await tables(user)).toEqual([])
    for (const list of ['preferences', 'conversations', 'tasks'])
      expect((await json<List<unknown>>(call('GET', pathOf(user, `/${list}`)))).data).toEqual([])
    await sent(id, '二')
    const { data } = await json<List<Round>>(call('GET', pathOf(user, '/conversations')))
    expect(data.map(({ user_message: said }) => said)).toEqual(['二'])
  })

  test('stays when its session is deleted', async ({ expect }) => {
    const user = newUser()
    const { id } = await newSession(await stage([words.finish('好')]), { user })
    await sent(id, '一')
    expect((await call('DELETE', `/v1/sessions/${id}`)).status).toBe(204)
    expect((await json<List<Round>>(call('GET', pathOf(user, '/conversations')))).data).toHaveLength(1)
  })

  test('that was never used has nothing written for it, whoever asks', async ({ expect }) => {
    const user = newUser()
    for (const list of ['preferences', 'conversations?q=x', 'tasks']) await json(call('GET', pathOf(user, `/${list}`)))
    await problem(call('GET', pathOf(user, '/preferences/x')), 404)
    await problem(call('DELETE', pathOf(user, '/preferences/x')), 404)
    expect((await call('DELETE', pathOf(user))).status).toBe(204)
    expect(await tables(user)).toEqual([])
  })

  test('is its own, whatever the name is made of', async ({ expect }) => {
    const suffix = crypto.randomUUID()
    const names = ['a:b', 'a/b', 'a%2Fb', 'a b', 'a?b', '..', 'É', '名字', 'a'].map((name) => `${name}${suffix}`)
    for (const user of names) await json(call('PUT', pathOf(user, '/preferences/who'), { body: { value: user } }))
    for (const user of names)
      expect(await json(call('GET', pathOf(user, '/preferences/who')))).toEqual({ key: 'who', value: user })
    const decomposed = `É${suffix}`.normalize('NFD')
    expect(await json(call('GET', pathOf(decomposed, '/preferences/who')))).toMatchObject({ value: `É${suffix}` })
  })

  test('is not that of the same name in another tenant, and needs the scopes of what is done', async ({ expect }) => {
    const user = newUser()
    const keys = await keyring([
      ['one', ['admin'], 'first'],
      ['two', ['admin'], 'second'],
      ['reader', ['read'], 'first'],
      ['runner', ['run'], 'first'],
    ])
    const as = (key: string) => ({ env: keys, headers: { authorization: `Bearer ${key}` } })
    const at = pathOf(user, '/preferences/k')
    await json(call('PUT', at, { ...as('one'), body: { value: 'secret' } }))
    await problem(call('GET', at, as('two')), 404)
    expect(await json(call('GET', at, as('reader')))).toEqual({ key: 'k', value: 'secret' })
    await expectForbidden(call('PUT', at, { ...as('reader'), body: { value: 'x' } }), expect)
    await expectForbidden(call('DELETE', pathOf(user), as('reader')), expect)
    await expectForbidden(call('GET', at, as('runner')), expect)
    expect((await call('DELETE', pathOf(user), as('two'))).status).toBe(204)
    expect(await json(call('GET', at, as('one')))).toMatchObject({ value: 'secret' })
  })

  test.for([
    { whose: 'the servers of its tenant', servers: {} },
    { whose: 'no server', servers: { mcp_servers: [] } },
  ])('is no part of a stateless call with $whose, whatever user it names', async ({ servers }, { expect }) => {
    const user = newUser()
    await json(call('PUT', pathOf(user, '/preferences/k'), { body: { value: 'only-in-memory' } }))
    const set = await stage([words.finish('好')])
    const body = { user, config: { ...set.config, ...servers }, messages: [{ role: 'user', content: '一' }] }
    const answer = await (await call('POST', '/v1/agent', { body })).text()
    expect(answer).toContain('completed')
    expect(answer).not.toContain('only-in-memory')
    expect((await set.model.asked())[0]?.body.messages[0]?.content).not.toMatch(/回忆|only-in-memory/)
    expect((await json<List<Round>>(call('GET', pathOf(user, '/conversations')))).data).toEqual([])
  })
})

async function expectForbidden(answer: Promise<Response>, expect: ExpectStatic): Promise<void> {
  expect((await problem(answer, 403)).code).toBe('forbidden')
}

async function keyring(keys: [key: string, scopes: string[], tenant: string][]) {
  const { YAA_CONFIG } = env
  const known = JSON.parse(YAA_CONFIG ?? '{}') as Record<string, unknown>
  const entries = keys.map(async ([key, scopes, tenant]) => ({ id: key, sha256: await sha256Hex(key), scopes, tenant }))
  return { YAA_CONFIG: JSON.stringify({ ...known, auth: { keys: await Promise.all(entries) } }) }
}
