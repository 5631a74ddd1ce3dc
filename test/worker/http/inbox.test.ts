import { describe, test } from 'vitest'
import type { ListedPending } from '../../../src/domain/pending.ts'
import type { CancelledSession, SessionData, SessionSummary } from '../../../src/domain/session.ts'
import { native, WORDS } from '../../support/words.ts'
import { call, json, type List, newSession, problem, read, sent, stage } from './http.ts'

const words = WORDS['zh-CN']
const someUser = () => `u-${crypto.randomUUID()}`
const waiting = (query: string) => json<List<ListedPending>>(call('GET', `/v1/pending?${query}`))

/** A session that waits for an approval. */
async function waits(user: string): Promise<SessionData> {
  const set = await stage((page) => [words.visit(page('article')), words.finish('好')])
  const { id } = await newSession(set, { user, title: 'reads a page' })
  await sent(id, words.task)
  return read(id)
}

/** A session that rests between two batches, as one does whose client went away. */
async function rests(user: string): Promise<SessionData> {
  const set = await stage([words.rethink('…'), words.finish('好')])
  const { id } = await newSession(set, { user, config: { ...set.config, limits: { max_iterations: 1 } } })
  await sent(id, words.task)
  return read(id)
}

describe('GET /v1/pending', () => {
  test('lists what waits in all sessions, newest first, with its session, until it is decided', async ({ expect }) => {
    const user = someUser()
    const sessions = [await waits(user), await waits(user), await waits(user)].toReversed()
    await waits(someUser())
    const expected = sessions.map(({ id, pending: [item] }) => ({
      ...item,
      object: 'pending',
      session_id: id,
      session_title: 'reads a page',
      user,
    }))
    expect(await waiting(`user=${user}`)).toEqual({ object: 'list', data: expected, next_cursor: null })
    const first = await waiting(`user=${user}&limit=2`)
    const second = await waiting(`user=${user}&limit=2&cursor=${first.next_cursor}`)
    expect([...first.data, ...second.data]).toEqual(expected)
    expect(second.next_cursor).toBeNull()

    const [decided] = expected
    const path = `/v1/sessions/${decided?.session_id}/pending/${decided?.id}`
    await json(call('POST', path, { body: { decision: 'approve' } }))
    expect((await waiting(`user=${user}`)).data).toEqual(expected.slice(1))
    await call('DELETE', `/v1/sessions/${expected[1]?.session_id}`)
    expect((await waiting(`user=${user}`)).data).toEqual(expected.slice(2))
  })

  test('filters by type and age, and leaves what waits out of the list of sessions', async ({ expect }) => {
    const user = someUser()
    const { id } = await waits(user)
    const asking = await stage([words.ask('哪一个？')])
    const question = await newSession(asking, { user })
    await sent(question.id, words.task)
    const idsOf = async (query: string) =>
      (await waiting(`user=${user}&${query}`)).data.map(({ session_id: session }) => session)
    expect(await idsOf('type=approval')).toEqual([id])
    expect(await idsOf('type=question')).toEqual([question.id])
    expect(await idsOf('min_age_ms=0')).toEqual([question.id, id])
    expect(await idsOf('min_age_ms=3600000')).toEqual([])
    const { data } = await json<List<object>>(call('GET', `/v1/sessions?user=${user}`))
    expect(data.filter((one) => 'pending' in one)).toEqual([])
    for (const wrong of ['type=x', 'min_age_ms=-1', 'cursor=ses_x', 'limit=101'])
      await problem(call('GET', `/v1/pending?${wrong}`), 400)
  })

  test('leaves out arguments that are too long for a list, and says so', async ({ expect }) => {
    const user = someUser()
    const set = await stage([native('write_file', { path: 'a.txt', content: 'x'.repeat(20_000) })])
    const llm = { model: set.model.name, protocol: 'native' }
    const config = { llm, tools: { write_file: { enabled: true, permission: 'ask' } } }
    const { id } = await newSession(set, { user, config })
    await sent(id, words.task)
    const [item] = (await read(id)).pending
    expect(item?.arguments).toMatchObject({ path: 'a.txt' })
    const { data } = await waiting(`user=${user}`)
    expect(data).toMatchObject([{ id: item?.id, arguments_hash: item?.arguments_hash, arguments_cut: true }])
    expect(data[0]).not.toHaveProperty('arguments')
  })
})

