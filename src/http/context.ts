import type { Context } from 'hono'
import { createFactory } from 'hono/factory'
import type { Scope } from '../domain/access.ts'
import { STATUS, type AppError } from '../domain/errors.ts'
import type { Link } from '../domain/link.ts'
import type { ServerConfig } from '../domain/server-config.ts'
import { tokenAccount } from '../domain/token-account.ts'
import type { Env } from '../objects/env.ts'
import type { Principal } from '../service/caller.ts'
import { type ErrorShape, errorWords, PROBLEM } from './openapi/error-shape.ts'

export interface AppEnv {
  Bindings: Env
  Variables: {
    requestId: string
    config: ServerConfig
    principal: Principal
    /** The signed link by which the caller came. */
    link?: Link
    /** The body, once it was read. */
    bodyBytes?: Uint8Array
    /** The session that a command is for. */
    session?: string
    /** The headers that the answer is known to depend on. */
    varies?: Set<string>
    /** How its door says an error; absent: as our own API does. */
    errors?: ErrorShape
    /** Why the call was refused, if it was. */
    refusal?: AppError
    /** What was refused for want of a scope where a server of a protocol answers, which does not know statuses of HTTP. */
    lacking?: AppError
  }
}

export const factory = createFactory<AppEnv>()

/** How to prove who one is, and what was wrong with the proof that came. Source: RFC 6750 §3; RFC 9110 §11.6.1 for deliveries. */
function challengeOf(c: Context<AppEnv>, error: AppError): string | null {
  if (error.code === 'bad_signature') return 'Webhook realm="yaa"'
  if (error.code === 'forbidden' && error.scope !== undefined)
    return `Bearer realm="yaa", error="insufficient_scope", scope="${scopeWord(c, error.scope)}"`
  if (error.code !== 'unauthorized') return null
  // Who tries another way in, such as Basic, has shown nothing that could be wrong.
  const isShown =
    /^(Bearer|YAA-API-KEY)\b/i.test(c.req.header('authorization') ?? '') ||
    c.req.header('cf-access-jwt-assertion') !== undefined
  return isShown
    ? 'Bearer realm="yaa", error="invalid_token", error_description="The key is unknown, revoked or expired"'
    : 'Bearer realm="yaa"'
}

/** A scope as the issuer of the caller's token calls it, so that a client can ask for it there. */
function scopeWord(c: Context<AppEnv>, scope: Scope): string {
  const { account = '' } = c.get('principal')
  const issuer = c.get('config').auth?.jwt?.find((one) => account.startsWith(tokenAccount(one.issuer, '')))
  const words = Object.entries(issuer?.scopes_map ?? {}).filter(([word, means]) => means === scope && TOKEN.test(word))
  return words[0]?.[0] ?? scope
}

/** A word that can stand in a challenge. Source: RFC 6749 §3.3. */
const TOKEN = /^[\x21\x23-\x5b\x5d-\x7e]+$/

/** Where a client learns who gives tokens for what it asked for. Source: RFC 9728 §5.1. */
function metadataOf(c: Context<AppEnv>): string {
  const path = c.get('errors')?.resourceMetadata
  const issuers = c.get('config').auth?.jwt ?? []
  return path === undefined || issuers.length === 0 ? '' : `, resource_metadata="${originOf(c)}${path}"`
}

/** Where this server is reached from outside. */
export function originOf(c: Context<AppEnv>): string {
  return c.get('config').public_url?.replace(/\/+$/, '') ?? new URL(c.req.url).origin
}

/** How soon the keys of an issuer may be there again. */
const ISSUER_RETRY_SECONDS = '5'

/** An error as the door of the request says it. */
export function problem(c: Context<AppEnv>, error: AppError): Response {
  if (error.code === 'method_not_allowed') c.header('allow', error.allow.join(', '))
  const challenge = challengeOf(c, error)
  if (challenge !== null) c.header('www-authenticate', `${challenge}${metadataOf(c)}`)
  if (error.code === 'unavailable') c.header('retry-after', '1')
  if (error.code === 'issuer_unavailable') c.header('retry-after', ISSUER_RETRY_SECONDS)
  if (error.code === 'rate_limited') c.header('retry-after', String(Math.ceil(error.retryAfterMs / 1_000)))
  if (error.code === 'upgrade_required') c.header('upgrade', 'websocket')
  c.set('refusal', error)
  const { contentType, bodyOf, headersOf, statusOf } = c.get('errors') ?? PROBLEM
  for (const [name, value] of Object.entries(headersOf?.(error) ?? {})) c.header(name, value)
  const status = statusOf?.(error) ?? STATUS[error.code]
  c.header('content-type', contentType)
  const about = { requestId: c.get('requestId'), status, words: errorWords(error) }
  return c.body(JSON.stringify(bodyOf(error, about)), status)
}
