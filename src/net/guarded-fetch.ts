import { LIMITS } from '../domain/limits.ts'
import type { Fetch } from '../domain/ports.ts'
import { abortable, timeLimit } from '../lib/wait.ts'
import {
  AddressRefused,
  type GuardedFetch,
  type GuardedInit,
  type GuardedOutcome,
  type GuardedResponse,
  type NetFailure,
} from './outcome.ts'
import { discardBody, readBounded } from './read-body.ts'

export interface GuardPorts {
  publicFetch: Fetch
  /** The way to hosts of `allowPrivateHosts`; null: `publicFetch`. */
  privateFetch: Fetch | null
  /** Exact `host:port` of addresses that are reached although they are private. */
  allowPrivateHosts: readonly string[]
}

/** One request with all its redirects. */
interface Exchange {
  init: GuardedInit
  deadline: AbortSignal
  /** Aborts at the deadline and when the caller gives up. */
  signal: AbortSignal
  redirects: number
}

/** Make the guarded way out (see `GuardedFetch`). No byte of a refused address is fetched. */
export function createGuardedFetch(ports: GuardPorts): GuardedFetch {
  return async (url, init) => {
    const limit = timeLimit(init.timeoutMs)
    try {
      return await follow(ports, firstRequest(url, init), beginExchange(init, limit.signal))
    } finally {
      limit.end()
    }
  }
}

function beginExchange(init: GuardedInit, deadline: AbortSignal): Exchange {
  const signal = init.signal === undefined ? deadline : AbortSignal.any([init.signal, deadline])
  return { init, deadline, signal, redirects: 0 }
}

function firstRequest(url: string, init: GuardedInit): HopRequest {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(init.headers ?? {})) headers[name.toLowerCase()] = value
  return { url, method: (init.method ?? 'GET').toUpperCase(), headers, body: init.body ?? null }
}

async function follow(ports: GuardPorts, first: HopRequest, exchange: Exchange): Promise<GuardedOutcome> {
  const redirectsMax = exchange.init.maxRedirects ?? LIMITS.web.redirectsMax
  let request = first
  for (;;) {
    const sent = await send(ports, request, exchange)
    if (!sent.ok) return sent
    const location = redirectsMax === 0 ? null : redirectTarget(sent.response.status, sent.response.headers)
    if (location === null) return finish(sent.response, sent.url, exchange)
    discardBody(sent.response.body)
    const next = redirectedRequest({ ...request, url: sent.url }, sent.response.status, location)
    if (next === null) return failed({ code: 'bad_redirect', detail: 'location', redirects: exchange.redirects })
    if (exchange.redirects === redirectsMax) return tooManyRedirects(redirectsMax)
    const bar = exchange.init.barsRedirect?.(next.url) ?? null
    if (bar !== null) return failed({ code: bar, detail: 'location', redirects: exchange.redirects })
    exchange.redirects += 1
    request = next
  }
}

type Sent = { ok: true; response: Response; url: string } | ({ ok: false } & NetFailure)

const REPEATABLE: ReadonlySet<string> = new Set(['GET', 'HEAD'])

/** One hop. A server may close a kept connection just as it is used again. A request that is lost at once is therefore sent a second time,
 *  where that does no harm (RFC 9112 §9.3.1). */
async function send(ports: GuardPorts, request: HopRequest, exchange: Exchange): Promise<Sent> {
  if (!REPEATABLE.has(request.method)) return sendOnce(ports, request, exchange)
  const atOnce = timeLimit(LIMITS.web.lostAtOnceMs)
  const sent = await sendOnce(ports, request, exchange)
  const isLost = !sent.ok && sent.code === 'unreachable' && !atOnce.signal.aborted
  atOnce.end()
  return isLost ? sendOnce(ports, request, exchange) : sent
}

/** Check the address of one hop and fetch it up to its headers. */
async function sendOnce(ports: GuardPorts, request: HopRequest, exchange: Exchange): Promise<Sent> {
  const { method, headers, body } = request
  const init = { method, headers, body, redirect: 'manual' as const, signal: exchange.signal }
  try {
    const { url, way } = await wayTo(request.url, ports)
    const response = await abortable(way(url.href, init), exchange.signal)
    // A browser hides where a redirect leads.
    if (response.status === 0) {
      return failed({ code: 'bad_redirect', detail: 'opaque', redirects: exchange.redirects })
    }
    return { ok: true, response, url: url.href }
  } catch (error) {
    if (error instanceof AddressRefused) {
      return failed({ code: 'address_refused', detail: error.detail, redirects: exchange.redirects })
    }
    return failed(interruption(error, 'headers', exchange))
  }
}

