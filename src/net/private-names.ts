/** Names that mean this machine or its network by standard (RFC 6761, 6762, 8375, 9476) or by custom, with all below them. */
const PRIVATE_SUFFIXES: ReadonlySet<string> = new Set([
  'localhost',
  'localdomain',
  'local',
  'internal',
  'intranet',
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
])

const LABELS = /^[^.]+(\.[^.]+)+$/

/**
 * Whether a host name (lower case, no trailing dot, not an IP address) stands for something on this machine or a
 * private network: a single label, an empty label, or a name at or below one of the tables above.
 */
export function isPrivateName(name: string): boolean {
  if (!LABELS.test(name)) return true
  const labels = name.split('.')
  const suffixes = labels.map((_, index) => labels.slice(index).join('.')).slice(-3)
  return suffixes.some((suffix) => PRIVATE_SUFFIXES.has(suffix) || ECHOING_ZONES.has(suffix))
}
