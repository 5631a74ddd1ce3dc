import type { Context } from 'hono'
import * as z from 'zod'
import { AUDIT_LIMITS } from '../domain/audit.ts'
import type { AuditApi } from '../objects/api.ts'
import { auditObject } from '../objects/env.ts'
import { textStream } from '../lib/streams.ts'
import type { AuditFilter } from '../store/audit.ts'
import { needs } from './middleware/auth.ts'
import { query } from './middleware/body.ts'
import { factory, type AppEnv } from './context.ts'
import { idCursor } from './cursors.ts'
import { describe, listOf } from './openapi/describe.ts'
import { list } from './list.ts'
import { limit, moment, seq } from './queries.ts'

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

const trailOf = (c: Context<AppEnv>): AuditApi => auditObject(c.env, c.get('principal').tenant)

/** Who did what. */
export const audit = factory
  .createApp()

  .get(
    '/',
    describe({
      summary: 'Who did what, newest first; all of it as JSON lines, oldest first',
      id: 'listAudit',
      returns: listOf('AuditEntry'),
      query: auditQuery,
      answers: 'audit',
    }),
    needs('admin'),
    query(auditQuery),
    async (c) => {
      const { limit: max, cursor = null, ...filter } = c.req.valid('query')
      if (/application\/x-ndjson/i.test(c.req.header('accept') ?? ''))
        return c.body(textStream(lines(trailOf(c), filter)), 200, { 'content-type': 'application/x-ndjson' })
      const found = await trailOf(c).list(cursor, filter, max + 1)
      const data = found.slice(0, max)
      return list(c, data, found.length > max ? (data.at(-1)?.id ?? null) : null)
    },
  )

  .get(
    '/verify',
    describe({
      summary: 'Whether the chain of the audit is whole, or the first entry that breaks it',
      id: 'verifyAudit',
      returns: 'AuditVerification',
      query: verifyQuery,
    }),
    needs('admin'),
    query(verifyQuery),
    async (c) => {
      const { cursor = 0 } = c.req.valid('query')
      const { seq: last, done, broken, checked, expired, head } = await walked(trailOf(c), cursor)
      const ok = broken === null
      return c.json({
        object: 'audit.verification',
        ok,
        checked,
        expired,
        broken,
        head,
        next_cursor: done ? null : String(last),
      })
    },
  )

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
    const page = await trail.page(after, filter)
    if (page.length > 0) yield page.map(({ entry }) => `${JSON.stringify(entry)}\n`).join('')
    if (page.length < AUDIT_LIMITS.entriesPerStep) return
    after = page.at(-1)?.seq ?? after
  }
}
