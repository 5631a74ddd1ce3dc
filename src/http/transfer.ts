import type { Context } from 'hono'
import * as z from 'zod'
import { fail, ok, type AppError, type Result } from '../domain/errors.ts'
import { LIMITS } from '../domain/limits.ts'
import { sessionObject } from '../objects/env.ts'
import { SOCKET_HEADERS, type SocketCaller } from '../objects/session-sockets.ts'
import { payerOf } from '../service/caller.ts'
import type { CommandOf } from '../service/commands.ts'
import { command, fromBody } from './command.ts'
import { needs } from './middleware/auth.ts'
import { notJson, query } from './middleware/body.ts'
import { factory, type AppEnv } from './context.ts'
import { describe } from './openapi/describe.ts'
import { knownId } from './middleware/known-id.ts'
import { problem } from './problem.ts'
import { eventId } from './queries.ts'

const forkInput = z.strictObject({ at_seq: z.int().min(1).optional() })
const socketQuery = z.strictObject({ after: eventId.optional() })

/** Sessions on the move: copies of them, and the socket by which they are followed and driven. */
export const transfer = factory
  .createApp()

  .post(
    '/import',
    describe({
      summary: 'Make a session from an exported document',
      body: 'SessionImport',
      status: [201],
      command: 'import',
      answers: 'session',
    }),
    command('import', { read: readDocument }, { status: 201, bytesMax: LIMITS.http.importBytesMax }),
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
      command: 'fork',
      body: forkInput,
      answers: 'session',
    }),
    command(
      'fork',
      fromBody(forkInput, ({ at_seq: atSeq = null }, c) => ({ type: 'fork', from: idOf(c), atSeq })),
      { status: 201, target: idOf },
    ),
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
        payer: payerOf(c.get('principal')),
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

function idOf(c: Context<AppEnv>): string {
  return c.req.param('id') ?? ''
}

/** The document as it comes: what was read for the key, else the body piece by piece. */
async function readDocument(c: Context<AppEnv>): Promise<Result<CommandOf<'import'>>> {
  const refused = notJson(c)
  if (refused) return fail(refused)
  const bytes = c.get('bodyBytes')
  const document = bytes ? new Blob([bytes]).stream() : (c.req.raw.body ?? new Blob([]).stream())
  return ok({ type: 'import', document })
}
