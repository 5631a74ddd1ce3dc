import type { FetchLike } from '@modelcontextprotocol/client'
import { LIMITS } from '../domain/limits.ts'
import type { Fetch } from '../domain/ports.ts'
import { limitedFetch } from './limited-fetch.ts'

/** For requests to authorisation servers: short answers, in short time. */
export function authorisationFetch(fetch: Fetch): FetchLike {
  const limited = limitedFetch(fetch, LIMITS.mcp.authorisationBytesMax)
  return (url, init) => {
    const limit = AbortSignal.timeout(LIMITS.mcp.authorisationMs)
    const signal = init?.signal ? AbortSignal.any([init.signal, limit]) : limit
    // What is posted is secret, and goes where it was meant to go.
    return limited(String(url), { ...init, signal, ...(init?.method === 'POST' ? { redirect: 'manual' } : {}) })
  }
}

/** For the requests of a connection: those to the server have its headers, which no other origin may see. */
export function serverFetch(fetch: Fetch, url: string, headers: Readonly<Record<string, string>>): FetchLike {
  const limited = limitedFetch(fetch, LIMITS.mcp.answerBytesMax)
  const others = authorisationFetch(fetch)
  const { origin } = new URL(url)
  return (address, init) => {
    if (new URL(address).origin !== origin) return others(address, init)
    const all = new Headers(init?.headers)
    for (const [name, value] of Object.entries(headers)) if (!all.has(name)) all.set(name, value)
    return limited(String(address), { ...init, headers: all })
  }
}
