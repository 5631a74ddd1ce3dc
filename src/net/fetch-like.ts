import type { Fetch } from '../domain/ports.ts'
import { type AddressProblem, checkAddress } from './address.ts'
import type { GuardPorts } from './guarded-fetch.ts'

/** Thrown by a guarded `Fetch` for an address that may not be reached; told apart by its `name`. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused'
  readonly detail: AddressProblem

  constructor(detail: AddressProblem) {
    super(`The address may not be reached: ${detail}`)
    this.detail = detail
  }
}

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
