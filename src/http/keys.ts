import type { Context } from 'hono'
import * as z from 'zod'
import { newKeyText, prefixOfKey } from '../access/keys.ts'
import { type KeyInfo, type KeyLimits, keyPatch, type MadeKey, type NewKey, newKey } from '../domain/access.ts'
import { type AppError, invalid } from '../domain/errors.ts'
import { LIMITS } from '../domain/limits.ts'
import { sha256Hex } from '../lib/hash.ts'
import { newId } from '../lib/id.ts'
import { directoryObject } from '../objects/env.ts'
import { needs } from './middleware/auth.ts'
import { body, query } from './middleware/body.ts'
import { type AppEnv, factory } from './context.ts'
import { idCursor } from './cursors.ts'
import { describe, listOf } from './openapi/describe.ts'
import { answeredOnce, doneWith } from './middleware/idempotency.ts'
import { list } from './list.ts'
import { problem } from './problem.ts'
import { limit } from './queries.ts'

const keyListQuery = z.strictObject({ limit, cursor: idCursor('key') })

/** The keys that a tenant makes for itself. */
export const keys = factory
  .createApp()

  .get(
    '/',
    describe({ summary: 'Keys of the tenant, newest first', returns: listOf('Key'), query: keyListQuery }),
    needs('admin'),
    query(keyListQuery),
    async (c) => {
      const { limit: max, cursor } = c.req.valid('query')
      const found = await directory(c).apiKeys(cursor, max + 1)
      const page = found.slice(0, max)
      const data = page.map((key) => shownKey(key, tenantOf(c)))
      return list(c, data, found.length > max ? (page.at(-1)?.id ?? null) : null)
    },
  )

  .post(
    '/',
    describe({
      summary: 'Make a key; its text is in this answer and never again',
      returns: 'MadeKey',
      status: [201],
      errors: ['too_many'],
      body: newKey,
      audit: { action: 'key.create' },
    }),
    needs('admin'),
    answeredOnce,
    body(newKey),
    async (c) => {
      const input = c.req.valid('json')
      const refused = refusalOf(c, input)
      if (refused) return problem(c, refused)
      const text = newKeyText(tenantOf(c))
      const key = keyFrom(input, text)
      const location = `/v1/keys/${key.id}`
      const shown = shownKey(key, tenantOf(c), key.limits)
      const done = doneWith(c, { body: shown, location })
      const kept = await directory(c).putKey(key, await sha256Hex(text), done)
      if (kept === 'too_many') return problem(c, { code: 'too_many', what: 'keys', max: LIMITS.access.keysMax })
      c.header('location', location)
      c.header('cache-control', 'no-store')
      return c.json({ ...shown, key: text }, 201)
    },
  )

  .get(
    '/:id',
    describe({ summary: 'A key, and what is left of its limits', returns: 'Key' }),
    needs('admin'),
    async (c) => {
      const found = await directory(c).apiKey(c.req.param('id'))
      return found ? c.json(shownKey(found.key, tenantOf(c), found.remaining)) : problem(c, UNKNOWN)
    },
  )

  .patch(
    '/:id',
    describe({
      summary: 'Change name, expiry or limits of a key',
      returns: 'Key',
      body: keyPatch,
      audit: { action: 'key.update', fields: true },
    }),
    needs('admin'),
    body(keyPatch),
    async (c) => {
      const patch = c.req.valid('json')
      const refused = pastExpiry(patch.expires_time)
      if (refused) return problem(c, refused)
      const changed = await directory(c).patchKey(c.req.param('id'), patch)
      return changed ? c.json(shownKey(changed, tenantOf(c))) : problem(c, UNKNOWN)
    },
  )

  .delete(
    '/:id',
    describe({ summary: 'Revoke a key; it lets nobody in from now on', audit: { action: 'key.delete' } }),
    needs('admin'),
    async (c) => ((await directory(c).revokeKey(c.req.param('id'))) ? c.body(null, 204) : problem(c, UNKNOWN)),
  )

const UNKNOWN: AppError = { code: 'not_found', what: 'key' }

const tenantOf = (c: Context<AppEnv>): string => c.get('principal').tenant
const directory = (c: Context<AppEnv>) => directoryObject(c.env, tenantOf(c))

/** An admin makes keys for its own tenant only, and none that is over already. */
function refusalOf(c: Context<AppEnv>, { tenant, expires_time: expiry }: NewKey): AppError | null {
  if (tenant !== undefined && tenant !== tenantOf(c))
    return { code: 'forbidden', detail: 'Keys are made for the own tenant only.' }
  return pastExpiry(expiry)
}

function pastExpiry(expiry: string | null | undefined): AppError | null {
  if (typeof expiry !== 'string' || Date.parse(expiry) > Date.now()) return null
  return invalid([{ path: 'expires_time', message: 'a time to come' }]).error
}

function keyFrom({ name, scopes, expires_time: expiry, limits = {} }: NewKey, text: string): MadeKey {
  const now = Date.now()
  return {
    id: newId('key', now),
    name,
    prefix: prefixOfKey(text),
    scopes,
    limits,
    createdTime: now,
    expiresTime: typeof expiry === 'string' ? Date.parse(expiry) : null,
    lastUsedTime: null,
  }
}

/** A key as it is shown: never its text. `remaining`: what is left of its limits. */
function shownKey(key: MadeKey, tenant: string, remaining?: KeyLimits): KeyInfo {
  return {
    id: key.id,
    object: 'key',
    name: key.name,
    prefix: key.prefix,
    tenant,
    scopes: [...key.scopes],
    limits: key.limits,
    ...(remaining ? { remaining } : {}),
    created_time: timeOf(key.createdTime),
    expires_time: timeOf(key.expiresTime),
    last_used_time: timeOf(key.lastUsedTime),
  }
}

function timeOf(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString()
}
