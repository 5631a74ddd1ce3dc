import { LIMITS } from '../domain/limits.ts'
import { isPrivateName, isIpHost, isPublicIp } from './public-hosts.ts'

/** Why an address may not be reached. */
export type AddressProblem = 'not_an_address' | 'too_long' | 'scheme' | 'credentials' | 'private'

/** `listed`: the host and port are an exception of the config, to be reached by the private way. */
type CheckedAddress = { ok: true; url: URL; listed: boolean } | { ok: false; detail: AddressProblem }

const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' }

/**
 * Check an absolute address before anything of it is fetched: http or https, no credentials, and not private in any
 * spelling unless `allowPrivateHosts` (entries `host:port`) names exactly its host and port. No name is resolved here.
 */
export function checkAddress(address: string, allowPrivateHosts: readonly string[]): CheckedAddress {
  if (address.length > LIMITS.web.urlCharsMax) return refused('too_long')
  const url = URL.parse(address)
  if (url === null) return refused('not_an_address')
  if (!(url.protocol in DEFAULT_PORTS)) return refused('scheme')
  if (url.username !== '' || url.password !== '') return refused('credentials')
  if (isListed(url, allowPrivateHosts)) return { ok: true, url, listed: true }
  return isPublicHost(plainHost(url)) ? { ok: true, url, listed: false } : refused('private')
}

function isPublicHost(host: string): boolean {
  return isIpHost(host) ? isPublicIp(host) : !isPrivateName(host)
}

function isListed(url: URL, allowPrivateHosts: readonly string[]): boolean {
  const wanted = hostPort(url)
  return allowPrivateHosts.some((entry) => normalizedEntry(entry) === wanted)
}

function normalizedEntry(entry: string): string | null {
  const url = URL.parse(`http://${entry}`)
  return url === null ? null : hostPort(url)
}

function hostPort(url: URL): string {
  return `${plainHost(url)}:${url.port === '' ? DEFAULT_PORTS[url.protocol] : url.port}`
}

/** The normalised host without the dot that may end it. */
function plainHost(url: URL): string {
  return url.hostname.endsWith('.') ? url.hostname.slice(0, -1) : url.hostname
}

function refused(detail: AddressProblem): { ok: false; detail: AddressProblem } {
  return { ok: false, detail }
}

/** Thrown by a `Fetch` for an address that may not be reached, or whose name turns out to mean one; told apart by its `name`. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused'
  readonly detail: AddressProblem

  constructor(detail: AddressProblem) {
    super(`The address may not be reached: ${detail}`)
    this.detail = detail
  }
}
