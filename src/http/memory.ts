import type { Context } from 'hono'
import * as z from 'zod'
import { fail, invalid, ok } from '../domain/errors.ts'
import { LIMITS } from '../domain/limits.ts'
import { preferenceKey, preferenceValue } from '../domain/memory.ts'
import { memoryObject } from '../objects/env.ts'
import { issuesOf } from '../lib/zod.ts'
import { type Call, json, list, nothing, query, route } from './route.ts'
import { type AppEnv, factory } from './context.ts'
import { listOf } from './openapi/describe.ts'
import { limit, rowCursor } from './queries.ts'

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

/** Names of users and keys that nobody can have are refused without waking an object. */
export function refuseUser(c: Context<AppEnv>) {
  const parsed = path.safeParse({ user: c.req.param('user'), key: c.req.param('key') })
  return parsed.success ? null : invalid(issuesOf(parsed.error), 'The path does not fit; see errors.').error
}

const UNKNOWN = fail({ code: 'not_found', what: 'preference' })

/** The memory of the user that the path names. */
const memoryOf = ({ c, tenant, param }: Call<unknown>) => memoryObject(c.env, tenant, param('user'))
const keyOf = ({ param }: Call<unknown>) => preferenceKey.parse(param('key'))

/** What is remembered of a user: shown, changed and forgotten. */
export const memoryRoutes = factory
  .createApp()

  .get(
    '/:user/memory/preferences',
    route(
      {
        summary: 'List what a user prefers, newest first',
        scope: 'read',
        refuse: refuseUser,
        reads: query(preferenceListQuery),
        returns: listOf('Preference'),
      },
      async (call) => {
        const { data, nextCursor } = await memoryOf(call).preferences(call.input)
        return ok(list(data, nextCursor))
      },
    ),
  )

  .get(
    '/:user/memory/preferences/:key',
    route(
      { summary: 'Read a preference', scope: 'read', refuse: refuseUser, reads: nothing, returns: 'Preference' },
      async (call) => {
        const found = await memoryOf(call).preference(keyOf(call))
        return found ? ok({ body: found }) : UNKNOWN
      },
    ),
  )

  .put(
    '/:user/memory/preferences/:key',
    route(
      {
        summary: 'Set a preference',
        scope: 'run',
        refuse: refuseUser,
        reads: json(newPreference),
        returns: 'Preference',
        audit: { action: 'memory.set_preference' },
      },
      async (call) => {
        const given = { key: keyOf(call), value: call.input.value }
        call.note({ key: given.key })
        await memoryOf(call).put(call.param('user'), given)
        return ok({ body: given })
      },
    ),
  )

  .delete(
    '/:user/memory/preferences/:key',
    route(
      {
        summary: 'Forget a preference',
        scope: 'run',
        refuse: refuseUser,
        reads: nothing,
        audit: { action: 'memory.delete_preference' },
      },
      async (call) => {
        call.note({ key: keyOf(call) })
        return (await memoryOf(call).remove(keyOf(call))) ? ok({}) : UNKNOWN
      },
    ),
  )

  .get(
    '/:user/memory/conversations',
    route(
      {
        summary: 'List or search what was said with a user, newest first',
        scope: 'read',
        refuse: refuseUser,
        reads: query(memoryListQuery),
        returns: listOf('Round'),
      },
      async (call) => {
        const { data, nextCursor } = await memoryOf(call).rounds(call.input)
        return ok(list(data, nextCursor))
      },
    ),
  )

  .get(
    '/:user/memory/tasks',
    route(
      {
        summary: 'List or search the tasks of a user, newest first',
        scope: 'read',
        refuse: refuseUser,
        reads: query(memoryListQuery),
        returns: listOf('RememberedTask'),
      },
      async (call) => {
        const { data, nextCursor } = await memoryOf(call).tasks(call.input)
        return ok(list(data, nextCursor))
      },
    ),
  )

  .delete(
    '/:user/memory',
    route(
      {
        summary: 'Forget all that is remembered of a user',
        scope: 'run',
        refuse: refuseUser,
        reads: nothing,
        audit: { action: 'memory.delete' },
      },
      async (call) => {
        await memoryOf(call).clear()
        return ok({})
      },
    ),
  )
