import type { Context } from 'hono'
import type { AppError } from '../domain/errors.ts'
import type { Scope, ServerConfig } from '../domain/server-config.ts'
import { sha256Hex } from '../lib/canonical-json.ts'
import type { Env } from '../objects/env.ts'
import { serverOf } from '../objects/engine.ts'
import { factory, type AppEnv, type Principal } from './context.ts'
import { problem } from './problem.ts'

const LOCAL: Principal = { kind: 'local', id: 'local', tenant: 'default', scopes: ['admin'] }
const LOOPBACK_NAMES: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

/** Lets in who shows a valid key; without any key configured, who speaks to a local server from this machine. */
export const authenticated = factory.createMiddleware(async (c, next) => {
  const found = await principalOf(c)
  if ('code' in found) return problem(c, found)
  c.set('principal', found)
  return next()
})

/** Asks for a scope; `admin` holds the others. */
export const needs = (scope: Scope) =>
  factory.createMiddleware(async (c, next) => {
    const { scopes } = c.get('principal')
    if (scopes.includes('admin') || scopes.includes(scope)) return next()
    return problem(c, { code: 'forbidden', detail: `This needs a key with scope ${scope}.` })
  })

async function principalOf(c: Context<AppEnv>): Promise<Principal | AppError> {
  const keys = keysOf(c.env, serverOf(c.env).config)
  if (keys.length === 0) return withoutKeys(c)
  const shown = /^(?:Bearer|YAA-API-KEY)\s+(\S+)\s*$/i.exec(c.req.header('authorization') ?? '')?.[1]
  if (shown === undefined) return { code: 'unauthorized' }
  const hash = await sha256Hex(shown)
  const matching = await Promise.all(keys.map(async (key) => ((await key.sha256) === hash ? key.principal : null)))
  return matching.find((principal) => principal !== null) ?? { code: 'unauthorized' }
}

interface KnownKey {
  sha256: string | Promise<string>
  principal: Principal
}

/** Keys are compared by their hashes, so that the time of a comparison tells nothing of a key. */
function keysOf(env: Env, config: ServerConfig): KnownKey[] {
  const fromConfig = (config.auth?.keys ?? []).map((key) => ({
    sha256: key.sha256.toLowerCase(),
    principal: { kind: 'key' as const, id: key.id, tenant: key.tenant ?? 'default', scopes: key.scopes },
  }))
  if (!env.YAA_API_KEY) return fromConfig
  return [
    {
      sha256: sha256Hex(env.YAA_API_KEY),
      principal: { kind: 'key', id: 'YAA_API_KEY', tenant: 'default', scopes: ['admin'] },
    },
    ...fromConfig,
  ]
}

/** No key is configured: a local server answers this machine alone, a deployed one nobody. */
function withoutKeys(c: Context<AppEnv>): Principal | AppError {
  if (c.env.YAA_LOCAL !== '1') return { code: 'not_configured' }
  const origin = c.req.header('origin')
  const isLocal =
    isLoopback(new URL(c.req.url).hostname) &&
    isLoopback(hostOf(c.req.header('host'))) &&
    (origin === undefined || isLoopback(hostOf(origin)))
  if (isLocal) return LOCAL
  return { code: 'forbidden', detail: 'Without a key only this machine is served: use localhost, or set YAA_API_KEY.' }
}

function isLoopback(hostname: string | null): boolean {
  return hostname !== null && (LOOPBACK_NAMES.has(hostname) || /^127(\.\d{1,3}){3}$/.test(hostname))
}

/** The host name of an origin or a Host header; null when it is neither. */
function hostOf(text: string | undefined): string | null {
  if (text === undefined) return null
  return URL.parse(text.includes('://') ? text : `http://${text}`)?.hostname ?? null
}