/** How an address is reached. Rejects with `AddressRefused` where it may not be, and where the check cannot be loaded: then nothing is sent. */
async function wayTo(address: string, ports: GuardPorts): Promise<{ url: URL; way: Fetch }> {
  const { checkAddress } = await import('./address.ts')
  const checked = checkAddress(address, ports.allowPrivateHosts)
  if (!checked.ok) throw new AddressRefused(checked.detail)
  return { url: checked.url, way: checked.listed ? (ports.privateFetch ?? ports.publicFetch) : ports.publicFetch }
}

async function finish(response: Response, url: string, exchange: Exchange): Promise<GuardedOutcome> {
  const bodyBytesMax = exchange.init.bodyBytesMax ?? LIMITS.web.bodyBytesMax
  const { redirects } = exchange
  try {
    const { bytes, complete } = await readBounded(response.body, bodyBytesMax, exchange.signal)
    const whole: GuardedResponse = { status: response.status, headers: response.headers, url, bytes }
    if (complete) return { ok: true, response: whole }
    return failed({ code: 'too_large', detail: 'body', bodyBytesMax, partial: whole, redirects })
  } catch (error) {
    return failed(interruption(error, 'body', exchange))
  }
}

/** The class of a fetch or body that was cut: given up by the caller, out of time, or the network's doing. */
function interruption(error: unknown, detail: 'headers' | 'body', exchange: Exchange): NetFailure {
  const { redirects } = exchange
  if (exchange.init.signal?.aborted) return { code: 'cancelled', detail, redirects }
  if (exchange.deadline.aborted) return { code: 'timeout', detail, timeoutMs: exchange.init.timeoutMs, redirects }
  return { code: 'unreachable', detail: rawReason(error), redirects }
}

function rawReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message
}

function tooManyRedirects(redirectsMax: number): GuardedOutcome {
  return failed({ code: 'too_many_redirects', detail: 'redirects', redirectsMax, redirects: redirectsMax })
}

function failed<F extends NetFailure>(failure: F): { ok: false } & F {
  return { ok: false, ...failure }
}

/** What is sent, in the form that can be sent again. Header names are lower case. */
interface HopRequest {
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
function redirectTarget(status: number, headers: Headers): string | null {
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
function redirectedRequest(request: HopRequest, status: number, location: string): HopRequest | null {
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

/**
 * A `Fetch` for addresses that a client gave (models, MCP servers, callbacks): the same check as the guarded fetch, the
 * body left to stream, a redirect left as the answer that it is. Time and size are the caller's. Rejects with
 * `AddressRefused` before anything is sent, else as `fetch` does.
 */
export function createFetchLike(ports: GuardPorts): Fetch {
  return async (address, init) => {
    const { url, way } = await wayTo(address, ports)
    return way(url.href, { ...init, redirect: 'manual' })
  }
}

/** A `Fetch` that trusts the origin of one address: what a server at that address names, or sends to, goes through the guard or is left
 *  as the answer that it is. */
export function trustedAt(address: string, trusted: Fetch, guarded: Fetch): Fetch {
  const { origin } = new URL(address)
  return async (url, init) => {
    if (new URL(url).origin !== origin) return guarded(url, init)
    let here = url
    for (let redirects = 0; ; redirects++) {
      const response = await trusted(here, { ...init, redirect: 'manual' })
      const to = redirectTarget(response.status, response.headers)
      const target = to === null ? null : URL.parse(to, here)
      const isFollowed = target?.origin === origin && init?.redirect !== 'manual' && keepsForm(response.status, init)
      if (!isFollowed || redirects === LIMITS.web.redirectsMax) return response
      discardBody(response.body)
      here = target.href
    }
  }
}

function keepsForm(status: number, init: RequestInit | undefined): boolean {
  return !becomesGet(status, (init?.method ?? 'GET').toUpperCase())
}
