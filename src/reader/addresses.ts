const LINKED_SCHEMES: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:', 'tel:'])
const ADDRESS_CHARS_MAX = 2_000

/** Makes addresses of a page absolute. Null for what leads nowhere: scripts, data, places within the page itself. */
export type Resolve = (address: string | undefined) => string | null

/** `base` as `<base href>` gives it, itself relative to where the page was found. */
export function createResolve(pageUrl: string, base: string | undefined): Resolve {
  const from = (base === undefined ? null : URL.parse(base, pageUrl)) ?? URL.parse(pageUrl)
  return (address) => {
    const written = address?.trim() ?? ''
    if (written === '' || written.startsWith('#') || written.length > ADDRESS_CHARS_MAX) return null
    const url = from === null ? URL.parse(written) : URL.parse(written, from)
    return url !== null && LINKED_SCHEMES.has(url.protocol) ? url.href : null
  }
}
