import * as z from 'zod'
import { AUDIT_LIMITS } from '../domain/audit.ts'
import { ok } from '../domain/errors.ts'
import { textStream } from '../lib/streams.ts'
import type { AuditApi } from '../objects/api.ts'
import { auditObject, type Env } from '../objects/env.ts'
import type { AuditFilter } from '../store/audit.ts'
import { factory } from './context.ts'
import { listOf } from './openapi/describe.ts'
import { asksFor } from './negotiate.ts'
import { idCursor, limit, moment, seq } from './queries.ts'
import { lastId, page, query, route } from './route.ts'
import { TenantLists } from '../objects/tenant-lists.ts'

const auditQuery = z.strictObject({
  limit,
  cursor: idCursor('aud'),
  from: moment.optional(),
  to: moment.optional(),
  actor: z.string().max(AUDIT_LIMITS.targetCharsMax).optional(),
  action: z.string().max(AUDIT_LIMITS.fieldCharsMax).optional(),
  target: z.string().max(AUDIT_LIMITS.targetCharsMax).optional(),
})
const verifyQuery = z.strictObject({ cursor: seq.optional() })

/** Who did what. */
export const auditRoutes = factory
  .createApp()

  .get(
    '/',
    route(
      {
        summary: 'Who did what, newest first; all of it as JSON lines, oldest first',
        id: 'listAudit',
        scope: 'admin',
        reads: query(auditQuery),
        returns: listOf('AuditEntry'),
        answers: 'audit',
      },
      async ({ c, tenant, input }) => {
        const { limit: max, cursor = null, ...filter } = input
        const trail = await upToDate(c.env, tenant)
        if (!asksFor(c, 'application/x-ndjson')) return ok(page(await trail.list(cursor, filter, max + 1), max, lastId))
        const headers = { 'content-type': 'application/x-ndjson' }
        return ok({ response: c.body(textStream(lines(trail, filter)), 200, headers) })
      },
    ),
  )

  .get(
    '/verify',
    route(
      {
        summary: 'Whether the chain of the audit is whole, or the first entry that breaks it',
        id: 'verifyAudit',
        scope: 'admin',
        reads: query(verifyQuery),
        returns: 'AuditVerification',
      },
      async ({ c, tenant, input: { cursor = 0 } }) => {
        const { seq: last, done, ...walk } = await walked(await upToDate(c.env, tenant), cursor)
        const { broken, checked, expired, head } = walk
        const facts = { object: 'audit.verification', ok: broken === null, checked, expired, broken, head }
        return ok({ body: { ...facts, next_cursor: done ? null : String(last) } })
      },
    ),
  )

/** The audit, with what sessions have told and the directory has not brought it yet. */
async function upToDate(env: Env, tenant: string): Promise<AuditApi> {
  await new TenantLists(env, tenant).forwardActs()
  return auditObject(env, tenant)
}

/** Along the chain as far as one request goes. */
async function walked(trail: AuditApi, from: number) {
  let step = await trail.walk(from)
  let { checked } = step
  for (let steps = 1; !step.done && steps < AUDIT_LIMITS.stepsPerRequestMax; steps++) {
    step = await trail.walk(step.seq)
    checked += step.checked
  }
  return { ...step, checked }
}

/** All entries that a filter lets through, as JSON lines. */
async function* lines(trail: AuditApi, filter: AuditFilter): AsyncGenerator<string, void, void> {
  let after = 0
  for (;;) {
    const step = await trail.page(after, filter)
    if (step.length === 0) return
    yield step.map(({ entry }) => `${JSON.stringify(entry)}\n`).join('')
    after = step.at(-1)?.seq ?? after
  }
}
