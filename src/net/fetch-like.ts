import type { Fetch } from '../domain/ports.ts'
import { checkAddress } from './address.ts'
import { AddressRefused } from './address-refused.ts'
import type { GuardPorts } from './guarded-fetch.ts'

/**
 * A `Fetch` for addresses that a client gave (models, MCP servers, callbacks): the same check as the guarded fetch, the
 * body left to stream, a redirect left as the answer that it is. Time and size are the caller's. Rejects with
 * `AddressRefused` before anything is sent, else as `fetch` does.
 */
export function createFetchLike(ports: GuardPorts): Fetch {
  const { publicFetch, privateFetch, allowPrivateHosts } = ports
  return async (url, init) => {
    const checked = checkAddress(url, allowPrivateHosts)
    if (!checked.ok) throw new AddressRefused(checked.detail)
    const way = checked.listed ? (privateFetch ?? publicFetch) : publicFetch
    return way(checked.url.href, { ...init, redirect: 'manual' })
  }
}
