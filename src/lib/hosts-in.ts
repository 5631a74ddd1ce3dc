const HOST = /(?:[a-z0-9](?:[a-z0-9-]{0,62})\.)+[a-z][a-z0-9-]{1,62}|\b\d{1,3}(?:\.\d{1,3}){3}\b/gi
const ADDRESS = /https?:\/\/[^\s<>"'`，。；、！？（）《》【】]+/gi

/** Hosts that a text names, alone or in an address, as an address would have them; each once. */
export function hostsIn(text: string): string[] {
  const inAddresses = (text.match(ADDRESS) ?? []).map((address) => URL.parse(address)?.hostname)
  const bare = (text.match(HOST) ?? []).map((host) => URL.parse(`http://${host}`)?.hostname)
  return [...new Set([...inAddresses, ...bare].filter((host) => host !== undefined && host !== ''))] as string[]
}
