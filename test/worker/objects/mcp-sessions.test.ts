import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { describe, test } from 'vitest'
import { objectDatabase } from '../../../src/objects/storage.ts'
import { env } from '../session/worker-home.ts'

const CLIENT = { protocol: '2025-11-25', elicits: true, capabilities: {} }
const CALL = { rpc: 1, tool: 'run_task', token: null }

/** The session of a client, and a way to have its end stand so long before or behind now. */
function session() {
  const object = env.MCP_SESSION.getByName(`t:${crypto.randomUUID()}`)
  const endsIn = (ms: number) =>
    runInDurableObject(object, (_object, { storage }) => {
      objectDatabase(storage).all('UPDATE client SET expires = ?', Date.now() + ms)
    })
  const alarm = () => runInDurableObject(object, (_object, { storage }) => storage.getAlarm())
  const tables = () =>
    runInDurableObject(object, (_object, { storage }) =>
      objectDatabase(storage)
        .all<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table' AND name IN ('client', 'calls')")
        .map(({ name }) => name),
    )
  return { object, endsIn, alarm, tables }
}

describe('the session of an MCP client', () => {
  test('is gone when its time is over, and nothing is kept of it', async ({ expect }) => {
    const { object, endsIn, alarm, tables } = session()
    await object.open('key:a', CLIENT)
    expect(await object.enter('key:a', CALL)).toEqual({ client: CLIENT, call: 1 })
    expect(await alarm()).toBeGreaterThan(Date.now())
    await endsIn(-1)
    expect(await object.enter('key:a', null)).toBeNull()
    expect(await runDurableObjectAlarm(object)).toBe(true)
    expect([await tables(), await alarm(), await object.find({ n: 1 })]).toEqual([[], null, null])
  })

  test('that was used since is kept on, with another alarm', async ({ expect }) => {
    const { object, endsIn, alarm } = session()
    await object.open('key:a', CLIENT)
    await endsIn(60_000)
    expect(await object.enter('key:a', null)).not.toBeNull()
    const before = (await alarm()) ?? 0
    expect(await runDurableObjectAlarm(object)).toBe(true)
    expect(await alarm()).toBeGreaterThanOrEqual(before)
    expect(await object.enter('key:a', CALL)).toEqual({ client: CLIENT, call: 1 })
  })

  test('is nobody else’s, and keeps what was said of its calls', async ({ expect }) => {
    const { object } = session()
    await object.open('key:a', CLIENT)
    await object.enter('key:a', CALL)
    expect(await object.enter('key:b', CALL)).toBeNull()
    expect(await object.takeBack(1)).toMatchObject({ n: 1, place: null })
    const place = { session: 'ses_1', run: 'run_1', seq: 1 }
    expect(await object.place(1, place)).toEqual({ isCancelled: true })
    expect(await object.find({ rpc: 1 })).toMatchObject({ n: 1, place, isPutOff: false })
    await object.enter('key:a', { ...CALL, rpc: 'two' })
    await object.putOff(2)
    expect(await object.find({ n: 2 })).toMatchObject({ rpc: 'two', isPutOff: true })
    await object.end()
    expect([await object.enter('key:a', null), await object.find({ n: 1 })]).toEqual([null, null])
  })
})
