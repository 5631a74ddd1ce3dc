/** What is sent, in the form that can be sent again. Header names are lower case. */
export interface HopRequest {
  url: string
  method: string
  headers: Readonly<Record<string, string>>
  body: string | Uint8Array<ArrayBuffer> | null
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** Headers that tell nothing about the sender and may follow a redirect to another origin. */
const NEUTRAL_HEADERS: ReadonlySet<string> = new Set(['accept', 'accept-language', 'content-type', 'user-agent'])

const BODY_HEADERS: ReadonlySet<string> = new Set([
  'content-type',
  'content-length',
  'content-encoding',
  'content-language',
])

/** The place that an answer sends us to: null when it is no redirect (a 3xx without a `Location` is an answer). */
export function redirectTarget(status: number, headers: Headers): string | null {
  const location = REDIRECTS.has(status) ? headers.get('location') : null
  return location === null ? null : inUtf8(location)
}

/** Servers write UTF-8 where Latin-1 is meant, and some platforms hand out the bytes of it as characters. */
function inUtf8(location: string): string {
  const codes = location.split('').map((character) => character.charCodeAt(0))
  if (codes.some((code) => code > 0xff)) return location
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(codes))
  } catch {
    return location
  }
}

/**
 * The request that follows a redirect, by the rules of fetch: 303 and a POST after 301 or 302 become a GET without a body.
 * To another origin no header goes that could say who we are. Null: `location` is no address.
 */
export function redirectedRequest(request: HopRequest, status: number, location: string): HopRequest | null {
  const target = URL.parse(location, request.url)
  if (target === null) return null
  const toGet = becomesGet(status, request.method)
  const sameOrigin = target.origin === new URL(request.url).origin
  const headers = Object.entries(request.headers).filter(
    ([name]) => (sameOrigin || NEUTRAL_HEADERS.has(name)) && !(toGet && BODY_HEADERS.has(name)),
  )
  return {
    url: target.href,
    method: toGet ? 'GET' : request.method,
    headers: Object.fromEntries(headers),
    body: toGet ? null : request.body,
  }
}

function becomesGet(status: number, method: string): boolean {
  if (status === 303) return method !== 'GET' && method !== 'HEAD'
  return (status === 301 || status === 302) && method === 'POST'
}
