import { test } from 'vitest'
import { newId } from '../../../src/lib/id.ts'
import { tenantRoom } from '../../../src/objects/tenant-room.ts'
import { env, within } from '../session/worker-home.ts'

test('the room of a tenant is heard of by a session that was deleted and made anew', async ({ expect }) => {
  await within(newId('ses', Date.now()), async (_object, state) => {
    const room = tenantRoom(state, env)
    room.heard(true)
    await state.storage.deleteAll()
    room.heard(false)
    room.heard(true)
    expect(state.storage.sql.exec('SELECT count(*) AS n FROM no_room').one()).toEqual({ n: 1 })
  })
})
