import * as z from 'zod'
import { newKeyText, prefixOfKey } from '../access/marks.ts'
import { type KeyInfo, type KeyLimits, keyPatch, type MadeKey, type NewKey, newKey } from '../domain/access.ts'
import { type AppError, fail, invalid, ok } from '../domain/errors.ts'
import { LIMITS } from '../domain/limits.ts'
import { sha256Hex } from '../lib/hash.ts'
import { newId } from '../lib/id.ts'
import { directoryObject } from '../objects/env.ts'
import { shownBudgets } from './money.ts'
import { serviceOf } from './caller.ts'
import { factory } from './context.ts'
import { listOf } from './openapi/describe.ts'
import { idCursor, limit } from './queries.ts'
import { type Call, json, lastId, nothing, page, query, route } from './route.ts'

/** The keys that a tenant makes for itself. */
export const keyRoutes = factory
  .createApp()

  .get(
    '/',
    route(
      {
        summary: 'Keys of the tenant, newest first',
        scope: 'admin',
        reads: query(z.strictObject({ limit, cursor: idCursor('key') })),
        returns: listOf('Key'),
      },
      async (call) => {
        const { limit: max, cursor } = call.input
        const found = await directory(call).apiKeys(cursor, max + 1)
        return ok(page(found, max, lastId, (key) => shownKey(key, call.tenant)))
      },
    ),
  )

  .post(
    '/',
    route(
      {
        summary: 'Make a key; its text is in this answer and never again',
        scope: 'admin',
        reads: json(newKey),
        returns: 'MadeKey',
        status: [201],
        errors: ['too_many'],
        audit: { action: 'key.create' },
      },
      async (call) => {
        const { input, tenant } = call
        const refused = refusalOf(tenant, input)
        if (refused) return fail(refused)
        const text = await newKeyText(await serviceOf(call.c).secret(), tenant)
        const key = keyFrom(input, text)
        const made = { body: shownKey(key, tenant, key.limits), location: `/v1/keys/${key.id}`, status: 201 } as const
        const kept = await directory(call).putKey(key, await sha256Hex(text), call.done(made))
        if (kept === 'too_many') return fail({ code: 'too_many', what: 'keys', max: LIMITS.access.keysMax })
        return ok({ ...made, secret: { key: text } })
      },
    ),
  )

  .get(
    '/:id',
    route(
      { summary: 'A key, and what is left of its limits', scope: 'admin', reads: nothing, returns: 'Key' },
      async (call) => {
        const found = await directory(call).apiKey(call.param('id'))
        return found ? ok({ body: shownKey(found.key, call.tenant, found.remaining) }) : fail(UNKNOWN)
      },
    ),
  )

  .patch(
    '/:id',
    route(
      {
        summary: 'Change name, expiry or limits of a key',
        scope: 'admin',
        reads: json(keyPatch),
        returns: 'Key',
        audit: { action: 'key.update', fields: true },
      },
      async (call) => {
        const refused = pastExpiry(call.input.expires_time)
        if (refused) return fail(refused)
        const changed = await directory(call).patchKey(call.param('id'), call.input)
        return changed ? ok({ body: shownKey(changed, call.tenant) }) : fail(UNKNOWN)
      },
    ),
  )

  .delete(
    '/:id',
    route(
      {
        summary: 'Revoke a key; it lets nobody in from now on',
        scope: 'admin',
        reads: nothing,
        audit: { action: 'key.delete' },
      },
      async (call) => ((await directory(call).revokeKey(call.param('id'))) ? ok({}) : fail(UNKNOWN)),
    ),
  )

const UNKNOWN: AppError = { code: 'not_found', what: 'key' }

const directory = ({ c, tenant }: Call<unknown>) => directoryObject(c.env, tenant)

/** An admin makes keys for its own tenant only, and none that is over already. */
function refusalOf(own: string, { tenant, expires_time: expiry }: NewKey): AppError | null {
  if (tenant !== undefined && tenant !== own)
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
    limits: shownBudgets(key.limits),
    ...(remaining ? { remaining: shownBudgets(remaining) } : {}),
    created_time: timeOf(key.createdTime),
    expires_time: timeOf(key.expiresTime),
    last_used_time: timeOf(key.lastUsedTime),
  }
}

function timeOf(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString()
}
