const LINKED_SCHEMES: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:', 'tel:'])
const ADDRESS_CHARS_MAX = 2_000

/** Addresses and paths that `URL` would leave as they are; most are, and parsing takes a microsecond each. */
const PLAIN_ADDRESS = /^https?:\/\/[a-z\d-]+(?:\.[a-z\d-]+)*\.[a-z]{2,}\/[\w~!$&*+,;=:@%/?.-]*$/
const PLAIN_PATH = /^\/[\w~!$&*+,;=:@%?.-][\w~!$&*+,;=:@%/?.-]*$/
const PLAIN_RELATIVE = /^[\w-][\w~!$&*+,;=@%/?.-]*$/
/** Steps in a path that `URL` would resolve. */
const STEP = /\/\.|%2e/i

/** Makes addresses of a page absolute. Null for what leads nowhere: scripts, data, places within the page itself. */
export type Resolve = (address: string | null | undefined) => string | null

/** `base` as `<base href>` gives it, itself relative to where the page was found. */
export function createResolve(pageUrl: string, base: string | null): Resolve {
  let from: Base | undefined
  return (address) => {
    const written = address?.trim() ?? ''
    if (written === '' || written.startsWith('#') || written.length > ADDRESS_CHARS_MAX) return null
    if (PLAIN_ADDRESS.test(written) && !STEP.test(written)) return written
    from ??= baseOf((base === null ? null : (URL.parse(base, pageUrl) ?? URL.parse(base))) ?? URL.parse(pageUrl))
    return plainly(written, from) ?? parsed(written, from)
  }
}

/** Where addresses count from; the strings are empty where only `URL` knows. */
interface Base {
  url: URL | null
  origin: string
  folder: string
}

function baseOf(url: URL | null): Base {
  if (url === null || !/^https?:$/.test(url.protocol)) return { url, origin: '', folder: '' }
  const { origin, pathname } = url
  return { url, origin, folder: origin + pathname.slice(0, pathname.lastIndexOf('/') + 1) }
}

function plainly(written: string, { origin, folder }: Base): string | null {
  if (origin === '' || STEP.test(written)) return null
  if (PLAIN_PATH.test(written)) return origin + written
  return PLAIN_RELATIVE.test(written) ? folder + written : null
}

function parsed(written: string, from: Base): string | null {
  const url = from.url === null ? URL.parse(written) : URL.parse(written, from.url)
  return url !== null && LINKED_SCHEMES.has(url.protocol) ? url.href : null
}
