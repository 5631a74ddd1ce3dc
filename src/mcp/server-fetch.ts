import type { Fetch } from '../domain/ports.ts'
import type { FetchLike } from '@modelcontextprotocol/client'
import { LIMITS } from '../domain/limits.ts'
import { maskedStream } from '../lib/masked-stream.ts'

/** An answer that went on for longer than it may. */
export class AnswerTooLong extends Error {
  override readonly name = 'AnswerTooLong'

  constructor(bytesMax: number) {
    super(`an answer of at most ${bytesMax} bytes was expected`)
  }
}

/** A `Fetch` whose answers end with `AnswerTooLong` behind `bytesMax` bytes of body. */
export function limitedFetch(fetch: Fetch, bytesMax: number): Fetch {
  return async (url, init) => {
    const response = await fetch(url, init)
    if (response.body === null) return response
    const body = response.body.pipeThrough(counter(bytesMax))
    return new Response(body, { status: response.status, statusText: response.statusText, headers: response.headers })
  }
}

function counter(bytesMax: number): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0
  return new TransformStream({
    transform: (chunk, controller) => {
      bytes += chunk.byteLength
      if (bytes > bytesMax) controller.error(new AnswerTooLong(bytesMax))
      else controller.enqueue(chunk)
    },
  })
}

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

/** Knows the token that is good by now. */
export interface TokenSource {
  /** Null: the one who asks has to get another. */
  readonly tokenInstead: (refused: string, signal: AbortSignal | undefined) => Promise<string | null>
}

/** For the requests of a connection. Those to the server have its headers, which no other origin may see. When the server refuses a token,
 *  one of all who have it refreshes it, and the others send their request again with the new one. */
export function serverFetch(
  fetch: Fetch,
  url: string,
  headersNow: () => Promise<Readonly<Record<string, string>>>,
  tokens: TokenSource | null,
): FetchLike {
  const limited = limitedFetch(fetch, LIMITS.mcp.answerBytesMax)
  const others = authorisationFetch(fetch)
  const { origin } = new URL(url)
  return async (address, init) => {
    if (new URL(address).origin !== origin) return others(address, init)
    const all = new Headers(init?.headers)
    const granted = bearerOf(all)
    const headers = await headersNow()
    for (const [name, value] of Object.entries(headers)) if (!all.has(name)) all.set(name, value)
    const response = await limited(String(address), { ...init, headers: all })
    const refused = response.status === 401 ? bearerOf(all) : null
    const token = refused === null ? null : await tokens?.tokenInstead(refused, init?.signal ?? undefined)
    if (!token) return withoutToken(response, granted)
    await response.body?.cancel()
    all.set('authorization', `Bearer ${token}`)
    return withoutToken(await limited(String(address), { ...init, headers: all }), token)
  }
}

/** An answer without the token of a grant that it was asked with; what headers of the server say is masked in what is read of it. */
function withoutToken(response: Response, token: string | null): Response {
  const { body, status, statusText } = response
  if (token === null || body === null) return response
  const headers = new Headers(response.headers)
  headers.delete('content-length')
  return new Response(maskedStream(body, token), { status, statusText, headers })
}

function bearerOf(headers: Headers): string | null {
  return /^Bearer (.+)$/i.exec(headers.get('authorization') ?? '')?.[1] ?? null
}

/** A server wants to be authorised by a human, at this address. */
export class AuthorisationWanted extends Error {
  override readonly name = 'AuthorisationWanted'
  readonly url: string

  constructor(url: string) {
    super('the server wants to be authorised')
    this.url = url
  }
}

/** The authorisation server cannot be trusted, or said no. */
export class AuthorisationFailed extends Error {
  override readonly name = 'AuthorisationFailed'
}
