import type { Context } from 'hono'
import * as z from 'zod'
import { invalid } from '../domain/errors.ts'
import { LIMITS } from '../domain/limits.ts'
import { preferenceKey, preferenceValue } from '../domain/memory.ts'
import type { MemoryApi } from '../objects/api.ts'
import { memoryObject } from '../objects/env.ts'
import { issuesOf } from '../lib/zod.ts'
import { auditNote } from './middleware/audited.ts'
import { needs } from './middleware/auth.ts'
import { body, query } from './middleware/body.ts'
import { factory, type AppEnv } from './context.ts'
import { rowCursor } from './cursors.ts'
import { describe, listOf } from './openapi/describe.ts'
import { list } from './list.ts'
import { problem } from './problem.ts'
import { limit } from './queries.ts'

const { nameCharsMax } = LIMITS.text
const USER = `1–${nameCharsMax} characters`
const path = z.object({
  user: z.string().min(1, USER).max(nameCharsMax, USER),
  key: preferenceKey.optional(),
})

const preferenceListQuery = z.strictObject({ limit, cursor: rowCursor })
const memoryListQuery = z.strictObject({
  limit,
  cursor: rowCursor,
  q: z.string().max(LIMITS.memory.queryCharsMax).optional(),
})
const newPreference = z.strictObject({ value: preferenceValue })

/** Names of users and keys that nobody can have are refused here, without waking an object. */
const named = factory.createMiddleware(async (c, next) => {
  const parsed = path.safeParse({ user: c.req.param('user'), key: c.req.param('key') })
  return parsed.success
    ? next()
    : problem(c, invalid(issuesOf(parsed.error), 'The path does not fit; see errors.').error)
})

/** The memory of the user that the path names. */
function memoryOf(c: Context<AppEnv>): MemoryApi {
  return memoryObject(c.env, c.get('principal').tenant, c.req.param('user') ?? '')
}

const keyOf = (c: Context<AppEnv>) => preferenceKey.parse(c.req.param('key'))

/** What is remembered of a user: shown, changed and forgotten. */
export const memory = factory
  .createApp()
  .use('/:user/memory/preferences/:key', named)
  .use('/:user/memory/*', named)
  .use('/:user/memory', named)

  .get(
    '/:user/memory/preferences',
    describe({
      summary: 'List what a user prefers, newest first',
      returns: listOf('Preference'),
      query: preferenceListQuery,
    }),
    needs('read'),
    query(preferenceListQuery),
    async (c) => {
      const { data, nextCursor } = await memoryOf(c).preferences(c.req.valid('query'))
      return list(c, data, nextCursor)
    },
  )

  .get(
    '/:user/memory/preferences/:key',
    describe({ summary: 'Read a preference', returns: 'Preference' }),
    needs('read'),
    async (c) => {
      const found = await memoryOf(c).preference(keyOf(c))
      return found ? c.json(found) : problem(c, { code: 'not_found', what: 'preference' })
    },
  )

  .put(
    '/:user/memory/preferences/:key',
    describe({
      summary: 'Set a preference',
      returns: 'Preference',
      audit: { action: 'memory.set_preference' },
      body: newPreference,
    }),
    needs('run'),
    body(newPreference),
    async (c) => {
      auditNote(c, { key: keyOf(c) })
      const given = { key: keyOf(c), value: c.req.valid('json').value }
      await memoryOf(c).put(c.req.param('user'), given)
      return c.json(given)
    },
  )

  .delete(
    '/:user/memory/preferences/:key',
    describe({ summary: 'Forget a preference', audit: { action: 'memory.delete_preference' } }),
    needs('run'),
    async (c) => {
      auditNote(c, { key: keyOf(c) })
      const removed = await memoryOf(c).remove(keyOf(c))
      return removed ? c.body(null, 204) : problem(c, { code: 'not_found', what: 'preference' })
    },
  )

  .get(
    '/:user/memory/conversations',
    describe({
      summary: 'List or search what was said with a user, newest first',
      returns: listOf('Round'),
      query: memoryListQuery,
    }),
    needs('read'),
    query(memoryListQuery),
    async (c) => {
      const { data, nextCursor } = await memoryOf(c).rounds(c.req.valid('query'))
      return list(c, data, nextCursor)
    },
  )

  .get(
    '/:user/memory/tasks',
    describe({
      summary: 'List or search the tasks of a user, newest first',
      returns: listOf('RememberedTask'),
      query: memoryListQuery,
    }),
    needs('read'),
    query(memoryListQuery),
    async (c) => {
      const { data, nextCursor } = await memoryOf(c).tasks(c.req.valid('query'))
      return list(c, data, nextCursor)
    },
  )

  .delete(
    '/:user/memory',
    describe({ summary: 'Forget all that is remembered of a user', audit: { action: 'memory.delete' } }),
    needs('run'),
    async (c) => {
      await memoryOf(c).clear()
      return c.body(null, 204)
    },
  )
