import { runInDurableObject } from 'cloudflare:test'
import { test, vi } from 'vitest'
import { serverOf } from '../../../src/objects/engine.ts'
import { TenantLists } from '../../../src/objects/tenant-lists.ts'
import { DirectoryObject } from '../../../src/index.ts'
import { env } from '../session/worker-home.ts'

test('over how many objects the lists of a tenant are spread is what it began with', ({ expect }) =>
  runInDurableObject(env.DIRECTORY.getByName(`t-${crypto.randomUUID()}`), (object) => {
    if (!(object instanceof DirectoryObject)) throw new Error('the directory of a tenant was expected')
    expect([object.fixShards(4), object.fixShards(8)]).toEqual([4, 4])
    expect(object.list({ limit: 1 }, 4)).toEqual({ data: [], nextCursor: null })
    expect(() => object.list({ limit: 1 })).toThrow('over 4 objects, not 1: see directory_shards')
  }))

test('a number that a tenant did not begin with is told once to the operator', async ({ expect }) => {
  const tenant = `t-${crypto.randomUUID()}`
  await env.DIRECTORY.getByName(tenant).fixShards(2)
  const four = { ...env, YAA_CONFIG: JSON.stringify({ ...serverOf(env).config, directory_shards: 4 }) }
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  const lists = new TenantLists(four, tenant)
  expect([await lists.has('ses_none'), await lists.has('ses_none')]).toEqual([false, false])
  expect(warn.mock.calls.map(([line]) => JSON.parse(String(line)))).toEqual([
    { level: 'warn', event: 'directory_shards_ignored', tenant, shards: 2, config: 4 },
  ])
  warn.mockRestore()
})
