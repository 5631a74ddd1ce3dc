import ipaddr from 'ipaddr.js'
import { isPublicIp } from './public-ip.ts'

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
export function isPrivateName(name: string): boolean {
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
