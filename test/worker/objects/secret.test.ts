import { runInDurableObject } from 'cloudflare:test'
import { describe, test } from 'vitest'
import { readSecret, secretOf } from '../../../src/objects/secret.ts'
import { objectDatabase } from '../../../src/objects/storage.ts'
import { Secret } from '../../../src/lib/secret.ts'
import { env } from '../session/worker-home.ts'

const GIVEN = 'the secret that the environment has'

describe('the secret of the server', () => {
  test('is that of the environment', async ({ expect }) => {
    const secret = await secretOf({ ...env, YAA_SECRET: GIVEN })
    expect(await secret.mark('key', 'one')).toBe(await new Secret(GIVEN).mark('key', 'one'))
  })

  test('has 32 characters at least', async ({ expect }) => {
    await expect(secretOf({ ...env, YAA_SECRET: 'short' })).rejects.toThrow('32 characters')
  })

  test('is one that an object made and keeps, where the environment has none', async ({ expect }) => {
    const { YAA_SECRET: _given, ...without } = env
    const first = await (await secretOf(without)).proof('key', 'one')
    // An isolate that was told of another one before asks the object again.
    await secretOf({ ...env, YAA_SECRET: GIVEN })
    expect(await (await secretOf(without)).proof('key', 'one')).toBe(first)
    expect(await (await secretOf({ ...without, YAA_SECRET: '' })).proof('key', 'one')).toBe(first)
  })

  test('is made once by its object, also when that begins anew', async ({ expect }) => {
    const keeper = env.DIRECTORY.getByName('.a-keeper-of-this-test')
    const first = await keeper.serverSecret()
    expect(first.length).toBeGreaterThanOrEqual(32)
    const again = await runInDurableObject(keeper, (_object, state) => readSecret(objectDatabase(state.storage)))
    expect(again).toBe(first)
  })
})
