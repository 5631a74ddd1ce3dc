import { test } from 'vitest'
import { createClient } from '../../../src/client/client.ts'

test('the memory of users is asked for by its routes, whatever a name or a key is made of', async ({ expect }) => {
  const sent: [string, string, string | null][] = []
  const client = createClient({
    server: 'http://server',
    fetch: async (url, init = {}) => {
      const { body, method = 'GET' } = init
      sent.push([method, url, typeof body === 'string' ? body : null])
      return method === 'DELETE' ? new Response(null, { status: 204 }) : Response.json({ object: 'list', data: [] })
    },
  })
  const { memory } = client
  await memory.preferences('a/b', { limit: 5 })
  await memory.preference('名', 'x:y')
  await memory.setPreference('u', 'a?', 'v')
  await memory.deletePreference('u', '100%')
  await memory.conversations('u', { q: '灯塔 &', cursor: '7' })
  await memory.tasks('u')
  await memory.clear('u')
  expect(sent).toEqual([
    ['GET', 'http://server/v1/users/a%2Fb/memory/preferences?limit=5', null],
    ['GET', 'http://server/v1/users/%E5%90%8D/memory/preferences/x%3Ay', null],
    ['PUT', 'http://server/v1/users/u/memory/preferences/a%3F', '{"value":"v"}'],
    ['DELETE', 'http://server/v1/users/u/memory/preferences/100%25', null],
    ['GET', 'http://server/v1/users/u/memory/conversations?q=%E7%81%AF%E5%A1%94+%26&cursor=7', null],
    ['GET', 'http://server/v1/users/u/memory/tasks', null],
    ['DELETE', 'http://server/v1/users/u/memory', null],
  ])
})
