import type { Context } from 'hono'
import * as z from 'zod'
import { ok, type Result } from '../domain/errors.ts'
import { LIMITS } from '../domain/limits.ts'
import { PENDING_TYPES } from '../domain/pending.ts'
import type { CancelledSession, SessionSummary } from '../domain/session.ts'
import { isId } from '../lib/id.ts'
import { directoryObject, sessionObject } from '../objects/env.ts'
import { factory, type AppEnv } from './context.ts'
import { listOf } from './openapi/describe.ts'
import { ageMs, idCursor, limit, type sessionListQuery } from './queries.ts'
import { type Answer, type Call, json, lastId, list, ordered, page, query, route } from './route.ts'
import { TenantLists } from '../objects/tenant-lists.ts'

/** What all sessions of a tenant wait for, and what is done to many of them at once. */

const user = z.string().max(LIMITS.text.nameCharsMax).optional()

const pendingQuery = z.strictObject({
  limit,
  cursor: idCursor('pnd'),
  user,
  type: z.enum(PENDING_TYPES).optional(),
  min_age_ms: ageMs,
})

const since = (minAgeMs: number) => new Date(Date.now() - minAgeMs).toISOString()

export const pendingRoutes = factory.createApp().get(
  '/',
  route(
    {
      summary: 'What waits for a human in all sessions, newest first',
      id: 'listPending',
      scope: 'read',
      reads: query(pendingQuery),
      returns: listOf('ListedPending'),
    },
    async ({ c, tenant, input: { min_age_ms: minAgeMs, limit: max, ...filter } }) => {
      const age = minAgeMs === undefined ? {} : { since: since(minAgeMs) }
      return ok(page(await new TenantLists(c.env, tenant).waiting({ ...filter, ...age, limit: max + 1 }), max, lastId))
    },
  ),
)

const sessionId = z.string().refine((text) => isId('ses', text), 'the id of a session')

/** Sessions by their ids, or those that a filter finds, the newest first. */
const cancelInput = z
  .strictObject({
    ids: z.array(sessionId).min(1).max(LIMITS.sweep.cancelMax).optional(),
    filter: z
      .strictObject({
        status: z.enum(['in_progress', 'interrupted']).default('in_progress'),
        user,
        stuck: z.literal(true).optional(),
        min_age_ms: z.int().min(0).max(Number.MAX_SAFE_INTEGER).optional(),
      })
      .optional(),
  })
  .refine(({ ids, filter }) => (ids === undefined) !== (filter === undefined), 'either ids or filter')

export const bulkRoutes = factory
  .createApp()

  .post(
    '/cancel',
    route(
      {
        summary: 'Cancel the runs of many sessions',
        id: 'cancelSessions',
        scope: 'run',
        audit: { action: 'session.cancel' },
        reads: json(cancelInput),
        returns: listOf('CancelledSession'),
      },
      async (call) => {
        const ids = await chosen(call)
        const data: CancelledSession[] = []
        for (let at = 0; at < ids.length; at += LIMITS.sweep.cancelBatchMax) {
          const batch = ids.slice(at, at + LIMITS.sweep.cancelBatchMax)
          data.push(...(await Promise.all(batch.map((id) => cancelled(call.c, id)))))
        }
        return ok({ body: { object: 'list', data, next_cursor: null } })
      },
    ),
  )

  // No other method takes it for the id of a session.
  .all('/cancel', (c) => c.notFound())

/** The sessions that are to be cancelled: of a filter the newest, as many as one call takes. */
async function chosen({ c, tenant, input }: Call<z.output<typeof cancelInput>>): Promise<string[]> {
  const { ids, filter } = input
  if (filter === undefined) return [...new Set(ids)]
  const { stuck, min_age_ms: minAgeMs, ...wanted } = filter
  const age = stuck || minAgeMs !== undefined ? { quietSince: since(minAgeMs ?? LIMITS.sweep.stuckMs) } : {}
  const { data } = await new TenantLists(c.env, tenant).list({ ...wanted, ...age, limit: LIMITS.sweep.cancelMax })
  return (stuck ? await stuckAmong(c, tenant, data, minAgeMs) : data).map(({ id }) => id)
}

async function cancelled(c: Context<AppEnv>, id: string): Promise<CancelledSession> {
  const done = await ordered(c, {
    type: 'cancel',
    sessionId: id,
    idempotency: null,
    read: async () => ok({ type: 'cancel' }),
    form: 'wait',
    status: { good: 200, begun: 202 },
  })
  if (!done.ok) return { id, status: null, error: done.error.code }
  const { answer } = done.value
  return { id, status: 'form' in answer && answer.form === 'wait' ? answer.response.status : null, error: null }
}

/** A page of the sessions that are in progress and gave no sign for some time. */
export async function listStuck({
  c,
  tenant,
  input,
}: Call<z.output<typeof sessionListQuery>>): Promise<Result<Answer>> {
  const { min_age_ms: minAgeMs = LIMITS.sweep.stuckMs, stuck: _, status: _status, pinned, ...filter } = input
  const found = await new TenantLists(c.env, tenant).list({
    ...filter,
    isPinned: pinned === 'true',
    quietSince: since(minAgeMs),
  })
  return ok(list(await stuckAmong(c, tenant, found.data, minAgeMs), found.nextCursor))
}

/** Those that are stuck as they say themselves: the directory knows only what they told when they last rested or began. */
async function stuckAmong(
  c: Context<AppEnv>,
  tenant: string,
  known: readonly SessionSummary[],
  minAgeMs: number = LIMITS.sweep.stuckMs,
): Promise<SessionSummary[]> {
  const leases = await directoryObject(c.env, tenant).leases(known.map(({ id }) => id))
  const asked = await Promise.all(
    known.map(async (one) => {
      const head = await sessionObject(c.env, tenant, one.id).head()
      if (!head.ok || head.value.status !== 'in_progress') return []
      const age = Date.now() - Date.parse(head.value.updated_time)
      if (age < minAgeMs) return []
      const until = leases[one.id]
      const lease = until === undefined ? null : new Date(until).toISOString()
      return [{ ...one, stuck: { last_sign_time: head.value.updated_time, age_ms: age, lease_expires_time: lease } }]
    }),
  )
  return asked.flat()
}
