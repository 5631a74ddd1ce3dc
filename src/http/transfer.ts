import * as z from 'zod'
import type { AppError } from '../domain/errors.ts'
import { LIMITS } from '../domain/limits.ts'
import { sessionObject } from '../objects/env.ts'
import { SOCKET_HEADERS, type SocketCaller } from '../objects/session-sockets.ts'
import { payerOf, sessionBody } from './answer.ts'
import { needs } from './middleware/auth.ts'
import { body, notJson, query } from './middleware/body.ts'
import { factory } from './context.ts'
import { describe } from './openapi/describe.ts'
import { keyed } from './middleware/idempotency.ts'
import { knownId } from './middleware/known-id.ts'
import { problem } from './problem.ts'
import { eventId } from './queries.ts'

const forkInput = z.strictObject({ at_seq: z.int().min(1).optional() })
const socketQuery = z.strictObject({ after: eventId.optional() })

/** A fork is copied within the server, secrets of its config included; it may be larger than what clients send. */
const FORK_BYTES_MAX = 4 * LIMITS.http.importBytesMax

/** Sessions on the move: copies of them, and the socket by which they are followed and driven. */
export const transfer = factory
  .createApp()

  .post(
    '/import',
    describe({
      summary: 'Make a session from an exported document',
      body: 'SessionImport',
      status: [201],
      audit: { action: 'session.import' },
      answers: 'session',
    }),
    needs('run'),
    keyed({ creates: true, bytesMax: LIMITS.http.importBytesMax }),
    async (c) => {
      const { sessionId, key } = c.get('idempotency')
      const refused = notJson(c)
      if (refused) return problem(c, refused)
      const bytes = c.get('bodyBytes')
      const document = bytes ? new Blob([bytes]).stream() : (c.req.raw.body ?? new Blob([]).stream())
      const { tenant } = c.get('principal')
      const options = { key, bytesMax: LIMITS.http.importBytesMax }
      const made = await sessionObject(c.env, tenant, sessionId).import(sessionId, tenant, document, options)
      if (made.ok) c.header('location', `/v1/sessions/${sessionId}`)
      return sessionBody(c, made, 201)
    },
  )

  .get(
    '/:id/export',
    describe({ summary: 'The whole session as one document', id: 'exportSession', returns: 'SessionExport' }),
    needs('read'),
    knownId,
    async (c) => {
      const id = c.req.param('id')
      const exported = await sessionObject(c.env, c.get('principal').tenant, id).export(null, false)
      if (!exported.ok) return problem(c, exported.error)
      return c.body(exported.value, 200, {
        'content-type': 'application/json; charset=utf-8',
        'content-disposition': `attachment; filename="${id}.json"`,
      })
    },
  )

  .post(
    '/:id/fork',
    describe({
      summary: 'A new session with the log up to a seq',
      status: [201],
      audit: { action: 'session.fork' },
      body: forkInput,
      answers: 'session',
    }),
    needs('run'),
    knownId,
    keyed({ creates: true }),
    body(forkInput),
    async (c) => {
      const { tenant } = c.get('principal')
      const { sessionId: forkId, key } = c.get('idempotency')
      const exported = await sessionObject(c.env, tenant, c.req.param('id')).export(
        c.req.valid('json').at_seq ?? null,
        true,
      )
      if (!exported.ok) return problem(c, exported.error)
      const made = await sessionObject(c.env, tenant, forkId).import(forkId, tenant, exported.value, {
        key,
        bytesMax: FORK_BYTES_MAX,
      })
      if (made.ok) c.header('location', `/v1/sessions/${forkId}`)
      return sessionBody(c, made, 201)
    },
  )

  .get(
    '/:id/ws',
    describe({
      summary: 'Follow and drive the session over a WebSocket',
      id: 'connectSession',
      answers: 'socket',
      errors: ['upgrade_required'],
      query: socketQuery,
    }),
    needs('read'),
    knownId,
    query(socketQuery),
    async (c) => {
      if (c.req.header('upgrade')?.toLowerCase() !== 'websocket') return problem(c, { code: 'upgrade_required' })
      const { tenant, scopes, kind, id, limits, expiresTime } = c.get('principal')
      const caller: SocketCaller = {
        tenant,
        actor: { kind, id },
        request_id: c.get('requestId'),
        payer: payerOf(c),
        at_once: limits?.sessions_at_once ?? null,
        expires_time: expiresTime ?? null,
      }
      const { seq, n } = c.req.valid('query').after ?? { seq: 0, n: 0 }
      const headers = {
        upgrade: 'websocket',
        [SOCKET_HEADERS.after]: `${seq}.${n}`,
        [SOCKET_HEADERS.scopes]: scopes.join(),
        [SOCKET_HEADERS.caller]: JSON.stringify(caller),
      }
      const answer = await sessionObject(c.env, tenant, c.req.param('id')).fetch(new Request(c.req.url, { headers }))
      return answer.status === 101 ? answer : problem(c, await answer.json<AppError>())
    },
  )
