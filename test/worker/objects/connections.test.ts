import { runInDurableObject } from 'cloudflare:test'
import { describe, test } from 'vitest'
import { objectDatabase } from '../../../src/objects/storage.ts'
import { env } from '../session/worker-home.ts'
import { call, json, newSession, problem, stage } from '../http/http.ts'

/** A tenant, and what its object keeps of a connection once nothing was heard of it for long. */
function tenant() {
  const directory = env.DIRECTORY.getByName(`t-${crypto.randomUUID()}`)
  const silent = (id: string) =>
    runInDurableObject(directory, (_object, { storage }) => {
      objectDatabase(storage).all('UPDATE connections SET until = 0 WHERE id = ?', id)
    })
  return { directory, silent }
}

describe('connections of a tenant', () => {
  test('of each kind are as many as there may be', async ({ expect }) => {
    const { directory } = tenant()
    const open = (id: string, kind: 'stream' | 'socket') => directory.openConnection({ id, kind, session: null }, 2)
    expect([await open('a', 'stream'), await open('b', 'stream'), await open('c', 'stream')]).toEqual([
      true,
      true,
      false,
    ])
    expect([await open('d', 'socket'), await open('e', 'socket'), await open('f', 'socket')]).toEqual([
      true,
      true,
      false,
    ])
    await directory.closeConnection('a')
    expect([await open('g', 'stream'), await open('h', 'stream')]).toEqual([true, false])
  })

  test('of which nothing was heard for long are over, if they are streams', async ({ expect }) => {
    const { directory, silent } = tenant()
    const open = (id: string) => directory.openConnection({ id, kind: 'stream', session: null }, 2)
    expect([await open('a'), await open('b')]).toEqual([true, true])
    await silent('a')
    await silent('b')
    await directory.renewConnection('b')
    expect([await open('c'), await open('d')]).toEqual([true, false])
  })

  test('count again where they were taken to be over, and are still there', async ({ expect }) => {
    const { directory, silent } = tenant()
    const open = (id: string) => directory.openConnection({ id, kind: 'stream', session: null }, 1)
    expect(await open('stalled')).toBe(true)
    await silent('stalled')
    expect(await open('b')).toBe(true)
    await directory.closeConnection('b')
    await directory.renewConnection('stalled')
    expect(await open('c')).toBe(false)
  })

  test('are no fewer for a place ahead that there was none for', async ({ expect }) => {
    const { directory } = tenant()
    const open = (id: string, isAhead: boolean, max: number) =>
      directory.openConnection({ id, kind: 'stream', session: null, isAhead }, max)
    expect([await open('a', false, 2), await open('b', true, 1), await open('c', false, 2)]).toEqual([
      true,
      false,
      true,
    ])
  })

  test('are looked for at their session, if they are sockets', async ({ expect }) => {
    const { id: session } = await newSession(await stage())
    const directory = env.DIRECTORY.getByName('default')
    const config = { ...JSON.parse(env.YAA_CONFIG ?? '{}'), quotas: { sockets_max: 1 } }
    const connect = () =>
      call('GET', `/v1/sessions/${session}/ws`, {
        headers: { upgrade: 'websocket' },
        env: { YAA_CONFIG: JSON.stringify(config) },
      })
    const lost = { id: 'con_lost', kind: 'socket', session } as const
    expect(await directory.openConnection(lost, 1)).toBe(true)
    await runInDurableObject(directory, (_object, { storage }) => {
      objectDatabase(storage).all('UPDATE connections SET until = 0')
    })
    const answer = await connect()
    expect(answer.status).toBe(101)
    answer.webSocket?.accept()
    await runInDurableObject(directory, (_object, { storage }) => {
      objectDatabase(storage).all('UPDATE connections SET until = 0')
    })
    const refused = await connect()
    expect(refused.headers.get('retry-after')).toBe('5')
    expect(await problem(refused, 429)).toMatchObject({
      code: 'rate_limited',
      detail: 'At most 1 sockets of a tenant that are open at once are taken; try again in 5 s.',
    })
    answer.webSocket?.close(1000)
    await expect.poll(() => directory.openConnection(lost, 1), { timeout: 20_000 }).toBe(true)
    await directory.closeConnection(lost.id)
    expect((await json<{ id: string }>(call('GET', `/v1/sessions/${session}`))).id).toBe(session)
  })
})
