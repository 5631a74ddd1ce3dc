const LINKED_SCHEMES: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:', 'tel:'])
const ADDRESS_CHARS_MAX = 2_000

/** Addresses and paths that `URL` would leave as they are; most are, and parsing takes a microsecond each. */
const PLAIN_ADDRESS = /^https?:\/\/[a-z\d-]+(?:\.[a-z\d-]+)*\.[a-z]{2,}\/[\w~!$&*+,;=:@%/?.-]*$/
const PLAIN_PATH = /^\/[\w~!$&*+,;=:@%?.-][\w~!$&*+,;=:@%/?.-]*$/
/** Steps in a path that `URL` would resolve. */
const STEP = /\/\.|%2e/i

/** Makes addresses of a page absolute. Null for what leads nowhere: scripts, data, places within the page itself. */
export type Resolve = (address: string | undefined) => string | null

/** `base` as `<base href>` gives it, itself relative to where the page was found. */
export function createResolve(pageUrl: string, base: string | undefined): Resolve {
  let from: URL | null | undefined
  return (address) => {
    const written = address?.trim() ?? ''
    if (written === '' || written.startsWith('#') || written.length > ADDRESS_CHARS_MAX) return null
    if (PLAIN_ADDRESS.test(written) && !STEP.test(written)) return written
    from ??= (base === undefined ? null : URL.parse(base, pageUrl)) ?? URL.parse(pageUrl)
    if (from !== null && PLAIN_PATH.test(written) && isWeb(from) && !STEP.test(written)) return from.origin + written
    const url = from === null ? URL.parse(written) : URL.parse(written, from)
    return url !== null && LINKED_SCHEMES.has(url.protocol) ? url.href : null
  }
}

function isWeb({ protocol }: URL): boolean {
  return protocol === 'http:' || protocol === 'https:'
}
