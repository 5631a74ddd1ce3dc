import type { OAuthClient } from '../domain/connection.ts'
import { LIMITS } from '../domain/limits.ts'
import { toBase64 } from '../lib/base64.ts'
import { isObject, parseJson } from '../lib/json.ts'
import type { GuardedFetch } from '../net/outcome.ts'

/** What an authorization server gives. */
export interface GivenTokens {
  access: string
  /** Null: none was given. */
  refresh: string | null
  /** Unix ms; null: not known. */
  until: number | null
}

/** `gone`: what was shown counts no more. `failed`: no answer that can be used; `detail` has no word of a secret. */
export type Granted = { ok: true; tokens: GivenTokens } | { ok: false; code: 'gone' | 'failed'; detail: string }

export interface OAuthPorts {
  fetch: GuardedFetch
  /** Unix ms. */
  now: () => number
}

/** A client, and its secret; null: it has none (RFC 6749 §2.1, "public"). */
export interface KnownClient {
  client: OAuthClient
  secret: string | null
}

const base64Url = (bytes: Uint8Array) => toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')

/** A verifier and its challenge (RFC 7636, S256). */
export async function newProof(): Promise<{ verifier: string; challenge: string }> {
  const verifier = base64Url(crypto.getRandomValues(new Uint8Array(32)))
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
  return { verifier, challenge: base64Url(new Uint8Array(digest)) }
}

/** Where somebody grants access (RFC 6749 §4.1.1). */
export function authorizeAddress(
  { authorizeUrl, clientId, scopes, parameters = {} }: OAuthClient,
  { redirect, state, challenge }: { redirect: string; state: string; challenge: string },
): string {
  const url = new URL(authorizeUrl ?? '')
  const asked = {
    ...parameters,
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirect,
    ...(scopes.length > 0 ? { scope: scopes.join(' ') } : {}),
    state,
    code_challenge: challenge,
    code_challenge_method: 'S256',
  }
  for (const [name, value] of Object.entries(asked)) url.searchParams.set(name, value)
  return url.href
}

/** GivenTokens for a code that somebody brought back (RFC 6749 §4.1.3). */
export function tokensOfCode(
  known: KnownClient,
  { code, verifier, redirect }: { code: string; verifier: string; redirect: string },
  ports: OAuthPorts,
): Promise<Granted> {
  const fields = { grant_type: 'authorization_code', code, redirect_uri: redirect, code_verifier: verifier }
  return tokensFor(known, fields, ports)
}

/** GivenTokens of the client itself (§4.4). */
export function tokensOfClient(known: KnownClient, ports: OAuthPorts): Promise<Granted> {
  const { scopes, parameters = {} } = known.client
  const scope = scopes.length > 0 ? { scope: scopes.join(' ') } : {}
  return tokensFor(known, { ...parameters, grant_type: 'client_credentials', ...scope }, ports)
}

/** New tokens in the place of those that end (§6). A refresh token that is not given anew stays. */
export async function tokensAnew(known: KnownClient, refresh: string, ports: OAuthPorts): Promise<Granted> {
  const granted = await tokensFor(known, { grant_type: 'refresh_token', refresh_token: refresh }, ports)
  return granted.ok ? { ok: true, tokens: { ...granted.tokens, refresh: granted.tokens.refresh ?? refresh } } : granted
}

/** Say that a token is used no more (RFC 7009). Whether that was heard is not known. */
export async function revokeToken(known: KnownClient, token: string, ports: OAuthPorts): Promise<void> {
  const { revokeUrl } = known.client
  if (revokeUrl !== undefined) await post(revokeUrl, known, { token }, ports)
}

async function tokensFor(known: KnownClient, fields: Record<string, string>, ports: OAuthPorts): Promise<Granted> {
  const begun = ports.now()
  const answered = await post(known.client.tokenUrl, known, fields, ports)
  if (!answered.ok) return { ok: false, code: 'failed', detail: answered.code }
  const { status, bytes } = answered.response
  const given = parseJson(new TextDecoder().decode(bytes))
  if (!isObject(given)) return { ok: false, code: 'failed', detail: `status ${status}` }
  const { access_token: access, refresh_token: refresh, expires_in: seconds, error } = given
  if (typeof error === 'string' || status >= 400)
    return { ok: false, code: isGone(error, status) ? 'gone' : 'failed', detail: codeOf(error) ?? `status ${status}` }
  if (typeof access !== 'string' || !isSendable(access) || !isBearer(given['token_type']))
    return { ok: false, code: 'failed', detail: 'no bearer token' }
  // Some write the number as text.
  const last = Number(seconds ?? NaN)
  return {
    ok: true,
    tokens: {
      access,
      refresh: typeof refresh === 'string' && refresh !== '' ? refresh : null,
      until: Number.isFinite(last) ? begun + last * 1_000 : null,
    },
  }
}

/** What is posted is secret, and goes where it was meant to go: no redirect is followed. */
function post(url: string, { client, secret }: KnownClient, fields: Record<string, string>, { fetch }: OAuthPorts) {
  const isInHeader = secret !== null && client.auth !== 'body'
  const own = isInHeader ? {} : { client_id: client.clientId, ...(secret === null ? {} : { client_secret: secret }) }
  const spelled = [client.clientId, secret ?? ''].map(formSpelling).join(':')
  return fetch(url, {
    method: 'POST',
    headers: {
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded',
      ...(isInHeader ? { authorization: `Basic ${toBase64(new TextEncoder().encode(spelled))}` } : {}),
    },
    body: new URLSearchParams({ ...fields, ...own }).toString(),
    maxRedirects: 0,
    timeoutMs: LIMITS.mcp.authorisationMs,
    bodyBytesMax: LIMITS.mcp.authorisationBytesMax,
  })
}

/** Source: RFC 6749 §2.3.1 and appendix B. */
const formSpelling = (text: string) => new URLSearchParams({ '': text }).toString().slice(1)

const isBearer = (type: unknown) => type === undefined || (typeof type === 'string' && /^bearer$/i.test(type))
const isSendable = (token: string) => /^[\x21-\x7e]+$/.test(token) && token.length <= LIMITS.request.secretCharsMax
const isGone = (error: unknown, status: number) =>
  status < 500 && (error === 'invalid_grant' || error === 'bad_refresh_token')
/** Of the server's words its code alone, which is one of the standard's. */
const codeOf = (error: unknown) => (typeof error === 'string' && /^[a-z_]{1,60}$/.test(error) ? error : null)
