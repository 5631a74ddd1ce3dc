import type { Context } from 'hono'
import type { RateStand } from '../../domain/access.ts'
import { type AppError, STATUS } from '../../domain/errors.ts'
import { LIMITS } from '../../domain/limits.ts'
import { offeredKey } from '../../domain/socket.ts'
import { memberOf } from '../../lib/json.ts'
import { admit, type Shown, unconfigured, unserved } from '../../service/admit.ts'
import { overRate } from '../../service/limits.ts'
import type { Sender } from '../../service/sender.ts'
import { serviceOf } from '../caller.ts'
import { factory, problem, type AppEnv } from '../context.ts'
import { asksFor } from '../negotiate.ts'
import { isBrought, isForAll, isOfConsole } from '../../domain/open-paths.ts'

/** Lets in whom the service admits. */
export const authenticated = factory.createMiddleware(async (c, next) => {
  const admitted = await admit(serviceOf(c), shownBy(c), c.get('requestId'))
  if (!admitted.ok) return problem(c, admitted.error)
  const { principal, rate } = admitted.value
  c.set('principal', principal)
  if (rate) setRateHeaders(c, rate)
  const over = overRate(rate)
  return over ? problem(c, over) : next()
})

/** By a name that is not ours, and where nobody can get in, nothing is served but word that the server is up, what others bring on purpose, and the
 *  console with its files, also as the page of a link, under the status of the refusal: whoever opens it reads what to do. */
export const servedToSome = factory.createMiddleware(async (c, next) => {
  const refused = refusalFor(c)
  if (!refused) return next()
  if (!opensConsole(c)) return problem(c, refused)
  // The page is as it always is, but for its status, which nobody is to keep.
  const asked = new Headers(c.req.raw.headers)
  asked.delete('if-none-match')
  c.req.raw = new Request(c.req.raw, { headers: asked })
  await next()
  if (c.res.status !== 200) return undefined
  const headers = new Headers(c.res.headers)
  headers.delete('etag')
  headers.set('cache-control', 'no-store')
  const page = new Response(c.res.body, { status: STATUS[refused.code], headers })
  // What is set over another answer would take its headers, too.
  c.res = undefined
  c.res = page
  return undefined
})

/** Whether the console is what is asked for: by its own path whatever the form, by that of a link with a browser. */
function opensConsole(c: Context<AppEnv>): boolean {
  const { path, method } = c.req
  if (!isOfConsole(path) || (method !== 'GET' && method !== 'HEAD')) return false
  return path === '/' || asksFor(c, 'text/html')
}

function refusalFor(c: Context<AppEnv>): AppError | null {
  const { path } = c.req
  if (isForAll(path)) return null
  return isBrought(path) ? unconfigured(serviceOf(c)) : unserved(serviceOf(c), senderOf(c))
}

/** What the one who asks shows to be let in. */
export function shownBy(c: Context<AppEnv>): Shown {
  return {
    key: /^(?:Bearer|YAA-API-KEY)\s+(\S+)\s*$/i.exec(credential(c, 'authorization') ?? '')?.[1] ?? protocolKey(c),
    assertion: credential(c, 'cf-access-jwt-assertion'),
    sender: senderOf(c),
    address: () => addressOf(c),
  }
}

/** A page cannot give a WebSocket a header: its key comes among the protocols that it offers. */
function protocolKey(c: Context<AppEnv>): string | null {
  const isUpgrade = c.req.header('upgrade')?.toLowerCase() === 'websocket'
  return isUpgrade ? offeredKey(credential(c, 'sec-websocket-protocol')) : null
}

function senderOf(c: Context<AppEnv>): Sender {
  return {
    url: c.req.url,
    host: c.req.header('host'),
    origin: c.req.header('origin'),
    site: c.req.header('sec-fetch-site'),
  }
}

/** Cloudflare says where a request came from, and lets nobody else say it; on a machine of one's own workerd does, with the port. */
function addressOf(c: Context<AppEnv>): string | null {
  if (!serviceOf(c).isLocal) return c.req.header('cf-connecting-ip') ?? null
  const peer = memberOf(c.req.raw.cf, 'clientIp')
  return typeof peer === 'string' ? peer.replace(/:\d+$/, '').replaceAll(/[[\]]/g, '') : null
}

function credential(c: Context<AppEnv>, name: string): string | null {
  const text = c.req.header(name) ?? ''
  return text === '' || text.length > LIMITS.access.credentialCharsMax ? null : text
}

/** Source: draft-ietf-httpapi-ratelimit-headers-10. */
function setRateHeaders(c: Context<AppEnv>, { max, remaining, resetMs }: RateStand): void {
  c.header('ratelimit-policy', `"requests";q=${max};w=60`)
  c.header('ratelimit', `"requests";r=${remaining};t=${Math.ceil(resetMs / 1_000)}`)
}
