import { matchesGlob } from './glob.ts'

/** Whether a host fits a pattern in which `*` stands for one label or a part of it, and `**` for any number of labels. Letter case,
 *  the dot that may end a name, and how names that are not ASCII are written make no difference. */
export function matchesHost(hostname: string, pattern: string): boolean {
  return matchesGlob(plainHost(hostname), pattern.split('.').map(asciiLabel).join('.').replace(/\.$/, ''), '.')
}

/** A host as names are compared: in lower case, without the dot that may end it. */
export function plainHost(hostname: string): string {
  return hostname.toLowerCase().replace(/\.$/, '')
}

/** Whether two addresses are at one host, `www.` in front aside. */
export function isSameSite(one: string, other: string): boolean {
  const [first, second] = [one, other].map((address) => withoutWww(URL.parse(address)?.hostname ?? ''))
  return first !== '' && first === second
}

export function withoutWww(hostname: string): string {
  return plainHost(hostname).replace(/^www\./, '')
}

function asciiLabel(label: string): string {
  const isAscii = /^[\u0020-\u007e]*$/.test(label)
  return (isAscii ? null : URL.parse(`http://${label}.x`)?.hostname.slice(0, -2)) ?? label.toLowerCase()
}