describe('stuck sessions', () => {
  const stuck = async (query: string) =>
    (await json<List<SessionSummary>>(call('GET', `/v1/sessions?stuck=true&${query}`))).data

  test('are those in progress that gave no sign for some time', async ({ expect }) => {
    const user = someUser()
    const { id, updated_time: sign } = await rests(user)
    await waits(user)
    expect(await stuck(`user=${user}`)).toEqual([])
    const [found, ...others] = await stuck(`user=${user}&min_age_ms=0`)
    expect(others).toEqual([])
    expect(found).toMatchObject({ id, stuck: { last_sign_time: sign, lease_expires_time: null } })
    expect(found?.stuck?.age_ms).toBeGreaterThanOrEqual(0)
    expect((await json<List<object>>(call('GET', `/v1/sessions?user=${user}&stuck=false`))).data).toHaveLength(2)
  })

  test('are cancelled together, by a filter or by their ids', async ({ expect }) => {
    const user = someUser()
    const [one, other, waitsStill] = [await rests(user), await rests(user), await waits(user)]
    const cancel = async (body: object) =>
      (await json<List<CancelledSession>>(call('POST', '/v1/sessions/cancel', { body }))).data
    expect(await cancel({ filter: { user, stuck: true } })).toEqual([])
    expect(await cancel({ filter: { user, stuck: true, min_age_ms: 0 } })).toEqual(
      [other, one].map(({ id }) => ({ id, status: 'cancelled', error: null })),
    )
    expect((await read(one.id)).status).toBe('cancelled')
    expect((await read(waitsStill.id)).status).toBe('interrupted')
    const unknown = 'ses_01arz3ndektsv4rrffq69g5fav'
    expect(await cancel({ ids: [waitsStill.id, unknown, waitsStill.id] })).toEqual([
      { id: waitsStill.id, status: 'cancelled', error: null },
      { id: unknown, status: null, error: 'not_found' },
    ])
    const wrong = [{}, { ids: [] }, { ids: ['x'] }, { ids: [unknown], filter: {} }, { filter: { status: 'completed' } }]
    for (const body of wrong) await problem(call('POST', '/v1/sessions/cancel', { body }), 400)
  })
})

test('GET /v1/sessions?pinned=true lists those whose metadata says so, with other filters, until it does no more', async ({
  expect,
}) => {
  const user = someUser()
  const set = await stage([])
  const make = (metadata: Record<string, unknown>) => newSession(set, { user, metadata })
  const [older, , newer] = [await make({ pinned: true }), await make({ pinned: 'true' }), await make({})]
  const pinned = async (query = '') => {
    const { data } = await json<List<SessionSummary>>(call('GET', `/v1/sessions?pinned=true&user=${user}${query}`))
    return data.map(({ id }) => id)
  }
  expect(await pinned()).toEqual([older.id])
  await json(call('PATCH', `/v1/sessions/${newer.id}`, { body: { metadata: { pinned: true } } }))
  await expect.poll(() => pinned()).toEqual([newer.id, older.id])
  expect(await pinned(`&cursor=${newer.id}`)).toEqual([older.id])
  expect(await pinned('&status=failed')).toEqual([])
  await json(call('PATCH', `/v1/sessions/${older.id}`, { body: { metadata: { pinned: null } } }))
  await expect.poll(() => pinned()).toEqual([newer.id])
  await problem(call('GET', '/v1/sessions?pinned=yes'), 400)
})
