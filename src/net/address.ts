import ipaddr from 'ipaddr.js'
import { LIMITS } from '../domain/limits.ts'
import type { AddressProblem } from './outcome.ts'

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

/** Names that mean this machine or its network by standard (RFC 6761, 6762, 8375, 9476) or by custom, with all below them. */
const PRIVATE_SUFFIXES: ReadonlySet<string> = new Set([
  'localhost',
  'localdomain',
  'local',
  'internal',
  'intranet',
  'intra',
  'localnet',
  'workgroup',
  'router',
  'svc',
  'private',
  'corp',
  'home',
  'lan',
  'home.arpa',
  'test',
  'in-addr.arpa',
  'ip6.arpa',
  'fritz.box',
])

/** Public zones that answer any name with the address written in it, or with a loopback address. */
const ECHOING_ZONES: ReadonlySet<string> = new Set([
  'nip.io',
  'sslip.io',
  'xip.io',
  'traefik.me',
  'backname.io',
  'localtest.me',
  'lvh.me',
  'vcap.me',
  'lacolhost.com',
  'rbndr.us',
  '1u.ms',
  'plex.direct',
  'localhost.direct',
  'local.gd',
  'localdev.me',
  'local-ip.co',
  'local-ip.sh',
  'lcl.host',
  'fuf.me',
  'ulh.us',
  'spoofed.burpcollaborator.net',
])

/** Public zones in which a cloud answers its own machines. */
const CLOUD_ZONES: ReadonlySet<string> = new Set([
  'tencentyun.com',
  'metadata.packet.net',
  'metadata.platformequinix.com',
])

const PRIVATE: ReadonlySet<string> = new Set([...PRIVATE_SUFFIXES, ...ECHOING_ZONES, ...CLOUD_ZONES])

const LABELS = /^[^.]+(\.[^.]+)+$/

/**
 * Whether a host name (lower case, no trailing dot, not an IP address) stands for something on this machine or a
 * private network: a single label, an empty label, a name at or below one of the tables above, or one with a private
 * address written into it, between dots or hyphens.
 */
function isPrivateName(name: string): boolean {
  if (!LABELS.test(name)) return true
  const labels = name.split('.')
  const suffixes = labels.map((_, index) => labels.slice(index).join('.')).slice(-3)
  return suffixes.some((suffix) => PRIVATE.has(suffix)) || holdsPrivateIp(name.split(/[.-]/))
}

function holdsPrivateIp(parts: readonly string[]): boolean {
  return parts.some((_, index) => {
    const address = parts.slice(index, index + 4).join('.')
    return ipaddr.IPv4.isValidFourPartDecimal(address) && !isPublicIp(address)
  })
}

/** Public addresses at which a cloud answers its own machines (Azure's platform address). */
const PLATFORM_ADDRESSES: ReadonlySet<string> = new Set(['168.63.129.16'])

/** The only part of IPv6 that is handed out for the public network (RFC 4291); IPv4-compatible ones lie outside. */
const GLOBAL_UNICAST: [ipaddr.IPv6, number] = ipaddr.IPv6.parseCIDR('2000::/3')

/** The interface part of an ISATAP address (RFC 5214) is one of these and then an IPv4 address. */
const ISATAP = { group: 0x5efe, markers: [0x0000, 0x0200] }

/** Whether `host`, as `URL.hostname` gives it, is an IP address in brackets or dots. */
export function isIpHost(host: string): boolean {
  return ipaddr.isValid(bare(host))
}

/**
 * Whether an IP address (as `URL.hostname` gives it) belongs to the public network. Everything that is private, loopback,
 * link-local, shared, multicast, reserved, documentation, or carries an IPv4 address inside an IPv6 one does not.
 */
export function isPublicIp(host: string): boolean {
  const address = ipaddr.parse(bare(host))
  if (address.range() !== 'unicast') return false
  if (address instanceof ipaddr.IPv6) return address.match(GLOBAL_UNICAST) && !isIsatap(address)
  return !PLATFORM_ADDRESSES.has(address.toString())
}

function isIsatap(address: ipaddr.IPv6): boolean {
  return address.parts[5] === ISATAP.group && ISATAP.markers.includes(address.parts[4] ?? -1)
}

function bare(host: string): string {
  return host.startsWith('[') ? host.slice(1, -1) : host
}
