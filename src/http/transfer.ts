import * as z from 'zod'
import { type AppError, fail, ok } from '../domain/errors.ts'
import { LIMITS } from '../domain/limits.ts'
import { spokenProtocol } from '../domain/socket.ts'
import { sessionObject } from '../objects/env.ts'
import { SOCKET_HEADERS, type SocketCaller } from '../objects/session-sockets.ts'
import { payerOf } from '../service/caller.ts'
import { openCounted } from '../service/limits.ts'
import { notJson, queryOf } from './body.ts'
import { serviceOf } from './caller.ts'
import { factory } from './context.ts'
import { eventId, resumedFrom } from './queries.ts'
import { command, json, nothing, query, type Reading, route, sessionInPath } from './route.ts'

const forkInput = z.strictObject({ at_seq: z.int().min(1).optional() })
const socketQuery = z.strictObject({ after: eventId.optional() })

/** `keep_config`: what the document's config allows stays, and so does the model elsewhere that it names. */
const importQuery = z.strictObject({ keep_config: z.enum(['true', 'false']).optional() })

/** The document as it comes: what was read for the key, else the body piece by piece. */
const document: Reading<{ document: ReadableStream<Uint8Array>; keepConfig: boolean }> = {
  read: async (c) => {
    const asked = queryOf(c, importQuery)
    if (!asked.ok) return asked
    const refused = notJson(c)
    if (refused) return fail(refused)
    const bytes = c.get('bodyBytes')
    const body = bytes ? new Blob([bytes]).stream() : (c.req.raw.body ?? new Blob([]).stream())
    return ok({ document: body, keepConfig: asked.value.keep_config === 'true' })
  },
  facts: { query: importQuery },
}

/** Sessions on the move: copies of them, and the socket by which they are followed and driven. */
export const transferRoutes = factory
  .createApp()

  .post(
    '/import',
    command(
      'import',
      {
        summary: 'Make a session from an exported document',
        body: 'SessionImport',
        reads: document,
        bytesMax: LIMITS.http.importBytesMax,
        answers: 'session',
        status: [201],
        errors: ['too_many'],
        good: 201,
      },
      (given) => ({ type: 'import', ...given }),
    ),
  )

  // No other method takes it for the id of a session.
  .all('/import', (c) => c.notFound())

  .get(
    '/:id/export',
    route(
      {
        summary: 'The whole session as one document',
        id: 'exportSession',
        scope: 'read',
        refuse: sessionInPath,
        reads: nothing,
        returns: 'SessionExport',
      },
      async ({ c, tenant, param }) => {
        const exported = await sessionObject(c.env, tenant, param('id')).export(null, false)
        if (!exported.ok) return exported
        const disposition = `attachment; filename="${param('id')}.json"`
        const headers = { 'content-type': 'application/json; charset=utf-8', 'content-disposition': disposition }
        return ok({ response: c.body(exported.value, 200, headers) })
      },
    ),
  )

  .post(
    '/:id/fork',
    command(
      'fork',
      {
        summary: 'A new session with the log up to a seq',
        reads: json(forkInput),
        target: 'id',
        answers: 'session',
        status: [201],
        errors: ['too_many'],
        good: 201,
      },
      ({ at_seq: atSeq = null }, c) => ({ type: 'fork', from: c.req.param('id') ?? '', atSeq }),
    ),
  )

  .get(
    '/:id/ws',
    route(
      {
        summary: 'Follow and drive the session over a WebSocket',
        id: 'connectSession',
        scope: 'read',
        refuse: sessionInPath,
        headers: ['Last-Event-ID'],
        reads: query(socketQuery),
        answers: 'socket',
        errors: ['upgrade_required'],
      },
      async ({ c, param, input }) => {
        if (c.req.header('upgrade')?.toLowerCase() !== 'websocket') return fail({ code: 'upgrade_required' })
        const from = resumedFrom(c, input.after)
        if (!from.ok) return from
        const { tenant, scopes, kind, id, limits, account, expiresTime } = c.get('principal')
        const caller: SocketCaller = {
          tenant,
          actor: { kind, id },
          request_id: c.get('requestId'),
          payer: payerOf(c.get('principal')),
          at_once: limits?.sessions_at_once ?? null,
          per_minute: limits?.requests_per_minute ?? null,
          account: account ?? null,
          expires_time: expiresTime ?? null,
        }
        const opened = await openCounted(serviceOf(c), tenant, { kind: 'socket', session: param('id') })
        if (!opened.ok) return opened
        const { seq, n } = from.value
        const headers = {
          upgrade: 'websocket',
          ...(opened.value ? { [SOCKET_HEADERS.connection]: opened.value.id } : {}),
          [SOCKET_HEADERS.after]: `${seq}.${n}`,
          [SOCKET_HEADERS.scopes]: scopes.join(),
          [SOCKET_HEADERS.caller]: JSON.stringify(caller),
          [SOCKET_HEADERS.protocols]: spokenProtocol(c.req.header('sec-websocket-protocol') ?? null) ?? '',
        }
        const answer = await sessionObject(c.env, tenant, param('id')).fetch(new Request(c.req.url, { headers }))
        if (answer.status === 101) return ok({ response: answer })
        await opened.value?.close()
        return fail(await answer.json<AppError>())
      },
    ),
  )
