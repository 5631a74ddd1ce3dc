import ipaddr from 'ipaddr.js'

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
