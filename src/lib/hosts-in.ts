import { addressesIn } from './addresses-in.ts'

const HOST = /(?<![a-z0-9-])(?:[a-z0-9](?:[a-z0-9-]{0,62})\.){1,10}[a-z][a-z0-9-]{1,62}|\b\d{1,3}(?:\.\d{1,3}){3}\b/gi
/** A host that stands apart from other words, in any script. */
const APART =
  /(?<![^\s<>"'`，。；、！？（）《》【】：“”])(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,62})\.){1,10}(?:[a-z]{2,20}|[\p{Lo}\p{M}]{2,6})(?![^\s<>"'`，。；、！？（）《》【】：“”/:?#])/gu
/** Ends of file names that are ends of hosts too: alone, with one dot, they mean a file. */
const FILE_NAME = /^[^.]+\.(?:md|rs|py|sh|zip|mov|pl|ps|so|cc)$/i

/** Hosts that a text names, alone or in an address, as an address would have them; each once. */
export function hostsIn(text: string): string[] {
  const inAddresses = addressesIn(text).flatMap((address) => webHost(address) ?? [])
  const bare = [...(text.match(HOST) ?? []), ...foreignHosts(text)]
  const named = bare.filter((host) => !FILE_NAME.test(host)).flatMap((host) => webHost(`http://${host}`) ?? [])
  return [...new Set([...inAddresses, ...named])]
}

function foreignHosts(text: string): string[] {
  return text.match(APART)?.filter((host) => /[^\u0020-\u007e]/.test(host)) ?? []
}

function webHost(address: string): string | null {
  const url = URL.parse(address)
  return url !== null && /^https?:$/.test(url.protocol) && url.hostname !== '' ? url.hostname : null
}
