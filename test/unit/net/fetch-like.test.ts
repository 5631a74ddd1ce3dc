import { expect, test } from 'vitest'
import type { Fetch } from '../../../src/domain/ports.ts'
import { createFetchLike, trustedAt } from '../../../src/net/guarded-fetch.ts'
import { AddressRefused } from '../../../src/net/outcome.ts'
import { loopback, page, redirectTo } from './loopback.ts'

const realFetch: Fetch = (url, init) => fetch(url, init)

function fetchLike(...allowPrivateHosts: string[]): Fetch {
  return createFetchLike({ publicFetch: realFetch, privateFetch: null, allowPrivateHosts })
}

test('a refused address rejects with AddressRefused before anything is sent', async () => {
  const server = await loopback(page('secret'))
  const refused = fetchLike()(server.origin)
  await expect(refused).rejects.toBeInstanceOf(AddressRefused)
  await expect(refused).rejects.toMatchObject({ name: 'AddressRefused', detail: 'private' })
  expect(server.requests).toHaveLength(0)
})

test('a body can be read while it is written', async () => {
  const server = await loopback((_, response) => response.write('first'))
  const response = await fetchLike(server.host)(server.origin)
  const reader = response.body?.getReader()
  expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('first')
  await reader?.cancel()
})

test('a redirect is not followed', async () => {
  const secret = await loopback(page('secret'))
  const server = await loopback(redirectTo(secret.origin))
  const response = await fetchLike(server.host)(server.origin, { redirect: 'follow' })
  expect(response.status).toBe(302)
  expect(secret.requests).toHaveLength(0)
})

test('of a trusted address its origin alone is trusted: what it names or sends to is guarded', async () => {
  const secret = await loopback(page('secret'))
  const away = await loopback(redirectTo(secret.origin))
  const own = await loopback((request, response) =>
    request.url === '/mcp' ? redirectTo('/mcp/')(request, response) : page('own')(request, response),
  )
  const fetchAt = (url: string) => trustedAt(url, realFetch, fetchLike())
  expect(await (await fetchAt(own.origin)(`${own.origin}/mcp`)).text()).toBe('own')
  await expect(fetchAt(own.origin)(`${secret.origin}/.well-known/oauth-authorization-server`)).rejects.toMatchObject({
    name: 'AddressRefused',
  })
  expect((await fetchAt(away.origin)(away.origin)).status).toBe(302)
  expect(secret.requests).toHaveLength(0)
})
