import { afterAll, beforeAll, describe, test } from 'vitest'
import { LIMITS } from '../../../src/domain/limits.ts'
import { newId } from '../../../src/lib/id.ts'
import { type NodeHome, nodeHome } from '../../support/node-home.ts'

const { keptMs } = LIMITS.idempotency

describe.each(['memory', 'sqlite'] as const)('a session that a key made, in %s', (kind) => {
  let home: NodeHome
  beforeAll(async () => {
    home = await nodeHome(kind)
  })
  afterAll(() => home.close())

  const options = (generation: number) => ({ form: 'wait', key: 'k', fingerprint: 'f', generation }) as const
  const made = () => {
    const id = newId('ses', Date.now())
    const create = (generation = 0) => home.session(id).create(id, 'default', { title: 'x' }, options(generation))
    return { id, create, session: home.session(id) }
  }
  const ask = (generation: number) => ({ key: 'k', fingerprint: 'f', generation })

  test('is given again for a day; then the key makes the next one', async ({ expect }) => {
    const { create, session } = made()
    expect(await create(3)).toMatchObject({ ok: true, value: { etag: expect.any(String) } })
    expect(await create(3)).toMatchObject({ ok: true, value: { replayed: true, etag: expect.any(String) } })
    expect(await session.keyStand(ask(3))).toBe('same')
    expect(await session.keyStand({ ...ask(3), fingerprint: 'g' })).toBe('other')
    home.advance(keptMs + 1)
    expect(await create(3)).toEqual({ ok: true, value: { replayed: true, generation: 4 } })
    expect(await session.keyStand(ask(3))).toEqual({ replayed: true, generation: 4 })
  })

  test('is asked for something else, which is 422', async ({ expect }) => {
    const { id, create, session } = made()
    await create()
    const other = { ...options(0), fingerprint: 'g' }
    expect(await session.create(id, 'default', {}, other)).toMatchObject({ error: { code: 'idempotency_key_reused' } })
  })

  test('names the newest that it was told of, also after a restart', async ({ expect }) => {
    const { id, create, session } = made()
    await create()
    home.advance(keptMs + 1)
    await session.keepSuccessor(7)
    home.kill(id)
    expect(await create()).toEqual({ ok: true, value: { replayed: true, generation: 7 } })
  })
})
