import { runInDurableObject } from 'cloudflare:test'
import { test } from 'vitest'
import { DirectoryObject } from '../../../src/index.ts'
import { env } from '../session/worker-home.ts'

test('over how many objects the lists of a tenant are spread is what it began with', ({ expect }) =>
  runInDurableObject(env.DIRECTORY.getByName(`t-${crypto.randomUUID()}`), (object) => {
    if (!(object instanceof DirectoryObject)) throw new Error('the directory of a tenant was expected')
    expect([object.fixShards(4), object.fixShards(8)]).toEqual([4, 4])
    expect(object.list({ limit: 1 }, 4)).toEqual({ data: [], nextCursor: null })
    expect(() => object.list({ limit: 1 })).toThrow('over 4 objects, not 1: see directory_shards')
  }))
